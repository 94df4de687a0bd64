import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ChaosApi } from './api.ts';
import { checkRound, type Verdict } from './check.ts';
import { FAULTS } from './faults.ts';
import { type Stage, WORKERS } from './stage.ts';

/** A round and what came of it. */
export interface Round extends Verdict {
  fault: string;
  /** With it the same round can be had again, as far as machines allow. */
  seed: number;
  seconds: number;
}

/** mulberry32: numbers from 0 to 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** One send with one fault at a random moment of it, and the independent check of what it left. A round that does not end is wrong, too. */
export async function playRound(stage: Stage, fault: string, seed: number): Promise<Round> {
  const began = performance.now();
  const api = new ChaosApi(stage.baseUrl);
  const over = new AbortController();
  let verdict: Verdict;
  try {
    const mailingId = await newMailing(stage);
    const watching = sendThroughIt(stage, api, mailingId, fault, random(seed), over.signal);
    const { status, most } = await watching;
    verdict = await checkRound(stage.pool, api, mailingId, stage.record(mailingId), most);
    if (status !== 'completed') verdict.wrongs.push(`the mailing is ${status}`);
    await forget(stage.pool, mailingId);
  } catch (error) {
    verdict = { targeted: stage.recipients, accepted: 0, failed: 0, skipped: 0, uncertain: 0, wrongs: [(error as Error).message] };
  }
  over.abort();
  verdict.wrongs.push(...api.wrongs);
  return { fault, seed, ...verdict, seconds: Math.round(performance.now() - began) / 1000 };
}

async function sendThroughIt(stage: Stage, api: ChaosApi, mailingId: number, fault: string, chance: () => number, over: AbortSignal) {
  const { strike, uncertain } = FAULTS[fault]!;
  const between = (from: number, to: number) => from + chance() * (to - from);
  const carried = new Map(WORKERS.map((worker) => [worker, stage.wires[`${worker}-relay`].carried()]));
  const sending = () => WORKERS.filter((worker) => stage.wires[`${worker}-relay`].carried() > carried.get(worker)!);
  const { taken } = stage.record(mailingId);
  await api.queue(mailingId);
  void api.watch(mailingId, over);
  await until('the first mail', () => taken.size > 0);
  await sleep(chance() * 0.7 * (stage.recipients / stage.rate) * 1000);
  const active = sending();
  const worker = active[Math.floor(chance() * active.length)]!;
  const workers = chance() < 0.5 ? [worker] : active;
  await strike({
    stage,
    between,
    worker,
    workers,
    stopMailing: () => api.stop(mailingId),
    queueMailing: () => api.queue(mailingId),
  });
  let status = await ended(stage.pool, mailingId);
  // A request that was given up and came through late has stopped it once more: whoever wants it sent says so.
  while (status === 'stopped') {
    await api.queue(mailingId);
    status = await ended(stage.pool, mailingId);
  }
  const most = 'mails' in uncertain ? uncertain.mails : uncertain.windows * 2 * stage.connections;
  return { status, most };
}

/** A mailing whose saved set is everybody: what a rebuild would have left. */
async function newMailing({ pool, recipients, rate }: Stage): Promise<number> {
  const { rows } = await pool.query(
    `insert into core_mailing (html, custom_fromline, mails_per_second, query_status, targeting_version, targeting_version_saved, saved_count)
      values ('<p>Hello</p>', '"Chaos" <chaos@example.org>', $2, 'saved', 1, 1, $1) returning id`,
    [recipients, rate],
  );
  const id: number = rows[0].id;
  await pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'Hello')`, [id]);
  await pool.query(
    'insert into send_ledger (mailing_id, position, user_id) select $1, row_number() over (order by id), id from core_user',
    [id],
  );
  return id;
}

/** What has been checked need not be kept: hundreds of rounds are to cost what the first one does. */
async function forget(pool: pg.Pool, mailingId: number): Promise<void> {
  await pool.query('delete from send_ledger where mailing_id = $1', [mailingId]);
  await pool.query('delete from send_shard where mailing_id = $1', [mailingId]);
}

async function until(what: string, come: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(10)) if (await come()) return;
  throw new Error(`${what} did not come about within ${seconds} s`);
}

async function ended(pool: pg.Pool, mailingId: number): Promise<string> {
  let status = '';
  await until('the end', async () => {
    try {
      status = (await pool.query('select status from core_mailing where id = $1', [mailingId])).rows[0].status;
    } catch {
      // The server is the victim just now.
    }
    return ['completed', 'died', 'stopped', 'draft'].includes(status);
  });
  return status;
}
