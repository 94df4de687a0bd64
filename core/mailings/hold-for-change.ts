import type { Sql } from '../../db/sql.ts';
import { TARGETING_STATE_FIELDS } from '../../domain/targeting/change.ts';
import { readBody } from '../../domain/values.ts';
import type { ReferenceContext } from '../references.ts';
import { holdAudiencesOf } from '../targeting/rebuild-job.ts';
import { holdMailing } from './existing.ts';
import { INPUT_FIELDS } from './input/fields.ts';

/**
 * Holds a mailing that a request is to change until the transaction ends, and what others hold before it: whom it names and is to name, as whoever deletes or merges them does, who
 * comes to the mailings they stand in, and the mailings whose audience may change with its own, in the order of ids, since two that exclude each other would wait for each other
 * otherwise.
 */
export async function holdForChange(id: number, body: unknown, context: ReferenceContext & { sql: Sql }): Promise<void> {
  const { sql } = context;
  const given = readBody(body);
  const named = (...fields: string[]) => fields.flatMap((name) => (Object.hasOwn(given, name) ? namedIn(name, given[name], context) : []));
  if (Object.hasOwn(given, 'reviewers'))
    await sql(
      `select from core_user where id = any($1::int[] || array(select user_id from core_mailing_reviewers where mailing_id = $2)) order by id for key share`,
      [named('reviewers'), id],
    );
  const accounts = named('submitter', 'scheduled_by');
  if (accounts.length) await sql('select from auth_user where id = any($1::int[]) order by id for key share', [accounts]);
  if (TARGETING_STATE_FIELDS.some((name) => Object.hasOwn(given, name))) await holdAudiencesOf(sql, id);
  await holdMailing(sql, id);
}

/** What is wrong with a value is said when it is read. */
function namedIn(name: string, value: unknown, context: ReferenceContext): unknown[] {
  try {
    return [INPUT_FIELDS[name]!.shape(value, context) ?? []].flat();
  } catch {
    return [];
  }
}
