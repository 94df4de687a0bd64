import type { Sql } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { TARGETING_STATE_FIELDS } from '../../domain/targeting/change.ts';
import type { Side } from '../../domain/targeting/compile.ts';

/** What a copy takes over. Where the original stands, its saved set and its schedule are its own. */
const COPIED = [
  'notes',
  'html',
  'text',
  'fromline_id',
  'custom_fromline',
  'reply_to',
  'emailwrapper_id',
  'lang_id',
  'landing_page_id',
  'mergefile_id',
  'web_viewable',
  'track_opens',
  'track_clicks',
  'fields',
  'rebuild_query_at_send',
  'proof_users',
  'requested_proofs',
  'submitter_id',
];

/**
 * Makes a draft like mailing `id`, in the caller's transaction.
 * @param keep whether whom it is for is copied, too, and whether the copy stays in the test group
 * @returns the id of the copy
 * @throws NotFoundError
 */
export async function copyMailing(sql: Sql, id: number, keep: { targeting: boolean; testGroup: boolean }): Promise<number> {
  const chosen = [...COPIED, ...(keep.targeting ? TARGETING_STATE_FIELDS : []), ...(keep.testGroup ? ['test_group_id'] : [])];
  const columns = chosen.map((column) => `"${column}"`).join(', ');
  const [made] = await sql<{ id: number }>(
    `insert into core_mailing (${columns}) select ${columns} from core_mailing where id = $1 returning id`,
    [id],
  );
  if (!made) throw new NotFoundError();
  await sql(
    `insert into core_mailingsubject (mailing_id, position, text, preview_text)
     select $2::int, position, text, preview_text from core_mailingsubject where mailing_id = $1`,
    [id, made.id],
  );
  await sql('insert into core_mailing_tags (mailing_id, tag_id) select $2::int, tag_id from core_mailing_tags where mailing_id = $1', [
    id,
    made.id,
  ]);
  // Who is being erased or merged is waited for.
  await sql(
    'select from core_user where id in (select user_id from core_mailing_reviewers where mailing_id = $1) order by id for key share',
    [id],
  );
  await sql(
    'insert into core_mailing_reviewers (mailing_id, user_id) select $2::int, user_id from core_mailing_reviewers where mailing_id = $1',
    [id, made.id],
  );
  return made.id;
}

/**
 * Gives a side of the targeting of a mailing that was made just now what a side of another mailing holds, in the caller's transaction.
 * @returns whether there is that other mailing
 */
export async function copySide(sql: Sql, to: { id: number; side: Side }, from: { mailingId: number; side: Side }): Promise<boolean> {
  const copied = await sql(
    `update core_mailing t set ${to.side} = other.${from.side} from core_mailing other where t.id = $1 and other.id = $2 returning t.id`,
    [to.id, from.mailingId],
  );
  return copied.length > 0;
}
