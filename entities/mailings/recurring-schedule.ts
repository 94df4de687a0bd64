import { defineEntity, p } from '@mikro-orm/core';
import { RECURRENCE_PERIODS } from '../../domain/words.ts';
import { createdAt, flag, id, status, updatedAt } from '../columns.ts';
import { Mailing } from './mailing.ts';

/** When a mailing goes out again and again. At most one of a mailing. */
export const RecurringSchedule = defineEntity({
  name: 'RecurringSchedule',
  tableName: 'core_recurringschedule',
  properties: {
    id: id(),
    mailing: () => p.manyToOne(Mailing).deleteRule('cascade').unique(),
    period: status(RECURRENCE_PERIODS, 'daily'),
    minute: p.integer().default(0),
    hour: p.integer().default(0),
    weekday: p.integer().default(0),
    day: p.integer().default(1),
    timezone: p.text().default('UTC'),
    active: flag(true),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** Which copy went out at which time: a run that is tried again finds the copy it made, another one for the same time that there is one. */
export const RecurringCopy = defineEntity({
  name: 'RecurringCopy',
  tableName: 'core_recurringcopy',
  properties: {
    /** The mailing, and the day and time by its clocks; of what is due every hour, and where no schedule started it, the run. */
    occasion: p.text().primary(),
    /** Id of the workflow. */
    run: p.text(),
    mailing: () => p.manyToOne(Mailing).deleteRule('cascade').index(),
    createdAt: createdAt(),
  },
});
