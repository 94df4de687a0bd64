import type { Client } from './driver.ts';

/** How many milliseconds the database's clock is ahead of ours, less than none where it is behind; `within`: by how much that may be wrong, for the time the answer took. */
export async function clockOff(client: Client): Promise<{ off: number; within: number }> {
  const asked = Date.now();
  const { rows } = await client.query<{ at: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as at');
  const within = (Date.now() - asked) / 2;
  return { off: Math.round(rows[0]!.at - asked - within), within };
}
