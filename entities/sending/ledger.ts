import { defineEntity, p } from '@mikro-orm/core';
import { Mailing } from '../mailings/mailing.ts';

// The tables of a send. Their hot statements are in core/sending/; what they promise is in docs/sending-guarantees.md, and how they hang together in docs/architecture.md.

/**
 * Whom a mailing is still to go to, in blocks of at most a thousand: who stands at index n is at position `first` + n - 1. Nobody has an index of their own; the least
 * and the greatest id of a block narrow the search for one. 0 is an empty place, a number below 0 somebody who is counted and named no more.
 */
export const SendSet = defineEntity({
  name: 'SendSet',
  tableName: 'send_set',
  properties: {
    mailing: p.integer().primary().fieldName('mailing_id'),
    first: p.integer().primary(),
    leastUser: p.integer(),
    mostUser: p.integer(),
    userIds: p.array(Number).columnType('int[]'),
  },
  indexes: [{ name: 'send_set_users', properties: ['leastUser', 'mostUser'] }],
});

/**
 * What one commit says of a shard that is not finished: who was accepted, and whatever else became of whom. Of several lines about one position the last one counts;
 * where there is none, the shard's `claimedTo` tells whether the mail may be on the wire. Gone when the shard is finished.
 */
export const SendLog = defineEntity({
  name: 'SendLog',
  tableName: 'send_log',
  properties: {
    mailing: p.integer().primary().fieldName('mailing_id'),
    shard: p.integer().primary(),
    seq: p.integer().primary(),
    at: p.datetime(3).defaultRaw('now()'),
    /** Written by somebody else than the shard's holder, who has to look at the shard again. */
    edit: p.boolean().default(false),
    accepted: p.array(Number).columnType('int[]').nullable(),
    /** The same index in `states` (LEDGER_STATE in domain/words.ts) and `details` is of the same recipient. */
    positions: p.array(Number).columnType('int[]').nullable(),
    states: p.array(Number).columnType('smallint[]').nullable(),
    details: p.array().columnType('text[]').nullable(),
  },
});

/** A mail the relay accepted, of a shard that is finished: written once, four numbers. */
export const SendAccepted = defineEntity({
  name: 'SendAccepted',
  tableName: 'send_accepted',
  properties: {
    user: p.integer().primary().fieldName('user_id'),
    mailing: p.integer().primary().fieldName('mailing_id'),
    position: p.integer(),
    /** Seconds since 2020; 31 bits last until 2088. */
    sentSecond: p.integer(),
  },
  // Written shard by shard, so that neighbours lie together: a few bytes per range of pages find them.
  indexes: [
    {
      name: 'send_accepted_place',
      properties: ['mailing', 'position'],
      expression:
        'create index "send_accepted_place" on "send_accepted" using brin ("mailing_id", "position") with (pages_per_range = 32, autosummarize = on)',
    },
  ],
});

/**
 * The people of `send_accepted` once more, 64 a number, so that many mailings' can be told from everybody: a bit of `members` is the user `words` × 64 + its place. Triggers write it
 * with the record. The bit of one who was deleted or merged may stay: no other user gets that id.
 */
export const SendReached = defineEntity({
  name: 'SendReached',
  tableName: 'send_reached',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    mailing: p.integer().fieldName('mailing_id').index(),
    words: p.array(Number).columnType('int[]'),
    members: p.array().columnType('bigint[]'),
  },
});

/** A recipient of a finished shard of whom there is more to say: failed, skipped, uncertain, or accepted by an operator's word. */
export const SendException = defineEntity({
  name: 'SendException',
  tableName: 'send_exception',
  properties: {
    mailing: p.integer().primary().fieldName('mailing_id'),
    position: p.integer().primary(),
    user: p.integer().fieldName('user_id'),
    shard: p.integer(),
    state: p.smallint().check('((state >= 2) AND (state <= 5))'),
    changedAt: p.datetime(3),
    /** Why: the relay's reply or our reason. */
    detail: p.text().nullable(),
  },
  uniques: [{ name: 'send_exception_user_mailing_key', properties: ['user', 'mailing'] }],
  indexes: [{ name: 'send_exception_state', properties: ['mailing', 'state', 'position'] }],
});

/** One sending of a mailing: the content frozen when it started and the token bucket all workers share. */
export const SendRun = defineEntity({
  name: 'SendRun',
  tableName: 'send_run',
  properties: {
    mailing: () => p.oneToOne(Mailing).primary().deleteRule('cascade').owner(),
    content: p.json<unknown>(),
    /** Mails per second over all workers together; null is as fast as they can. */
    rate: p.double().nullable(),
    startedAt: p.datetime(6).defaultRaw('now()'),
    /** Mails of the mailing that had been accepted when this run began. */
    acceptedBefore: p.integer().default(0),
    /** Nothing more is begun in it. */
    ended: p.boolean().default(false),
    /** A worker missed commits of its own in it. */
    lostCommits: p.boolean().default(false),
  },
  indexes: [
    {
      name: 'send_run_shows_reports_index',
      expression: `create index send_run_shows_reports_index on send_run (mailing_id) where content #> '{content,reports}' <> '{}'`,
    },
  ],
});

/** What a mailing sent before it was stopped, changed and went on: mails on the web are made of it for whom they went to. */
export const SendEarlierRun = defineEntity({
  name: 'SendEarlierRun',
  tableName: 'send_earlier_run',
  properties: {
    mailing: () => p.manyToOne(Mailing).primary().deleteRule('cascade'),
    /** When the mailing went on with something else. */
    endedAt: p.datetime(6).primary(),
    content: p.json<unknown>(),
  },
  indexes: [
    {
      name: 'send_earlier_run_shows_reports_index',
      expression: `create index send_earlier_run_shows_reports_index on send_earlier_run (mailing_id) where content #> '{content,reports}' <> '{}'`,
    },
  ],
});

/**
 * A range of positions of a mailing, worked on by one worker at a time. Each group commit updates this row under its fence, so that
 * counters are true at any moment and a worker that was given up cannot write.
 */
export const SendShard = defineEntity({
  name: 'SendShard',
  tableName: 'send_shard',
  properties: {
    mailing: p.integer().primary().fieldName('mailing_id'),
    shard: p.integer().primary(),
    fromPosition: p.integer(),
    toPosition: p.integer(),
    /** Nobody above this position has been claimed. */
    claimedTo: p.integer(),
    /** 1 at first; each further pass tries again those whom the relay put off. */
    pass: p.integer().default(1),
    notBefore: p.datetime(6).nullable(),
    fence: p.bigint('number').default(0),
    /** Counts what was committed of it. */
    seq: p.integer().default(0),
    heldUntil: p.datetime(6).nullable(),
    finished: p.boolean().default(false),
    accepted: p.integer().default(0),
    failed: p.integer().default(0),
    skipped: p.integer().default(0),
    uncertain: p.integer().default(0),
    /** Put off by the relay in this pass. */
    deferred: p.integer().default(0),
    /** Since then some wait for their domain's rate; shards without come first, and the one left longest ago comes next. */
    throttledAt: p.datetime(6).nullable(),
    /** Whoever was put off in a commit after this has had a turn in this pass. */
    passSeq: p.integer().default(0),
  },
  indexes: [
    // For what the sweep asks four times a minute. By nothing a commit of the ledger changes, lest each of them writes here.
    { name: 'send_shard_open_index', expression: 'create index send_shard_open_index on send_shard (mailing_id) where not finished' },
  ],
});

/**
 * How far a rate is used up, over all workers: of a mailing, a relay, a recipient domain, a system beside ours. The row of the latest slot counts; function `draw_from_rate`
 * alone reads and writes here.
 */
export const SendPace = defineEntity({
  name: 'SendPace',
  tableName: 'send_pace',
  properties: {
    /** `mailing 7`, `relay host:port`, `domain example.org`, `domain *.example`, `crm`, `partner`. */
    key: p.text().primary(),
    /** Quarters of a second since the epoch. */
    slot: p.bigint('number').primary(),
    /** Seconds since the epoch. */
    paidUntil: p.double().default(0),
  },
});
