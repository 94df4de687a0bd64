import { defineEntity, p } from '@mikro-orm/core';
import type { Targeting } from '../../domain/targeting/fields.ts';
import { MAILING_STATUSES, QUERY_STATUSES, SORT_ORDERS } from '../../domain/words.ts';
import { AuthUser } from '../accounts/auth-user.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { Page } from '../pages/page.ts';
import { Language } from '../people/language.ts';
import { User } from '../people/user.ts';
import { Mergefile } from './mergefile.ts';
import { EmailWrapper, FromLine, MailingTestGroup } from './parts.ts';
import { Tag } from './tag.ts';

const emptyObject = `'{}'::jsonb`;
const emptyList = `'[]'::jsonb`;

/** A mailing: its content, whom it is for, and where it stands. Who got it is in the send ledger (entities/sending). */
export const Mailing = defineEntity({
  name: 'Mailing',
  tableName: 'core_mailing',
  properties: {
    id: id(),
    notes: text(),
    html: text(),
    text: text(),
    fromLine: () => p.manyToOne(FromLine).nullable().deleteRule('set null').fieldName('fromline_id'),
    customFromline: text(),
    replyTo: text(),
    emailwrapper: () => p.manyToOne(EmailWrapper).nullable().deleteRule('set null').fieldName('emailwrapper_id'),
    lang: () => p.manyToOne(Language).nullable().deleteRule('set null'),
    landingPage: () => p.manyToOne(Page).nullable().deleteRule('set null'),
    mergefile: () => p.manyToOne(Mergefile).nullable().deleteRule('set null'),
    webViewable: flag(),
    trackOpens: flag(true),
    trackClicks: flag(true),
    testGroup: () => p.manyToOne(MailingTestGroup).nullable().deleteRule('set null').index(),
    hidden: flag(),
    fields: p.json<{ name: string; value: string }[]>().defaultRaw(emptyList),
    tags: () => p.manyToMany(Tag).pivotTable('core_mailing_tags'),

    /** What includes and excludes hold: ids and plain values, never names (names are put in on output). */
    includes: p.json<Targeting>().defaultRaw(emptyObject),
    excludes: p.json<Targeting>().defaultRaw(emptyObject),
    limit: p.integer().nullable(),
    sortBy: p.enum(SORT_ORDERS).nullable(),
    mailsPerSecond: p.double().nullable(),
    targetGroupFromLandingPage: flag(),
    targetMergefile: flag(),
    rebuildQueryAtSend: flag(),
    targetingVersion: p.integer().default(1),
    targetingVersionSaved: p.integer().nullable(),

    queryStatus: status(QUERY_STATUSES, 'none'),
    queryQueuedAt: p.datetime(6).nullable(),
    queryStartedAt: p.datetime(6).nullable(),
    queryCompletedAt: p.datetime(6).nullable(),
    /** Seconds. */
    queryPreviousRuntime: p.double().nullable(),
    /** How many users the saved set holds, after `limit`. */
    savedCount: p.integer().nullable(),

    reviewers: () => p.manyToMany(User).pivotTable('core_mailing_reviewers'),
    proofUsers: p.json<number[]>().defaultRaw(emptyList),
    requestedProofs: p.integer().default(0),
    submitter: () => p.manyToOne(AuthUser).nullable().deleteRule('set null'),

    status: status(MAILING_STATUSES, 'draft'),
    /** Why the mailing died or could not be sent; null when nothing is wrong. */
    errors: p.json<string[]>().nullable(),
    /** Written before the signal, so that a stop is not lost while the workflow service is away; cleared by queue. */
    stopRequested: flag(),
    scheduledFor: p.datetime(6).nullable(),
    scheduledBy: () => p.manyToOne(AuthUser).nullable().deleteRule('set null'),
    queuedAt: p.datetime(6).nullable(),
    queuedBy: () => p.manyToOne(AuthUser).nullable().deleteRule('set null'),
    startedAt: p.datetime(6).nullable(),
    finishedAt: p.datetime(6).nullable(),
    expectedSendCount: p.integer().nullable(),
    recurringSourceMailing: () => p.manyToOne(Mailing).nullable().deleteRule('set null'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_mailing_status_index', properties: ['status', 'id'] },
    { name: 'core_mailing_created_at_index', properties: ['createdAt', 'id'] },
    {
      // What went out of a recurring one, the last first: most mailings are copies of none.
      name: 'core_mailing_recurring_source_index',
      expression:
        'create index core_mailing_recurring_source_index on core_mailing (recurring_source_mailing_id, id) where recurring_source_mailing_id is not null',
    },
  ],
});

/** One subject of a mailing, in the order given; recipient number n gets subject n modulo their count. */
export const MailingSubject = defineEntity({
  name: 'MailingSubject',
  tableName: 'core_mailingsubject',
  properties: {
    id: id(),
    mailing: () => p.manyToOne(Mailing).deleteRule('cascade').index(),
    position: p.integer(),
    text: text(),
    previewText: text(),
  },
});

/** One run of the target query: the document a rebuild's poll address shows. */
export const RebuildJob = defineEntity({
  name: 'RebuildJob',
  tableName: 'core_mailingrebuild',
  properties: {
    id: id(),
    mailing: () => p.manyToOne(Mailing).deleteRule('cascade'),
    targetingVersion: p.integer(),
    /** Who asked for it; null where nobody did, right before sending. */
    account: () => p.manyToOne(AuthUser).nullable().deleteRule('set null'),
    /** Made by a send for itself: nobody asked for it, and nobody else has a part in it. */
    atSend: flag(),
    /** Was asked for; what became of that is `wasFast`. */
    fast: flag(),
    wasFast: p.boolean().nullable(),
    /** How often it was begun: only the last try may end it. */
    tries: p.integer().default(0),
    finished: flag(),
    success: flag(),
    results: p.integer().nullable(),
    errors: p.json<string[]>().defaultRaw(emptyList),
    createdAt: createdAt(),
    startedAt: p.datetime(6).nullable(),
    finishedAt: p.datetime(6).nullable(),
  },
  indexes: [
    {
      // At most one unfinished build of a mailing that was asked for: a second request joins it, whatever process asks. And one of its send.
      name: 'core_mailingrebuild_running_key',
      expression: 'create unique index core_mailingrebuild_running_key on core_mailingrebuild (mailing_id, at_send) where not finished',
    },
  ],
});

/** One request for proofs. Addresses stand here and nowhere else: workflows are given the id. */
export const ProofJob = defineEntity({
  name: 'ProofJob',
  tableName: 'core_mailingproof',
  properties: {
    id: id(),
    mailing: () => p.manyToOne(Mailing).deleteRule('cascade').index(),
    reviewers: p.json<string[]>(),
    proofs: p.integer(),
    proofUsers: p.json<number[]>().defaultRaw(emptyList),
    pretendDate: p.date().nullable(),
    /** For made-up people: whoever asked may not read users. */
    madeUp: flag(),
    /** Whoever asked may not read users, or it went to somebody who may not: its reviewers are nobody's default. */
    membersHidden: flag(),
    /** Why none is sent just now; empty while they are sent and when they are over. */
    waitsFor: text(),
    /** Who asked for them. */
    account: () => p.manyToOne(AuthUser).nullable().deleteRule('set null'),
    /** How often it was begun: only the last try may send. */
    tries: p.integer().default(0),
    finished: flag(),
    success: flag(),
    sent: p.integer().default(0),
    errors: p.json<string[]>().defaultRaw(emptyList),
    createdAt: createdAt(),
    startedAt: p.datetime(6).nullable(),
    finishedAt: p.datetime(6).nullable(),
  },
  indexes: [
    {
      name: 'core_mailingproof_running_index',
      expression: 'create index core_mailingproof_running_index on core_mailingproof (id) where not finished',
    },
  ],
});
