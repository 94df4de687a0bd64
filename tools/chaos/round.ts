import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../demo/client.ts';
import { ChaosApi } from './api.ts';
import { checkMailing, type Verdict } from './check.ts';
import type { Expected } from './expected.ts';
import { FAULTS } from './faults.ts';
import { forgetMailing, orderMailing } from './order.ts';
import { addPeople, type Person } from './people.ts';
import { random } from './random.ts';
import type { MailingRecord } from './relay-record.ts';
import type { Fault, Scene } from './scene.ts';
import { type Stage, WORKERS } from './stage.ts';
import { STRAINED_MS, Strain } from './strain.ts';

/** A round and what came of it. */
export interface Round extends Verdict {
  fault: string;
  /** With it the same round can be had again, as far as machines allow. */
  seed: number;
  seconds: number;
  /** How long the machine let its parts wait (strain.ts). */
  strainMs: number;
  /** The mailing came to its end, so that another round may be played beside what is left of it. */
  ended: boolean;
}

const NOTHING = { targeted: 0, accepted: 0, failed: 0, skipped: 0, uncertain: 0, wrongs: [] };

/** One send with one fault at a random moment of it, and the independent check of what it left. A round that does not end is wrong, too. */
export async function playRound(stage: Stage, fault: string, seed: number): Promise<Round> {
  const began = performance.now();
  const round = new Play(stage, FAULTS[fault]!, seed);
  const verdict = await round.play();
  return {
    fault,
    seed,
    ...verdict,
    seconds: Math.round(performance.now() - began) / 1000,
    strainMs: round.strainMs,
    ended: round.ended,
  };
}

interface Sent {
  expected: Expected;
  record: MailingRecord;
}

class Play {
  readonly #stage: Stage;
  readonly #fault: Fault;
  readonly #seed: number;
  readonly #chance: () => number;
  readonly #api: ChaosApi;
  readonly #client: ApiClient;
  readonly #sent: Sent[] = [];
  readonly #wrongs: string[] = [];
  #extras: Person[] = [];
  ended = false;
  strainMs = 0;
  #strain: Strain | undefined;

  constructor(stage: Stage, fault: Fault, seed: number) {
    this.#stage = stage;
    this.#fault = fault;
    this.#seed = seed;
    this.#chance = random(seed);
    this.#api = new ChaosApi(stage.place.baseUrl);
    this.#client = new ApiClient(stage.place.baseUrl, 'admin', 'admin-password');
  }

  async play(): Promise<Verdict> {
    const { pool, record } = this.#stage;
    const over = new AbortController();
    const verdicts: Verdict[] = [];
    record.refused.clear();
    this.#strain = new Strain(this.#stage, over.signal);
    try {
      await this.#addExtras();
      const main = await this.#order({ rebuildAtSend: this.#fault.rebuildAtSend ?? false, shuffled: this.#extras.length > 0 });
      const { mailingId } = main.expected;
      const status = await this.#sendThroughIt(main, over.signal);
      if (status !== 'completed') this.#wrongs.push(`the mailing is ${status}: ${(await this.#api.progress(mailingId))['errors']}`);
      for (const sent of this.#sent) verdicts.push(await this.#check(sent));
      over.abort();
      for (const { expected } of this.#sent) await forgetMailing(pool, expected);
      await this.#removeExtras();
      this.ended = true;
    } catch (error) {
      this.#wrongs.push((error as Error).message);
    }
    over.abort();
    for (const { expected } of this.#sent) record.close(expected.token);
    if (record.strange.length) this.#wrongs.push(`unasked: ${record.strange.length} (${record.strange.splice(0)[0]} …)`);
    const sum = (name: 'targeted' | 'accepted' | 'failed' | 'skipped' | 'uncertain') =>
      verdicts.reduce((all, verdict) => all + verdict[name], 0);
    return {
      ...NOTHING,
      targeted: sum('targeted') || this.#stage.recipients,
      accepted: sum('accepted'),
      failed: sum('failed'),
      skipped: sum('skipped'),
      uncertain: sum('uncertain'),
      wrongs: [...this.#wrongs, ...verdicts.flatMap(({ wrongs }) => wrongs), ...this.#api.wrongs],
    };
  }

  get #rate(): number {
    const { rate, recipients } = this.#stage;
    return this.#fault.lasts ? Math.min(rate, Math.ceil(recipients / this.#fault.lasts)) : rate;
  }

  async #order(how: { rebuildAtSend?: boolean; shuffled?: boolean }): Promise<Sent> {
    const { people, record } = this.#stage;
    const rate = this.#rate;
    const token = `round${Date.now()}${this.#sent.length}`;
    const watched = record.open(token);
    const expected = await orderMailing(this.#client, { token, rate, people: [...people.members, ...this.#extras], ...how });
    const sent = { expected, record: watched };
    this.#sent.push(sent);
    return sent;
  }

  #check({ expected, record }: Sent): Promise<Verdict> {
    const { pool, place, connections, record: relay } = this.#stage;
    const { uncertain, forwardTurns = 0 } = this.#fault;
    const window = 2 * connections;
    const asked = 'mails' in uncertain ? uncertain.mails : uncertain.windows * window;
    this.strainMs = this.#strain!.longestMs;
    const onTheWires = WORKERS.length * window;
    const most = this.strainMs > STRAINED_MS ? Math.max(asked, onTheWires) : asked;
    const inOrder = this.#extras.length === 0;
    const evidence = { pool, api: this.#api, place, expected, record, refused: relay.refused };
    return checkMailing({ ...evidence, most, onTheWires, forwardTurns, inOrder });
  }

  async #sendThroughIt({ expected, record }: Sent, over: AbortSignal): Promise<string> {
    const { stage, chance, api } = { stage: this.#stage, chance: this.#chance, api: this.#api };
    const { mailingId } = expected;
    const carried = new Map(WORKERS.map((worker) => [worker, stage.wires[`${worker}-relay`].carried()]));
    const sending = () => WORKERS.filter((worker) => stage.wires[`${worker}-relay`].carried() > carried.get(worker)!);
    const scene = (active: readonly (typeof WORKERS)[number][]): Scene => {
      const worker = active[Math.floor(chance() * active.length)]!;
      return {
        stage,
        mailingId,
        mails: record,
        between: (from, to) => from + chance() * (to - from),
        worker,
        workers: chance() < 0.5 ? [worker] : [...active],
        extras: this.#extras,
        client: this.#client,
        wrong: (what) => this.#wrongs.push(what),
        left: (person) => this.#left(expected, person),
        renamed: ({ email }, name) => expected.must.get(email)!.names.push(name),
        mergedInto: (kept, merged) => {
          expected.must.get(kept.email)!.merged = merged.email;
          this.#left(expected, merged);
        },
        stopMailing: () => api.stop(mailingId),
        hasStopped: () => api.hasStopped(mailingId),
        queueMailing: () => api.queue(mailingId),
        sendAnother: () => this.#sendAnother(),
      };
    };
    stage.sink.setChunking(this.#fault.chunking ?? chance() < 0.5);
    // Idle ones, of an earlier round: they go by what was offered then.
    stage.sink.dropConnections();
    if (this.#fault.atQueue) {
      void api.watch(mailingId, over);
      await this.#fault.strike(scene(WORKERS));
    } else {
      await api.queue(mailingId);
      void api.watch(mailingId, over);
      await until('the first mail', stage.patience, () => record.size > 0);
      await sleep(chance() * (this.#fault.until ?? 0.7) * (stage.recipients / this.#rate) * 1000);
      await this.#fault.strike(scene(sending()));
    }
    return this.#ended(expected);
  }

  /** Sends one more to the same people, to its end. */
  async #sendAnother(): Promise<void> {
    const { expected } = await this.#order({});
    await this.#api.queue(expected.mailingId);
    const status = await this.#ended(expected);
    if (status !== 'completed') this.#wrongs.push(`the other mailing is ${status}`);
  }

  async #ended({ mailingId }: Expected): Promise<string> {
    for (;;) {
      const status = await ended(this.#stage, mailingId);
      if (status !== 'stopped') return status;
      if (this.#api.stopsAsked === 0) this.#wrongs.push('it was stopped, and nobody asked for it');
      // A request that was given up and came through late has stopped it once more: whoever wants it sent says so.
      await this.#api.queue(mailingId);
    }
  }

  async #addExtras(): Promise<void> {
    const { extras = 0 } = this.#fault;
    if (extras === 0) return;
    const { pool } = this.#stage;
    this.#extras = await addPeople(pool, `extra.${this.#seed}.${Date.now()}`, extras);
    await pool.query('insert into core_subscription (user_id, list_id) select unnest($1::int[]), id from core_list', [
      this.#extras.map(({ id }) => id),
    ]);
  }

  async #removeExtras(): Promise<void> {
    await this.#stage.pool.query('delete from core_subscription where user_id = any($1)', [this.#extras.map(({ id }) => id)]);
  }

  #left({ must, left }: Expected, person: Person): void {
    const known = must.get(person.email)!;
    must.delete(person.email);
    left.set(person.email, { person: known, at: performance.now() });
  }
}

async function until(what: string, seconds: number, come: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(10)) if (await come()) return;
  throw new Error(`${what} did not come about within ${seconds} s`);
}

async function ended({ pool, patience }: Stage, mailingId: number): Promise<string> {
  let status = '';
  await until('the end', patience, async () => {
    try {
      status = (await pool.query('select status from core_mailing where id = $1', [mailingId])).rows[0].status;
    } catch {
      // The server is the victim just now.
    }
    return ['completed', 'died', 'stopped', 'draft'].includes(status);
  });
  return status;
}
