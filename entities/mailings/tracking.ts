import { defineEntity, p } from '@mikro-orm/core';
import { createdAt } from '../columns.ts';
import { User } from '../people/user.ts';
import { Mailing } from './mailing.ts';

const bigId = () => p.bigint('number').primary().autoincrement();

/** Link number `number` of a mailing, as frozen when sending began. */
export const MailingLink = defineEntity({
  name: 'MailingLink',
  tableName: 'core_mailinglink',
  properties: {
    mailing: () => p.manyToOne(Mailing).primary().deleteRule('cascade'),
    number: p.integer().primary(),
    url: p.text(),
  },
});

/** One showing of a mail's pixel. `machine`: by a program, as far as can be told. */
export const Open = defineEntity({
  name: 'Open',
  tableName: 'core_open',
  properties: {
    id: bigId(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    mailing: () => p.manyToOne(Mailing).deleteRule('cascade'),
    machine: p.boolean().default(false),
    createdAt: createdAt(),
  },
  // What is asked of a mailing, charts and reports both, is asked by time.
  indexes: [{ name: 'core_open_mailing_id_created_at_index', properties: ['mailing', 'createdAt'] }],
});

/** One following of a link. */
export const Click = defineEntity({
  name: 'Click',
  tableName: 'core_click',
  properties: {
    id: bigId(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    mailing: () => p.manyToOne(Mailing).deleteRule('cascade'),
    linkNumber: p.integer(),
    machine: p.boolean().default(false),
    createdAt: createdAt(),
  },
  // What is asked of a mailing, charts and reports both, is asked by time.
  indexes: [{ name: 'core_click_mailing_id_created_at_index', properties: ['mailing', 'createdAt'] }],
});

/** What one recipient did with one mailing, counted as it comes, so that "how many people" never needs a count over all events. */
export const TrackedRecipient = defineEntity({
  name: 'TrackedRecipient',
  tableName: 'core_trackedrecipient',
  properties: {
    mailing: () => p.manyToOne(Mailing).primary().deleteRule('cascade'),
    user: () => p.manyToOne(User).primary().deleteRule('cascade').index(),
    opens: p.integer().default(0),
    rawOpens: p.integer().default(0),
    clicks: p.integer().default(0),
    rawClicks: p.integer().default(0),
  },
});

/** Opens and clicks of a mailing by subject (`place`: its number from 0), kept by the statement that records them. */
export const TrackedTotal = defineEntity({
  name: 'TrackedTotal',
  tableName: 'core_trackedtotal',
  properties: {
    mailing: () => p.manyToOne(Mailing).primary().deleteRule('cascade'),
    place: p.integer().primary(),
    opens: p.integer().default(0),
    rawOpens: p.integer().default(0),
    totalOpens: p.integer().default(0),
    totalRawOpens: p.integer().default(0),
    clicks: p.integer().default(0),
    rawClicks: p.integer().default(0),
    totalClicks: p.integer().default(0),
    totalRawClicks: p.integer().default(0),
  },
});

/**
 * The same over time, without programs, by moments (core/mailings/timeline.ts): `opens` and `clicks` are people, each when they first did. The sums are those of
 * `TrackedTotal`, whatever becomes of people and of single events; charts read it.
 */
export const TrackedTimeline = defineEntity({
  name: 'TrackedTimeline',
  tableName: 'core_trackedtimeline',
  properties: {
    mailing: () => p.manyToOne(Mailing).primary().deleteRule('cascade'),
    at: p.datetime(0).primary(),
    place: p.integer().primary(),
    opens: p.integer().default(0),
    totalOpens: p.integer().default(0),
    clicks: p.integer().default(0),
    totalClicks: p.integer().default(0),
  },
});
