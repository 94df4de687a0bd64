import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { SmtpSink } from '../../embedded/smtp-sink.ts';
import { addPeople } from '../chaos/people.ts';
import { random } from '../chaos/random.ts';
import { Visitor } from './console.ts';
import type { Deadlocks } from './deadlocks.ts';
import { Erasures } from './erased.ts';
import type { Logs } from './log-lines.ts';
import { type Known, Objects, typeIn } from './objects.ts';
import { type ApiDocument, type Operation, operationsOf } from './operations.ts';
import { otherWays } from './other-ways.ts';
import type { Outside } from './outside.ts';
import { wrongRuns } from './runs.ts';
import { basic, type Call, type Send } from './send.ts';
import { mailEverybody, notOver, wrongMails } from './sent.ts';
import { wrongSums } from './sums.ts';

export interface AtOnceOptions extends Known {
  /** To a platform that nobody has used yet. */
  send: Send;
  pool: pg.Pool;
  seconds: number;
  seed: number;
  /** Operations whose path it matches come twenty times as often. */
  focus?: RegExp | undefined;
  /** Looked at after every batch. */
  deadlocks?: Deadlocks;
  logs?: Logs;
  /** What a worker tells of what happens. */
  outside?: Outside;
  temporal?: Client;
  /** Somebody who may everything, and visits the console meanwhile. */
  login?: { username: string; password: string };
  /** Where the mails of a worker go: people are erased and mailed, too. Absent when there is no worker. */
  sink?: SmtpSink | null;
  /** Told of everything wrong when it is found. */
  onWrong?(wrong: Wrong): void;
  /** No batch is begun after it is aborted. */
  stop?: AbortSignal;
}

export interface Wrong {
  what: string;
  /** The batch after which it was so. */
  calls: readonly Call[];
}

export interface AtOnceResult {
  seed: number;
  batches: number;
  calls: number;
  wrong: Wrong[];
  /** Operations that were refused whenever they were called, with the last refusal. */
  neverTaken: Record<string, string>;
  /** Who was erased, and mails that were taken: that it was tried at all. */
  erased: number;
  mails: number;
  /** Requests to systems outside. */
  told: number;
  /** What the logs warned of, and the database refused, and how often. */
  said: Record<string, number>;
}

const WIDTH = 8;
/** After so many batches it looks which objects there are. */
const LOOK = 8;
/** After so many, somebody is erased, and everybody is mailed. */
const ERASE = 6;
const MAIL = 25;
/** They come back only when somebody does something by their address. */
const TAKES_PEOPLE = /eraser|usermerge/;
/** Of everything that can be made, at first. */
const MADE = 3;
/** How long what was begun may take when no more is written. */
const END_SECONDS = 120;

/** So many of its calls are made by an account that others change meanwhile (other-ways.ts), where they have no headers of their own; or pages of the console. */
const ANOTHER = 0.06;
const AT_CONSOLE = 0.12;
const VISITORS = 2;

/** Writes to the same few objects in batches whose calls come at once, and looks after each whether everything is as it has to be. */
export async function writeAtOnce(options: AtOnceOptions): Promise<AtOnceResult> {
  const { send, pool, seconds, seed, focus, deadlocks, logs, outside, temporal, login, sink, stop } = options;
  const chance = random(seed);
  const document = JSON.parse((await send('GET', '/rest/v1/openapi.json')).body) as ApiDocument;
  const operations = [...operationsOf(document), ...otherWays()];
  const objects = new Objects(send, chance, operations, options);
  const erasures = new Erasures(objects, chance);
  const visitors = login ? Array.from({ length: VISITORS }, () => new Visitor(objects, chance, login)) : [];
  const result: AtOnceResult = { seed, batches: 0, calls: 0, wrong: [], neverTaken: {}, erased: 0, mails: 0, told: 0, said: {} };
  const taken = new Set<string>();
  const known = new Set<string>();

  const say = (what: string, calls: readonly Call[]) => {
    const wrong = { what, calls: [...calls] };
    result.wrong.push(wrong);
    options.onWrong?.(wrong);
  };
  /** What was so before is said once. */
  const sayOnce = (name: string, what: string, calls: readonly Call[]) => {
    if (!known.has(name)) say(what, calls);
    known.add(name);
  };
  const noting =
    (calls: Call[]): Send =>
    async (method, path, body, how) => {
      const begun = performance.now();
      const answer = await send(method, path, body, how);
      const { status } = answer;
      const ms = Math.round(performance.now() - begun);
      calls.push({ method, path, ...(body !== undefined && { body }), status, ms, ...(status >= 500 && { answer: answer.body }) });
      result.calls++;
      return answer;
    };
  /** Plays it, and looks at what has become of it. */
  const batch = async (play: (send: Send, calls: readonly Call[]) => Promise<unknown>) => {
    const calls: Call[] = [];
    await play(noting(calls), calls);
    result.batches++;
    for (const { method, path, status } of calls) if (status >= 500) say(`${method} ${path} was answered with ${status}`, calls);
    for (const text of [...(deadlocks?.fresh() ?? []), ...(logs?.fresh() ?? [])]) say(text, calls);
    for (const { name, rows, first } of await wrongSums(pool)) {
      sayOnce(name, `${name}: ${rows} ${rows === 1 ? 'is' : 'are'} not as the rows say, ${JSON.stringify(first)}`, calls);
    }
  };
  const one = async (operation: Operation, by: Send) => {
    const [method, path, sent, how] = objects.callOf(operation);
    const { status, body } = await by(method, path, sent, how ?? (chance() < ANOTHER ? asAnother() : undefined));
    const name = `${operation.method} ${operation.path}`;
    if (status < 400) taken.add(name);
    else if (!taken.has(name)) result.neverTaken[name] = `${status} ${body}`;
    if (taken.has(name)) delete result.neverTaken[name];
  };

  const asAnother = () => ({ headers: { authorization: basic('newsletter', 'a-long-password') } });
  const somebody = (by: Send) => (visitors.length && chance() < atConsole ? objects.pick(visitors).step(by) : one(objects.pick(bag), by));

  await send('POST', '/rest/v1/list/', { name: 'Everyone' });
  await erasures.makePages(send);
  await addPeople(pool, 'person', 30);
  await pool.query('insert into core_subscription (user_id, list_id) select u.id, l.id from core_user u, core_list l');
  const creates = operations.filter(({ method, path }) => method === 'POST' && !path.includes('{') && !TAKES_PEOPLE.test(path));
  for (let round = 0; round < MADE; round++) {
    for (let n = 0; n < creates.length; n += WIDTH)
      await batch((by) => Promise.all(creates.slice(n, n + WIDTH).map((operation) => one(operation, by))));
    await objects.look();
  }
  const often = ({ method, path }: Operation) =>
    (TAKES_PEOPLE.test(path) ? 1 : method === 'DELETE' ? 2 : method === 'POST' ? 5 : 4) * (focus?.test(path) ? 20 : 1);
  const bag = operations.flatMap((operation) => Array<Operation>(often(operation)).fill(operation));
  const atConsole = focus?.test('/console/') ? AT_CONSOLE * 6 : AT_CONSOLE;
  const mailAfter = focus?.test('/rest/v1/mailer/') ? MAIL / 5 : MAIL;
  const end = Date.now() + seconds * 1000;
  for (let n = 0; Date.now() < end && !stop?.aborted; n++) {
    if (n % LOOK === 0) {
      await objects.look();
      const gone = creates.filter(({ path }) => objects.isGone(typeIn(path)));
      await batch(async (by) => {
        for (const operation of gone) await one(operation, by);
      });
    }
    if (sink && n % ERASE === 0) await batch((by, calls) => erasures.eraseOne(by, calls));
    if (sink && n % mailAfter === 0) {
      await batch((by) => mailEverybody(by, chance));
      await objects.look();
    }
    await batch((by) => Promise.all(Array.from({ length: WIDTH }, () => somebody(by))));
  }
  if (sink) {
    outside?.calm();
    await batch(async () => {
      for (const what of await notOver(pool, END_SECONDS)) say(`${what} is not over after ${END_SECONDS} s`, []);
    });
    for (const { what, calls } of await erasures.left(pool)) say(what, calls);
    const ended = [await wrongMails(pool, sink), (await outside?.wrong(pool)) ?? [], temporal ? await wrongRuns(temporal) : []];
    for (const what of ended.flat()) say(what, []);
    result.erased = erasures.taken;
    result.mails = sink.counts().received;
    result.told = outside?.told ?? 0;
  }
  result.said = Object.fromEntries([...(logs?.warnings ?? []), ...(deadlocks?.refusals ?? [])]);
  return result;
}
