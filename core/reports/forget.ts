import type { Readable } from 'node:stream';
import type { Pool } from '../../db/driver.ts';
import type { ReportFiles } from './report-files.ts';

/** The task a file of results belongs to. */
export const taskOf = (fileName: string): number | null => Number(/^report-(\d+)\./.exec(fileName)?.[1] ?? 0) || null;

/** Removes the tasks of reports that were asked for with an address, or to it, and the results in which it stands. */
export async function forgetInReports(pool: Pool, files: ReportFiles, email: string): Promise<void> {
  const found = new Set<number>();
  for (const { name } of await files.list()) {
    const file = await files.read(name);
    if (!file || !(await holds(file.content, email))) continue;
    await files.remove(name);
    const task = taskOf(name);
    if (task) found.add(task);
  }
  const { rows } = await pool.query<{ id: number }>(
    `delete from core_backgroundtask where id = any($1::int[]) or position(lower($2) in lower(statement::text || emails::text)) > 0 returning id`,
    [[...found], email],
  );
  const gone = new Set(rows.map(({ id }) => id));
  for (const { name } of await files.list()) if (gone.has(taskOf(name) ?? 0)) await files.remove(name);
}

/** Whether a text stands in a file, in whatever case. */
async function holds(content: Readable, text: string): Promise<boolean> {
  // Byte for byte, so that a character cut in two by a chunk does no harm.
  const wanted = Buffer.from(text).toString('latin1').toLowerCase();
  let end = '';
  for await (const chunk of content as AsyncIterable<Buffer>) {
    const read = end + chunk.toString('latin1').toLowerCase();
    if (read.includes(wanted)) return true;
    end = read.slice(-wanted.length);
  }
  return false;
}
