import type { Pool } from '../../db/driver.ts';
import { LEDGER_STATE } from '../../domain/words.ts';

const LAST_WORDS = `
  select e.detail from send_shard s join send_log l using (mailing_id, shard), unnest(l.states, l.details) as e (state, detail)
  where s.mailing_id = $1 and not s.finished and s.not_before > clock_timestamp() and e.state = ${LEDGER_STATE.pending} and e.detail is not null
  order by l.at desc, l.seq desc limit 1`;

/** What the relay said last of those it has put off, who wait for their next pass; empty where nobody does. To be asked when nothing else is left to do. */
export async function whyPutOff(pool: Pool, mailingId: number): Promise<string> {
  const { rows } = await pool.query<{ detail: string }>(LAST_WORDS, [mailingId]);
  return rows[0]?.detail ?? '';
}
