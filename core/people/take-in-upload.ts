import type { Readable } from 'node:stream';
import type { Pool, PoolClient } from '../../db/driver.ts';
import { HOWEVER_LARGE } from '../../db/no-limits.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { onOneConnection } from '../../db/transaction.ts';
import { InputError } from '../../domain/errors.ts';
import { BY_AKID, BY_ID, userFieldsOf } from '../../domain/people/import-line.ts';
import { readBoolean } from '../../domain/values.ts';
import { json, run, tables } from '../../entities/tables.ts';
import { keptAddress } from '../../mail/address.ts';
import { once, type Repeatable } from '../once.ts';
import { type ReferenceContext, readReference } from '../references.ts';
import { personBy } from './import-ids.ts';
import { stageUpload } from './stage-upload.ts';

/** The fields of the form, as they were sent, and the file. */
export interface SentUpload {
  page: unknown;
  autocreateUserFields: unknown;
  userFieldsOnly?: unknown;
  filename: string;
  content: () => Readable;
  /** What each column is, where the file's first line does not say it; an empty one is left out. */
  columns?: readonly string[];
  /** What akids are signed with, for who may read people: of a file of guesses, each line that was taken would be a right one. */
  secret?: string | null;
  /** Done in the same transaction, first. @param id of the upload */
  inPlaceOf?: (sql: Sql, id: number) => Promise<void>;
  /** Of a request that may be sent again. */
  again?: Repeatable | undefined;
}

/**
 * Takes a file of people into the database, all of it or nothing.
 * @returns the id of the upload, whose lines wait to be imported
 * @throws InputError; what is wrong with the file itself stands under `file`. PermissionError
 */
export function takeInUpload(pool: Pool, context: ReferenceContext, sent: SentUpload): Promise<number> {
  const work = async (client: PoolClient) => {
    const sql = sqlOn(client);
    // A large file takes its time.
    await sql(HOWEVER_LARGE);
    return once(sql, sent.again, () => stage(client, sql));
  };
  const stage = async (client: PoolClient, sql: Sql) => {
    const [made] = await sql<{ id: number }>(`select nextval('core_upload_id_seq')::int as id`);
    const { id } = made!;
    await sent.inPlaceOf?.(sql, id);
    const personOf = sent.secret ? personBy(sent.secret) : null;
    const staged = await stageUpload(client, id, sent.content(), keptAddress, sent.columns, personOf);
    const pageId = await findPage(sql, context, sent.page);
    const autocreate = readFlag('autocreate_user_fields', sent.autocreateUserFields);
    const fieldsOnly = readFlag('user_fields_only', sent.userFieldsOnly);
    if (fieldsOnly) refuseMore(staged.columns);
    await declareFields(sql, userFieldsOf(staged.columns), autocreate);
    const upload = {
      id,
      page_id: pageId,
      filename: sent.filename.slice(0, 255).replaceAll('\0', ''),
      autocreate_user_fields: autocreate,
      user_fields_only: fieldsOnly,
      columns: json<string[]>(JSON.stringify(staged.columns)),
      line_count: staged.lines,
    };
    await run(sql, tables.insertInto('core_upload').values(upload));
    return id;
  };
  // A COPY that was cut off leaves the connection in the middle of it.
  return onOneConnection(pool, work, { keep: false });
}

async function findPage(sql: Sql, context: ReferenceContext, given: unknown): Promise<number> {
  if (typeof given !== 'string' || given === '') throw new InputError({ page: 'page is required.' });
  let id: number | null = null;
  try {
    id = readReference(context, 'importpage', given);
  } catch {
    // Not a reference: then it is a name.
  }
  const [page] = await sql<{ id: number; type: string }>(
    'select id, type from core_page where id = $1 or ($1::int is null and name = $2) for key share',
    [id, given.replaceAll('\0', '')],
  );
  if (!page) throw new InputError({ page: 'page refers to nothing.' });
  if (page.type !== 'import') throw new InputError({ page: 'page must be an import page.' });
  return page.id;
}

/** @throws InputError for names nobody declared, unless they are to be */
async function declareFields(sql: Sql, names: string[], autocreate: boolean): Promise<void> {
  if (names.length === 0) return;
  if (autocreate) {
    // In one order everywhere, lest two files that declare the same fields wait for each other in a circle.
    await sql('insert into core_alloweduserfield (name) select name from unnest($1::text[]) as name order by name on conflict do nothing', [
      names,
    ]);
    return;
  }
  const unknown = await undeclared(sql, names);
  if (unknown.length > 0) {
    throw new InputError({ upload: `No custom user field is declared as ${unknown.slice(0, 10).join(', ')}; see autocreate_user_fields.` });
  }
}

/** Those of the custom fields that columns say of people which nobody declared. */
export const undeclaredIn = (sql: Sql, columns: string[]): Promise<string[]> => undeclared(sql, userFieldsOf(columns));

async function undeclared(sql: Sql, names: string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await run(sql, tables.selectFrom('core_alloweduserfield').where('name', 'in', names).select('name'));
  return names.filter((name) => !rows.some((row) => row.name === name));
}

/** @throws InputError for a file that says more of people than custom fields */
function refuseMore(columns: string[]): void {
  const more = columns.filter((name) => name !== '' && name !== 'email' && name !== BY_AKID && !name.startsWith('user_'));
  if (more.length === 0) return;
  const named = more.slice(0, 10).join(', ').slice(0, 200);
  throw new InputError({
    user_fields_only: `The file has other columns than email, ${BY_ID}, ${BY_AKID} and user_<custom field>: ${named}.`,
  });
}

function readFlag(name: string, given: unknown): boolean {
  try {
    return readBoolean(given || false);
  } catch (error) {
    throw new InputError({ [name]: `${name} ${(error as Error).message}.` });
  }
}
