import type pg from 'pg';
import { LEDGER_STATE } from '../../domain/words.ts';

/** What the relay itself knows: how often it took the mail of each user of a mailing. */
export type RelayRecord = Map<number, number>;

export interface Verdict {
  targeted: number;
  /** Of the ledger. */
  accepted: number;
  failed: number;
  uncertain: number;
  /** Broken promises; all empty when the round was good. */
  wrongs: string[];
}

/** Compares the relay's record with the ledger, mail by mail. It shares nothing with the code that sends. */
export async function checkRound(
  pool: pg.Pool,
  mailingId: number,
  relay: RelayRecord,
  allowed: { uncertain: number; refused?: RegExp | undefined },
): Promise<Verdict> {
  const { rows } = await pool.query<{ user_id: number; state: number; email: string }>(
    'select l.user_id, l.state, u.email from send_ledger l join core_user u on u.id = l.user_id where mailing_id = $1',
    [mailingId],
  );
  const wrongs: string[] = [];
  const count = (state: number) => rows.filter((row) => row.state === state).length;
  const wrong = (what: string, which: { user_id: number }[]) => {
    if (which.length) wrongs.push(`${what}: ${which.length} (user ${which[0]?.user_id} …)`);
  };
  const taken = (row: { user_id: number }) => relay.get(row.user_id) ?? 0;
  wrong(
    'forgotten',
    rows.filter((row) => row.state === LEDGER_STATE.pending || row.state === LEDGER_STATE.sending),
  );
  wrong(
    'mailed twice',
    rows.filter((row) => taken(row) > 1),
  );
  wrong(
    'accepted, but the relay does not have it',
    rows.filter((row) => row.state === LEDGER_STATE.accepted && taken(row) === 0),
  );
  wrong(
    'failed or skipped, but the relay has it',
    rows.filter((row) => (row.state === LEDGER_STATE.failed || row.state === LEDGER_STATE.skipped) && taken(row) > 0),
  );
  wrong(
    'failed, but the relay never refused it',
    rows.filter((row) => row.state === LEDGER_STATE.failed && !allowed.refused?.test(row.email)),
  );
  const strangers = [...relay.keys()].filter((user) => !rows.some((row) => row.user_id === user));
  if (strangers.length) wrongs.push(`mailed without being targeted: ${strangers.length}`);
  const uncertain = count(LEDGER_STATE.uncertain);
  if (uncertain > allowed.uncertain) wrongs.push(`uncertain: ${uncertain}, at most ${allowed.uncertain} may be`);
  const { rows: sums } = await pool.query(
    'select sum(accepted)::int as accepted, sum(failed)::int as failed, sum(uncertain)::int as uncertain from send_shard where mailing_id = $1',
    [mailingId],
  );
  const verdict = { targeted: rows.length, accepted: count(LEDGER_STATE.accepted), failed: count(LEDGER_STATE.failed), uncertain };
  for (const name of ['accepted', 'failed', 'uncertain'] as const) {
    if (sums[0][name] !== verdict[name]) wrongs.push(`the counter says ${sums[0][name]} ${name}, the ledger ${verdict[name]}`);
  }
  return { ...verdict, wrongs };
}
