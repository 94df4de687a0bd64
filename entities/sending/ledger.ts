import { defineEntity, p } from '@mikro-orm/core';
import { Mailing } from '../mailings/mailing.ts';

// The three tables of a send. Their hot statements are in core/sending/; what they promise is in docs/sending-guarantees.md.

/**
 * One recipient of one mailing, and what became of the mail: the saved target set (all `pending`) and the record of the send in one.
 * No index holds the state, so that a change of state rewrites one row in place (HOT) and touches no index.
 */
export const SendLedger = defineEntity({
  name: 'SendLedger',
  tableName: 'send_ledger',
  properties: {
    mailing: p.integer().primary().fieldName('mailing_id'),
    position: p.integer().primary(),
    user: p.integer().fieldName('user_id'),
    /** LEDGER_STATE in domain/words.ts. */
    state: p.smallint().default(0).check('((state >= 0) AND (state <= 5))'),
    changedAt: p.datetime(3).nullable(),
    /** Why failed, skipped or uncertain: the relay's reply or our reason. */
    detail: p.text().nullable(),
  },
  // Nobody stands twice in one mailing; and the mails of one user are found without a scan.
  uniques: [{ name: 'send_ledger_user_mailing_key', properties: ['user', 'mailing'] }],
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
    /** When its accepted rows were moved to the archive. */
    compactedAt: p.datetime(6).nullable(),
  },
});

/**
 * A range of positions of a mailing's ledger, worked on by one worker at a time. Each group commit updates this row under its fence, so that
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
    /** No row above this position has been claimed in this pass. */
    claimedTo: p.integer(),
    /** 1 at first; each further pass tries again those whom the relay put off. */
    pass: p.integer().default(1),
    notBefore: p.datetime(6).nullable(),
    fence: p.bigint('number').default(0),
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
    /** Whoever changed after this has had a turn in this pass. */
    passBegan: p.datetime(6).defaultRaw('now()'),
  },
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
