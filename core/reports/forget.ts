import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { textArray } from '../../db/array-literals.ts';
import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { inLongTransaction, inOneTransaction } from '../../db/transaction.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import { isDraft, type ReportFiles, ResultRemovedError } from './report-files.ts';
import { beginUnmailedAnew } from './report-task.ts';

/** The task a file of results belongs to. */
const taskOf = (fileName: string): number | null => Number(/^report-(\d+)\./.exec(fileName)?.[1] ?? 0) || null;

/**
 * Removes the tasks of reports that were asked for with one of these addresses, or to it, and the results in which one stands, with their tasks; those that are still to be
 * mailed are run anew. Tasks first: a result without its file, its worker killed in between, would never be mailed; a file without its task is found again.
 * @param emails in lower case
 */
export async function forgetInReports(pool: Pool, files: ReportFiles, emails: string[]): Promise<void> {
  const names = new Set<string>();
  const namesOne = async (name: string): Promise<boolean> => {
    const file = await files.read(name);
    if (file === null) return false;
    return holds(file.content, emails).catch((error) => {
      if (!(error instanceof ResultRemovedError)) throw error;
      // There is none of this name by now, or another one.
      return namesOne(name);
    });
  };
  for (const { name } of await files.list()) if (await namesOne(name)) names.add(name);
  const found = [...names].map(taskOf).filter((task) => task !== null);
  const rows = await inLongTransaction(pool, async (sql) => {
    // One whose end is just being committed has its file under its name already: it is waited for.
    await sql('select from core_backgroundtask where id = any($1::int[]) order by id for update', [found]);
    await beginUnmailedAnew(sql, found);
    return sql<{ id: number }>(
      `delete from core_backgroundtask where id = any($1::int[]) and status not in ('pending', 'running')
         or exists (select from unnest($2::text[]) email where position(email in lower(statement::text || emails::text)) > 0) returning id`,
      [found, textArray(emails)],
    );
  });
  const gone = new Set(rows.map(({ id }) => id));
  for (const { name } of await files.list()) {
    if (gone.has(taskOf(name) ?? 0)) await files.remove(name);
    else if (names.has(name)) await inOneTransaction(pool, (sql) => removeUnlessKept(sql, files, name));
  }
}

/** What is run anew may have its next result by now, under the same name; where it has none it gets none before this one is gone. */
async function removeUnlessKept(sql: Sql, files: ReportFiles, name: string): Promise<void> {
  const [task] = await sql<{ status: string }>('select status from core_backgroundtask where id = $1 for update', [taskOf(name)]);
  if (isDraft(name) || task?.status !== 'completed') await files.remove(name);
}

/** Whether one of some texts, in lower case, stands in a file, in whatever case. */
async function holds(content: Readable, texts: string[]): Promise<boolean> {
  const longest = Math.max(...texts.map(({ length }) => length));
  // Keeps a character that is cut in two by a chunk for the next one.
  const decoder = new StringDecoder('utf8');
  let end = '';
  for await (const chunk of content as AsyncIterable<Buffer>) {
    const read = end + lowerCase(decoder.write(chunk));
    if (texts.some((text) => read.includes(text))) return true;
    end = read.slice(-longest);
  }
  return false;
}
