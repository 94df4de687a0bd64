import { checkContent } from '../../core/mailings/check-content.ts';
import { beginRecurring, endRecurring } from '../../core/mailings/transitions.ts';
import { InputError, PermissionError } from '../../domain/errors.ts';
import { checkRecurrence, type Recurrence } from '../../domain/recurrence.ts';
import { RecurringSchedule } from '../../entities/mailings/recurring-schedule.ts';
import { recurringSchedule, workflowId } from '../../workflows/contracts.ts';
import { type Change, resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { can } from '../route-options.ts';

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
    minute: { help: 'Of the hour.' },
    hour: { help: 'Of the day; not for hourly.' },
    weekday: { help: 'From 0, Sunday; for weekly.' },
    day: { help: 'Of the month, 28 at most; for monthly.' },
    timezone: { help: 'Name of the time zone hour and day are meant in.' },
    active: { help: 'Without it the mailing is a draft and nothing goes out.' },
  },
  filtering: { id: SINCE, mailing: EXACT, period: EXACT, active: EXACT, created_at: TIMES, updated_at: TIMES },
  ordering: ['created_at', 'updated_at'],
  taken: { mailing: 'This mailing has a schedule already.' },
  hooks: {
    afterCreate: (change) => settle(change, null),
    beforeUpdate: async (change) => {
      change.extra['before'] = await readSchedule(change);
    },
    afterUpdate: (change) => settle(change, change.extra['before'] as Schedule),
    beforeDelete: async (change) => {
      const schedule = await readSchedule(change);
      if (schedule.active) await end(change, schedule.mailingId);
    },
  },
});

interface Schedule extends Recurrence {
  mailingId: number;
  active: boolean;
}

async function readSchedule({ sql, id }: Change): Promise<Schedule> {
  const [row] = await sql<Schedule>(
    `select mailing_id as "mailingId", active, period, minute, hour, weekday, day, timezone from core_recurringschedule where id = $1`,
    [id],
  );
  return row!;
}

/**
 * Brings the mailing and the workflow service in line. The service comes last: while it is away, nothing is changed. Where the commit fails after
 * the service took the change, the sweep brings it back to what the row says.
 */
async function settle(change: Change, before: Schedule | null): Promise<void> {
  const schedule = await readSchedule(change);
  if (before && before.mailingId !== schedule.mailingId) throw new InputError({ mailing: 'The mailing of a schedule cannot be changed.' });
  checkRecurrence(schedule);
  if (!schedule.active) {
    if (before?.active) await end(change, schedule.mailingId);
    return;
  }
  checkMaySend(change);
  await begin(change, schedule.mailingId);
  await change.context.workflows.ensureSchedule(recurringSchedule(schedule.mailingId, schedule));
}

/** Whoever makes mails go out, or ends that, needs what queue and stop need. */
function checkMaySend({ request }: Change): void {
  if (!can(request, 'mailer:send')) throw new PermissionError('mailer:send');
}

async function begin({ sql, request }: Change, mailingId: number): Promise<void> {
  const [mailing] = await sql<{ status: string; subjects: boolean; html: boolean; fromline: boolean }>(
    `select status, exists (select from core_mailingsubject where mailing_id = m.id) as subjects, btrim(html) <> '' as html,
       fromline_id is not null or custom_fromline <> '' as fromline from core_mailing m where id = $1 for update`,
    [mailingId],
  );
  if (!mailing || !['draft', 'recurring'].includes(mailing.status)) {
    throw new InputError({ mailing: `The mailing is ${mailing?.status}; only a draft can recur.` });
  }
  const missing = (['subjects', 'html', 'fromline'] as const).filter((part) => !mailing[part]);
  if (missing.length) throw new InputError({ mailing: `The mailing lacks ${missing.join(', ')}.` });
  await checkContent(sql, mailingId);
  await beginRecurring(sql, mailingId, request.account!.id);
}

async function end(change: Change, mailingId: number): Promise<void> {
  checkMaySend(change);
  await endRecurring(change.sql, mailingId);
  await change.context.workflows.removeSchedule(workflowId.runRecurring(mailingId));
}
