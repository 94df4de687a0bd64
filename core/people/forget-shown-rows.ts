import { textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { likeWords } from '../../domain/like.ts';
import type { FrozenReport } from '../../mail/contracts.ts';

/** SQL: as the index of these few among all mailings there ever were has it. */
const SHOWS_REPORTS = `content #> '{content,reports}' <> '{}'`;

/**
 * Takes addresses out of the rows of reports that mailings show: they stand frozen in what was sent for as long as there is the mailing. What staff wrote stays, also the
 * parameters by which a template finds its rows.
 */
export async function forgetInShownRows(sql: Sql, emails: string[]): Promise<void> {
  const runs = await sql<{ mailing_id: number; started_at: string; reports: Record<string, FrozenReport> }>(
    `select mailing_id, started_at::text as started_at, content #> '{content,reports}' as reports from send_run
     where ${SHOWS_REPORTS} and lower((content #> '{content,reports}')::text) like any($1::text[])`,
    [textArray(emails.map(likeWords))],
  );
  const named = new RegExp(emails.map((email) => email.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'giu');
  const forget = (value: unknown) => (typeof value === 'string' ? value.replace(named, '…') : value);
  for (const { mailing_id, started_at, reports } of runs) {
    for (const { runs: read } of Object.values(reports))
      for (const [key, rows] of Object.entries(read))
        read[key] = rows.map((row) =>
          Object.fromEntries(Object.entries(row).map(([column, value]) => [column, forget(value)])),
        ) as typeof rows;
    await sql(
      `update send_run set content = jsonb_set(content, '{content,reports}', $3::jsonb) where mailing_id = $1 and started_at = $2::timestamptz`,
      [mailing_id, started_at, JSON.stringify(reports)],
    );
  }
}
