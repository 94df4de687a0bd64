import type { FastifyRequest } from 'fastify';
import { can } from '../../api/route-options.ts';
import type { RecurringCopy } from '../../core/mailings/recurring.ts';
import type { Recurrence } from '../../domain/recurrence.ts';
import type { MailingStatus, RecurrencePeriod } from '../../domain/words.ts';
import { line, type Problems, type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField } from '../layout.ts';
import { counted, time } from '../numbers.ts';
import { messagesIn } from '../plain-words.ts';
import { versionOf } from '../version.ts';
import { type Condition, missedPart, schedulePausedPart } from '../watch/condition.ts';
import { statusWord } from './status-words.ts';

/** When a mailing recurs, as its form has it: text. */
export type RecurringDraft = Record<keyof Recurrence, string>;

const RECURRING_FIELDS = ['period', 'minute', 'hour', 'weekday', 'day', 'timezone'] as const satisfies (keyof Recurrence)[];
const PERIODS: Record<RecurrencePeriod, string> = {
  hourly: 'Every hour',
  daily: 'Every day',
  weekly: 'Every week',
  monthly: 'Every month',
};
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export const recurringDraftOf = (sent: Sent): RecurringDraft =>
  Object.fromEntries(RECURRING_FIELDS.map((field) => [field, textOf(sent, field).trim()])) as RecurringDraft;

export const recurringDraftFrom = (schedule: Recurrence | null, timezone: string): RecurringDraft =>
  Object.fromEntries(
    Object.entries(schedule ?? { period: 'weekly', minute: 0, hour: 9, weekday: 1, day: 1, timezone }).map(([name, value]) => [
      name,
      String(value),
    ]),
  ) as RecurringDraft;

/** Another one whenever something the form shows has changed, or the recurrence was begun or ended. */
export const recurringVersion = (schedule: (Record<keyof Recurrence, unknown> & { active: boolean }) | null): string =>
  versionOf(schedule && [schedule.active, ...RECURRING_FIELDS.map((field) => String(schedule[field]))]);

const two = (value: number) => String(value).padStart(2, '0');

/** Every Monday at 09:00, by the clocks of America/New_York */
function recurrenceWords({ period, minute, hour, weekday, day, timezone }: Recurrence): string {
  if (period === 'hourly') return `every hour, ${counted(minute, 'minute', 'minutes')} past`;
  const days = { daily: 'every day', weekly: `every ${DAYS[weekday]}`, monthly: `on day ${day} of every month` }[period];
  return `${days} at ${two(hour)}:${two(minute)}, by the clocks of ${timezone}`;
}

export interface ShownRecurring {
  id: number;
  status: MailingStatus;
  condition: Condition;
  schedule: (Recurrence & { active: boolean }) | null;
  draft: RecurringDraft;
  problems: Problems;
  version: string;
  /** Nobody has said yet when it recurs. */
  fresh: boolean;
  /** Somebody else has saved since the form was made. */
  overtaken?: boolean;
  copies: readonly RecurringCopy[];
}

/** How a mailing goes out again and again: as it is, and the form that makes it so. */
export function recurringPart(request: FastifyRequest, token: string, shown: ShownRecurring): Html {
  const { id, status, condition, schedule, draft, problems, version, fresh, overtaken, copies } = shown;
  const recurs = status === 'recurring';
  const at = `/console/mailings/${id}`;
  const maySend = can(request, 'mailer:send');
  const now =
    recurs && schedule?.active
      ? html`<p class="big">Recurs <span>${recurrenceWords(schedule)}</span></p>${schedulePausedPart(condition)}${missedPart(condition)}${maySend ? html`<form method="post" action="${at}/stop" class="actions row">${csrfField(token)}<button class="danger">End the recurrence</button></form>` : ''}`
      : html`<p class="reading">Each time a copy of it is made and sent, to whoever its audience means then. Nobody is asked before.</p>`;
  const known = ['minute', 'hour', 'day', 'timezone'];
  const wrong = Object.entries(problems).filter(([field]) => !known.includes(field));
  const number = (name: 'hour' | 'minute' | 'day', label: string, hint: string) =>
    line({ name, label, type: 'number', value: draft[name], hint }, problems);
  const options = (all: [string, string][], chosen: string) =>
    all.map(([value, word]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${word}</option>`);
  const form = html`<form method="post" action="${at}/recurring" class="write"${fresh ? html` data-fresh` : ''}>${csrfField(token)}<input type="hidden" name="version" value="${version}">
${overtaken ? overtakenPart(at) : ''}${wrong.length ? html`<div class="note bad" role="alert">${messagesIn({ fields: Object.fromEntries(wrong) }).map((each) => html`<p>${each}</p>`)}</div>` : ''}
<div class="field"><label for="period">How often</label><select id="period" name="period">${options(Object.entries(PERIODS), draft.period)}</select></div>
<div class="field"><label for="weekday">On the day</label><select id="weekday" name="weekday" aria-describedby="weekday-hint">${options(
    DAYS.map((word, day) => [String(day), word]),
    draft.weekday,
  )}</select><p class="small" id="weekday-hint">Where it is every week.</p></div>
${number('day', 'On the day of the month', '1 to 28, where it is every month.')}${number('hour', 'Hour', '0 to 23; not where it is every hour.')}${number('minute', 'Minute', '0 to 59.')}
${line({ name: 'timezone', label: 'By the clocks of', value: draft.timezone, hint: 'A time zone, such as America/New_York.' }, problems)}
<p class="actions row"><button class="${recurs ? 'plain' : 'main'}">${recurs ? 'Change when it recurs' : 'Let it recur'}</button></p></form>`;
  return html`<section class="card" aria-labelledby="recurring-title"><h2 id="recurring-title">Again and again</h2>${now}${
    maySend ? form : html`<p class="small">Your account may not send.</p>`
  }${copiesPart(copies)}</section>`;
}

const overtakenPart = (at: string): Html =>
  html`<div class="note warn" role="alert"><p>Somebody else has changed when this mailing recurs since you opened it. What you see below is yours:
save once more to put it in the place of theirs, or <a href="${at}/schedule/">see theirs</a>.</p></div>`;

function copiesPart(copies: readonly RecurringCopy[]): Html {
  if (copies.length === 0) return html``;
  return html`<h3>What went out last</h3><ul class="plain">${copies.map(
    ({ id, status, created_at }) =>
      html`<li><a href="/console/mailings/${id}/">No. ${id}</a> <small>${time(created_at)} · ${statusWord(status)}</small></li>`,
  )}</ul>`;
}
