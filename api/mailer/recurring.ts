import { holdForSchedule, type MailingSchedule, makeRecurring, readSchedule } from '../../core/mailings/recurring.ts';
import { endRecurring } from '../../core/mailings/transitions.ts';
import { InputError, PermissionError } from '../../domain/errors.ts';
import { isTimezone } from '../../domain/recurrence.ts';
import { RecurringSchedule } from '../../entities/mailings/recurring-schedule.ts';
import { recurringSchedule, workflowId } from '../../workflows/contracts.ts';
import { type Change, resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { can } from '../route-options.ts';

const within =
  (least: number, most: number, words = `${least} to ${most}`) =>
  (value: number) =>
    value < least || value > most ? `must be from ${words}` : undefined;

/** When mailings go out again and again. An active schedule and the status `recurring` of its mailing go together. */
export const recurringschedule = resource({
  name: 'recurringschedule',
  about: 'when a mailing goes out again and again: each time a copy of it is sent',
  area: 'Mailer',
  permission: 'mailer',
  entity: RecurringSchedule,
  fields: {
    mailing: { to: 'mailer', required: true, help: 'A draft with subjects, HTML and a from line. It stays that of the schedule.' },
    period: { help: 'How often.' },
    minute: { check: within(0, 59), help: 'Of the hour.' },
    hour: { check: within(0, 23), help: 'Of the day; not for hourly.' },
    weekday: { check: within(0, 6, '0 (Sunday) to 6'), help: 'From 0, Sunday; for weekly.' },
    day: { check: within(1, 28), help: 'Of the month, 28 at most; for monthly.' },
    timezone: {
      check: (name: string) => (isTimezone(name) ? undefined : 'must be the name of a time zone, such as America/New_York'),
      help: 'Name of the time zone hour and day are meant in.',
    },
    active: { help: 'Without it the mailing is a draft and nothing goes out.' },
  },
  filtering: { id: SINCE, mailing: EXACT, period: EXACT, active: EXACT, created_at: TIMES, updated_at: TIMES },
  ordering: ['created_at', 'updated_at'],
  taken: { mailing: 'This mailing has a schedule already.' },
  hooks: {
    beforeCreate: ({ sql, values, request }) => holdForSchedule(sql, values['mailing'] as number, request.account!.id),
    afterCreate: (change) => settle(change, null),
    beforeUpdate: async (change) => {
      change.extra['before'] = await readSchedule(change.sql, change.id);
    },
    afterUpdate: (change) => settle(change, change.extra['before'] as MailingSchedule),
    beforeDelete: async (change) => {
      const schedule = await readSchedule(change.sql, change.id);
      if (schedule.active) await end(change, schedule.mailingId);
    },
  },
});

/**
 * Brings the mailing and the workflow service in line. The service comes last: while it is away, nothing is changed. Where the commit fails after
 * the service took the change, the sweep brings it back to what the row says.
 */
async function settle(change: Change, before: MailingSchedule | null): Promise<void> {
  const schedule = await readSchedule(change.sql, change.id);
  if (before && before.mailingId !== schedule.mailingId) throw new InputError({ mailing: 'The mailing of a schedule cannot be changed.' });
  if (!schedule.active) {
    if (before?.active) await end(change, schedule.mailingId);
    return;
  }
  checkMaySend(change);
  await makeRecurring(change.sql, schedule.mailingId, change.request.account!.id, change.context.env);
  await change.context.workflows.ensureSchedule(recurringSchedule(schedule.mailingId, schedule));
}

/** Whoever makes mails go out, or ends that, needs what queue and stop need. */
function checkMaySend({ request }: Change): void {
  if (!can(request, 'mailer:send')) throw new PermissionError('mailer:send');
}

async function end(change: Change, mailingId: number): Promise<void> {
  checkMaySend(change);
  await endRecurring(change.sql, mailingId);
  await change.context.workflows.removeSchedule(workflowId.runRecurring(mailingId));
}
