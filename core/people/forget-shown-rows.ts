import { textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { likeWords } from '../../domain/like.ts';
import type { FrozenReport } from '../../mail/contracts.ts';

/** SQL: as the index of these few among all mailings there ever were has it. */
const SHOWS_REPORTS = `content #> '{content,reports}' <> '{}'`;
/** Where it stands, and the time that tells those of one mailing apart. */
const FROZEN = [
  ['send_run', 'started_at'],
  ['send_earlier_run', 'ended_at'],
] as const;

/**
 * Takes addresses out of the rows of reports that mailings show: they stand frozen in what was sent for as long as there is the mailing. What staff wrote stays, also the
 * parameters by which a template finds its rows.
 */
export async function forgetInShownRows(sql: Sql, emails: string[]): Promise<void> {
  for (const [table, time] of FROZEN) await forgetIn(sql, emails, table, time);
}

async function forgetIn(sql: Sql, emails: string[], table: string, time: string): Promise<void> {
  const runs = await sql<{ mailing_id: number; at: string; reports: Record<string, FrozenReport> }>(
    `select mailing_id, ${time}::text as at, content #> '{content,reports}' as reports from ${table}
     where ${SHOWS_REPORTS} and lower((content #> '{content,reports}')::text) like any($1::text[])`,
    [textArray(emails.map(likeWords))],
  );
  const named = new RegExp(emails.map((email) => email.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'giu');
  const forget = (value: unknown) => (typeof value === 'string' ? value.replace(named, '…') : value);
  for (const { mailing_id, at, reports } of runs) {
    for (const { runs: read } of Object.values(reports))
      for (const [key, rows] of Object.entries(read))
        read[key] = rows.map((row) =>
          Object.fromEntries(Object.entries(row).map(([column, value]) => [column, forget(value)])),
        ) as typeof rows;
    await sql(
      `update ${table} set content = jsonb_set(content, '{content,reports}', $3::jsonb) where mailing_id = $1 and ${time} = $2::timestamptz`,
      [mailing_id, at, JSON.stringify(reports)],
    );
  }
}
