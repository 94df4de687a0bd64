import type { Env } from '../../config/env.ts';
import type { Pool, PoolClient } from '../../db/driver.ts';
import { WITHOUT_LIMITS } from '../../db/no-limits.ts';
import type { Sql } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { domainOf } from '../../mail/address.ts';
import { compileMailing } from '../../mail/compile.ts';
import { type MailingContent, reportKey } from '../../mail/contracts.ts';
import type { WrittenNotice } from '../mailings/notices/tell-submitter.ts';
import { tellReviewers } from '../mailings/notices/written.ts';
import { markSending, noteReasons, type QueuedAt, TIMING, WAITING } from '../mailings/transitions.ts';
import { signingKeyIds } from '../senders/stored-keys.ts';
import { type FrozenRun, readContent } from './content.ts';
import { readRun, trackContent, writeRun } from './freeze.ts';
import { mailSettings } from './mail-settings.ts';
import { whyNotSigned } from './relay-chain.ts';
import { MAILING_SAYS_WHY, NO_VALUES, type ReportValues, readReportValues } from './report-values.ts';

interface Deps {
  pool: Pool;
  env: Env;
}

/** What came of beginning a send. */
export interface Begun {
  pending: number;
  /** Mails of it accepted before, over all its runs; absent in older histories. */
  accepted?: number;
  /** Everybody it is for, over all its runs; absent in older histories. */
  targeted?: number;
  /** Mails per second; null is as fast as the relay takes them. */
  rate: number | null;
  /** Why it cannot be sent; empty when it can. */
  reasons: string[];
  /** It was taken back and queued once more, or its time or whether to rebuild was changed, since it was opened: nothing was begun. */
  queuedAgain?: boolean;
  /** It was asked to stop before it had begun: nothing was. */
  stopRequested?: boolean;
  /** To be started by whoever asked: what they tell of is committed. */
  notices: WrittenNotice[];
}

/** Somebody has moved the mailing on: it neither waits nor is being sent. */
export class NotWaitingError extends Error {}

/** Beside the mailing's id: who begins a mailing holds this lock, so that two never do at once. */
const BEGINNING = 7_236_902;
/** So often a send is begun without its row being held. */
const TRIES_UNHELD = 3;
/** At a rate a shard lasts about so long: what a worker that dies holds up is a part of it, and lanes have shards of their own. */
const SHARD_SECONDS = 15;
const SMALLEST_SHARD = 20;

/**
 * Freezes content and rate, cuts the saved set into shards and marks the mailing `sending`: one transaction. A mailing that is sending already
 * (its workflow goes on in a new run) keeps what was frozen.
 * @param opened of openSend
 * @throws NotWaitingError
 */
export async function beginSending(deps: Deps, mailingId: number, opened: Opened): Promise<Begun> {
  const { rows } = await deps.pool.query('select status from core_mailing where id = $1', [mailingId]);
  // One that is under way has the values of its reports already.
  const read = rows[0]?.status === 'sending' ? async () => NO_VALUES : readReportValues;
  for (let tries = 0; ; tries++) {
    const hold = tries >= TRIES_UNHELD;
    // Outside the transaction, since reports take their time.
    let values = hold ? NO_VALUES : await read(deps, mailingId);
    const valuesIn = async (client: PoolClient) => {
      if (hold) values = await read({ ...deps, pool: client }, mailingId, true);
      return values;
    };
    const begun = await tryToBegin(deps, { mailingId, opened, valuesIn, hold });
    if (begun === null) continue;
    if (!begun.reasons.length || !values.errors.length) return begun;
    await inOneTransaction(deps.pool, async (sql) => noteReasons(sql, mailingId, await values.told(sql, begun.reasons), opened.queuedAt));
    return { ...begun, reasons: [MAILING_SAYS_WHY] };
  }
}

/** As what it was opened. Null, in runs that began with an earlier version, is anything. */
export interface Opened {
  queuedAt: QueuedAt;
  timing: string | null;
}

interface Attempt {
  mailingId: number;
  opened: Opened;
  valuesIn: (client: PoolClient) => Promise<ReportValues>;
  /** The row is held all the same, and so are people, because it has changed, or they have gone, again and again. */
  hold: boolean;
}

/** Rolls an attempt back that has begun nothing. */
class NotBegun extends Error {
  readonly begun: Begun | null;

  constructor(begun: Begun | null) {
    super('nothing was begun');
    this.begun = begun;
  }
}

const nothing = (more: Partial<Begun>): NotBegun => new NotBegun({ pending: 0, rate: null, reasons: [], notices: [], ...more });

/** @returns null when the mailing was changed meanwhile, or somebody went who may stand in what it shows, and nothing was begun */
async function tryToBegin(deps: Deps, attempt: Attempt): Promise<Begun | null> {
  try {
    return await inOneTransaction(deps.pool, (sql, client) => begin(deps, sql, client, attempt));
  } catch (error) {
    if (error instanceof NotBegun) return error.begun;
    throw error;
  }
}

/** Reads the whole ledger without holding the mailing's row, so that a stop is written and heard at once; at its end it looks whether the row is still the one it read. */
async function begin(deps: Deps, sql: Sql, client: PoolClient, { mailingId, opened, valuesIn, hold }: Attempt): Promise<Begun> {
  // No limit of the operator's ends what takes its time with millions: it would do so each time it is tried again.
  await sql(WITHOUT_LIMITS);
  await sql('select pg_advisory_xact_lock($1, $2)', [BEGINNING, mailingId]);
  const values = await valuesIn(client);
  const mailing = await readWaiting(sql, mailingId, opened, hold);
  // Being sent, too: the run of an earlier queueing was reset. As that it could not say how this one ended.
  if (mailing.queued_again) throw nothing({ queuedAgain: true });
  if (mailing.status === 'sending') return { ...(await readRun(client, mailingId)), notices: [] };
  // Its build said that it has ended, and has not: whoever completed it by hand. It is built then.
  if (mailing.timed_anew || mailing.being_built) throw nothing({ queuedAgain: true });
  if (mailing.stop_requested) throw nothing({ stopRequested: true });
  const rate = mailing.mails_per_second ?? deps.env.SEND_MAX_RATE ?? null;
  const run = await freeze(deps, client, mailing, { mailingId, values, rate });
  const notices = await tellReviewers(client, mailingId);
  const { pending, accepted, targeted } = await writeRun(client, mailingId, run, rate, shardSize(rate, deps.env.SEND_SHARD_SIZE));
  const { version } = await readWaiting(sql, mailingId, opened, true);
  // Who was erased since the reports were read would stand in what is kept of them.
  if (!(await values.stand(sql))) throw new NotBegun(null);
  if (version !== mailing.version || !(await markSending(sql, mailingId, targeted, opened.queuedAt))) throw new NotBegun(null);
  return { pending, accepted, targeted, rate, reasons: [], notices };
}

const shardSize = (rate: number | null, most: number): number =>
  rate === null ? most : Math.min(most, Math.max(SMALLEST_SHARD, Math.ceil(rate * SHARD_SECONDS)));

interface Freezing {
  mailingId: number;
  values: ReportValues;
  rate: number | null;
}

/** The content as it goes out. @throws NotBegun with the reasons why it cannot */
async function freeze(deps: Deps, client: PoolClient, mailing: WaitingMailing, { mailingId, values, rate }: Freezing): Promise<FrozenRun> {
  const refuse = (reasons: string[]) => {
    if (reasons.length) throw nothing({ rate, reasons });
  };
  // Queue has asked for a from line, and it may be gone since: nobody has agreed to the default.
  const stored = await readContent(client, mailingId, '');
  const content = values.put(stored.content);
  const reasons = [...whyNotSendable(content, deps.env), ...values.errors];
  // Changed while it was scheduled, say. It must go to those who were meant last, or to nobody.
  if (!mailing.set_is_current) reasons.push('the targeting was changed after the users were saved: rebuild, and queue again');
  refuse(reasons);
  const dkim = await signingKeyIds(client, domainOf(content.from));
  const unsignable = await whyNotSigned(deps, dkim);
  refuse(unsignable === null ? [] : [unsignable]);
  const tracked = await trackContent(client, { ...stored, content }, deps.env);
  // Tracked links are longer than those that were checked.
  refuse(whyNotCompilable(tracked, deps.env));
  return { ...stored, dkim, content: tracked };
}

interface WaitingMailing {
  status: MailingStatus;
  mails_per_second: number | null;
  set_is_current: boolean;
  queued_again: boolean;
  timed_anew: boolean;
  stop_requested: boolean;
  /** Its users are to be built before it is sent, and are not. */
  being_built: boolean;
  /** Another one whenever the row has been written. */
  version: string;
}

/** @throws NotWaitingError */
async function readWaiting(sql: Sql, mailingId: number, { queuedAt, timing }: Opened, hold: boolean): Promise<WaitingMailing> {
  const [row] = await sql<WaitingMailing>(
    `select status, mails_per_second, targeting_version_saved is not distinct from targeting_version as set_is_current, stop_requested,
       xmin::text as version, coalesce(queued_at <> $2::timestamptz, false) as queued_again, coalesce(${TIMING} <> $3, false) as timed_anew,
       status = 'rebuilding_at_send' and exists (select from core_mailingrebuild r where r.mailing_id = core_mailing.id and at_send and not finished) as being_built
       from core_mailing where id = $1 ${hold ? 'for update' : ''}`,
    [mailingId, queuedAt, timing],
  );
  if (row && [...WAITING, 'sending'].includes(row.status)) return row;
  throw new NotWaitingError('this mailing is no longer waiting to be sent');
}

function whyNotSendable(content: MailingContent, env: Env): string[] {
  const reasons: string[] = [];
  if (!env.SENDING_ENABLED) reasons.push('sending is switched off on this instance');
  if (!content.subjects.length) reasons.push('the mailing has no subject');
  if (!content.html && !content.text) reasons.push('the mailing has no content');
  if (!content.from) reasons.push('the mailing has no from line');
  return reasons.length ? reasons : whyNotCompilable(content, env);
}

function whyNotCompilable(content: MailingContent, env: Env): string[] {
  try {
    const { reports = [] } = compileMailing(content, mailSettings(env));
    // A report that came into a snippet a moment ago, after the reports were read.
    const unread = reports.filter(({ name, parameters }) => !content.reports?.[name]?.runs[reportKey(parameters)]);
    return unread.length ? [`the report ${unread[0]!.name} has not been read`] : [];
  } catch (error) {
    return [`the templates cannot be compiled: ${(error as Error).message}`];
  }
}
