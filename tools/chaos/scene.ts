import { setTimeout as sleep } from 'node:timers/promises';
import { LEDGER_STATE } from '../../domain/words.ts';
import type { ApiClient } from '../demo/client.ts';
import type { Person } from './people.ts';
import type { MailingRecord } from './relay-record.ts';
import type { Part, Stage, WorkerName } from './stage.ts';

/** A round at the moment the fault strikes. */
export interface Scene {
  stage: Stage;
  mailingId: number;
  /** What the relay took of it up to now. */
  mails: MailingRecord;
  /** A number between two, as the seed has it. */
  between(from: number, to: number): number;
  /** A worker that sends in this round: the one to suffer. */
  worker: WorkerName;
  /** This one, or by chance all that send. */
  workers: WorkerName[];
  /** People of this round alone, with whom anything may be done. */
  extras: readonly Person[];
  client: ApiClient;
  /** Says that a promise was broken. */
  wrong(what: string): void;
  /** Somebody need not get the mailing any more, and soon must not. */
  left(person: Person): void;
  /** Somebody may be greeted by another name from now on, too. */
  renamed(person: Person, name: string): void;
  /** One of two people is left: a mail to either was theirs. */
  mergedInto(kept: Person, merged: Person): void;
  /** Asks the API for it, again and again until it has answered. */
  stopMailing(): Promise<void>;
  /** Waits for what was asked for. */
  hasStopped(): Promise<void>;
  queueMailing(): Promise<void>;
  /** Sends a second mailing to the same people, to its end. */
  sendAnother(): Promise<void>;
}

export interface Fault {
  strike(scene: Scene): Promise<void>;
  /** Uncertain recipients it may leave: so many, or so many windows of a worker (twice its connections). */
  uncertain: { mails: number } | { windows: number };
  /** It strikes while the mailing is queued, and queues it itself. */
  atQueue?: boolean;
  /** The set is built when the mailing is sent. */
  rebuildAtSend?: boolean;
  /** Whether the relay offers to take mails in chunks (BDAT); as chance has it when absent. */
  chunking?: boolean;
  /** So many more people, for this round alone. */
  extras?: number;
  /** Seconds the mailing lasts at least: it is sent more slowly. */
  lasts?: number;
  /** How often it turns the database's clock forward. */
  forwardTurns?: number;
  /** It strikes before this share of the mails; 0.7 when it is absent. */
  until?: number;
}

/** Seconds a mailing lasts that is to stop: a stop that goes unheard must be missed before the last mail. */
export const ASKED_LASTS = 10;

export const none = { mails: 0 };
export const windows = (many: number) => ({ windows: many });

export function signal({ stage }: Scene, part: Part, name: NodeJS.Signals): void {
  const pid = stage.pid(part);
  if (name === 'SIGSTOP') stage.paused.add(part);
  if (pid) process.kill(pid, name);
}

/** What happens to the API happens while it is asked to stop the mailing and to go on with it. */
export async function whileAsked(scene: Scene, begin: () => void, ms: number, end: () => void): Promise<void> {
  begin();
  const asked = scene.stopMailing();
  await sleep(ms);
  end();
  await asked;
  await stops(scene);
  await scene.queueMailing();
}

/** By then whoever heard of a stop has written its last mail: a turn comes at least every quarter of a second. */
const HEARD_MS = 3_000;

/** A stop that was answered holds, whoever the mailing still has to wait for. */
export async function stops({ mails, wrong, hasStopped }: Scene): Promise<void> {
  const answered = performance.now();
  await hasStopped();
  const late = [...mails].filter(([, taken]) => taken.some(({ at }) => at > answered + HEARD_MS));
  if (late.length) wrong(`mailed long after the stop was answered: ${late.length} (${late[0]![0]} …)`);
}

/** Wakes a worker that was given up while it stood still: of those who were called uncertain meanwhile, nobody may get a mail now. */
export async function wakeGivenUp(scene: Scene, worker: WorkerName): Promise<void> {
  const { stage, mailingId, mails } = scene;
  const { rows } = await stage.pool.query<{ email: string }>(
    `select u.email from send_record l join core_user u on u.id = l.user_id where l.mailing_id = $1 and l.state = ${LEDGER_STATE.uncertain}`,
    [mailingId],
  );
  const without = rows.filter(({ email }) => !mails.has(email));
  signal(scene, worker, 'SIGCONT');
  await sleep(1_500);
  const late = without.filter(({ email }) => mails.has(email));
  if (late.length) scene.wrong(`mailed by a worker that had been given up: ${late.length} (${late[0]!.email} …)`);
}
