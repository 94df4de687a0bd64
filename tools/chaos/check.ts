import type pg from 'pg';
import { LEDGER_STATE, type LedgerStateName } from '../../domain/words.ts';
import type { ChaosApi } from './api.ts';
import type { RelayRecord } from './stage.ts';

export interface Verdict {
  targeted: number;
  /** Of the ledger. */
  accepted: number;
  failed: number;
  skipped: number;
  uncertain: number;
  /** Broken promises; all empty when the round was good. */
  wrongs: string[];
}

/** Those that a progress document counts, by the ledger's names. */
const COUNTED = { accepted: 'progress', failed: 'failed', skipped: 'skipped', uncertain: 'uncertain' } as const;

/**
 * Compares the relay's record with the ledger, mail by mail, and both with what the API says. It shares nothing with the code that sends.
 * @param most uncertain recipients there may be
 */
export async function checkRound(pool: pg.Pool, api: ChaosApi, mailingId: number, relay: RelayRecord, most: number): Promise<Verdict> {
  const { rows } = await pool.query<{ user_id: number; state: number; detail: string }>(
    'select user_id, state, detail from send_ledger where mailing_id = $1',
    [mailingId],
  );
  const wrongs: string[] = [];
  const wrong = (what: string, users: number[]) => {
    if (users.length) wrongs.push(`${what}: ${users.length} (user ${users[0]} …)`);
  };
  const those = (...names: LedgerStateName[]) =>
    rows.filter(({ state }) => names.some((name) => LEDGER_STATE[name] === state)).map((row) => row.user_id);
  const taken = (user: number) => relay.taken.get(user) ?? 0;
  const targeted = new Set(rows.map((row) => row.user_id));

  wrong('forgotten', those('pending', 'sending'));
  wrong(
    'mailed twice',
    [...relay.taken.keys()].filter((user) => taken(user) > 1),
  );
  wrong(
    'mailed without being targeted',
    [...relay.taken.keys()].filter((user) => !targeted.has(user)),
  );
  wrong(
    'accepted, but the relay does not have it',
    those('accepted').filter((user) => taken(user) === 0),
  );
  wrong(
    'failed or skipped, but the relay has it',
    those('failed', 'skipped').filter((user) => taken(user) > 0),
  );
  wrong(
    'failed, but the relay never refused it',
    those('failed').filter((user) => !relay.refused.has(user)),
  );
  wrong('skipped, though nobody left', those('skipped'));
  const uncertain = those('uncertain');
  if (uncertain.length > most) {
    const why = new Set(rows.filter(({ state }) => state === LEDGER_STATE.uncertain).map(({ detail }) => detail));
    wrongs.push(`uncertain: ${uncertain.length}, at most ${most} may be (${[...why].join('; ')})`);
  }

  const listed = new Set(await api.uncertain(mailingId));
  wrong(
    'uncertain, but not listed',
    uncertain.filter((user) => !listed.has(user)),
  );
  if (listed.size > uncertain.length) wrongs.push(`listed as uncertain: ${listed.size}, of whom ${uncertain.length} are`);
  const progress = await api.progress(mailingId);
  const verdict = { targeted: rows.length, accepted: 0, failed: 0, skipped: 0, uncertain: 0 };
  for (const [state, name] of Object.entries(COUNTED) as [keyof typeof COUNTED, string][]) {
    verdict[state] = those(state).length;
    if (progress[name] !== verdict[state]) wrongs.push(`progress says ${progress[name]} ${state}, the ledger ${verdict[state]}`);
  }
  return { ...verdict, wrongs };
}
