import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { rateOf, WITHOUT_RATE } from '../../api/mailer/speed.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { recurringCopies, scheduleOf } from '../../core/mailings/recurring.ts';
import { sqlOn } from '../../db/sql.ts';
import { localTime } from '../../domain/local-time.ts';
import { mayChange, QUEUEABLE } from '../../domain/mailing-status.ts';
import { line, type Problems } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { perSecond } from '../numbers.ts';
import { messagesIn } from '../plain-words.ts';
import { versionOf } from '../version.ts';
import { conditionSoon } from '../watch/glance.ts';
import { readWatch } from '../watch/read-watch.ts';
import { type MailingDocument, mailingHead, readMailing } from './mailing-document.ts';
import { type RecurringDraft, recurringDraftFrom, recurringPart, recurringVersion } from './recurring-part.ts';

/** When a mailing goes out once, as the form has it. */
export interface WantedTime {
  /** `YYYY-MM-DDTHH:MM` in the zone; empty is at once. */
  at: string;
  zone: string;
  rate: string;
  anew: boolean;
}

/** What was sent and is shown again, each with what is wrong with it. */
interface Shown {
  wanted?: WantedTime;
  problems?: Problems;
  overtaken?: boolean;
  /** That of the form that was sent, where what it is about was not looked at. */
  version?: string;
  recurring?: { draft: RecurringDraft; problems: Problems; overtaken?: boolean; version?: string };
}

const COPIES = 10;
const DONE: Record<string, string> = { recurring: 'It recurs from now on.' };

/** Another one whenever something the form of sending once shows has changed: it says something else of a mailing that is scheduled. */
export const timeVersion = ({ scheduled_for, rebuild_query_at_send, mails_per_second, status }: MailingDocument): string =>
  versionOf([scheduled_for, rebuild_query_at_send, mails_per_second, status === 'scheduled']);

/** Whether the form leads on to sending. */
export const goesOn = (request: FastifyRequest, { status }: Pick<MailingDocument, 'status'>): boolean =>
  QUEUEABLE.includes(status) && can(request, 'mailer:send');

/** Of one that recurs its schedule is waited for: this is the page that says when it does. */
const howItStands: typeof conditionSoon = async (context, id, known) =>
  known.status === 'recurring' ? (await readWatch(context, id)).condition : conditionSoon(context, id, known);

/** Sends the page: sending once, and again and again. */
export async function showSchedule(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { wanted, problems = {}, overtaken = false, version, recurring }: Shown = {},
): Promise<FastifyReply> {
  const id = idOf(request);
  const sql = sqlOn(context.pool);
  const [mailing, schedule, copies] = await Promise.all([
    readMailing(context, id, howItStands),
    scheduleOf(sql, id),
    recurringCopies(sql, id, COPIES),
  ]);
  const token = formToken(request, reply);
  const { SENDING_TIMEZONE: zone } = context.env;
  const { status } = mailing;
  const stored = (): WantedTime => ({
    at: mailing.scheduled_for === null ? '' : localTime(mailing.scheduled_for, zone),
    zone,
    rate: String(mailing.mails_per_second ?? ''),
    anew: mailing.rebuild_query_at_send,
  });
  const once =
    mayChange(status, 'schedule') || wanted
      ? oncePart(context, request, token, mailing, {
          wanted: wanted ?? stored(),
          problems,
          overtaken,
          version: version ?? timeVersion(mailing),
        })
      : '';
  const shown = {
    id,
    status,
    condition: mailing.condition,
    schedule,
    copies,
    problems: {},
    draft: recurringDraftFrom(schedule, zone),
    version: recurringVersion(schedule),
    fresh: schedule === null && !recurring,
    ...recurring,
  };
  const again = status === 'draft' || status === 'recurring' || copies.length || recurring ? recurringPart(request, token, shown) : '';
  const done = DONE[String((request.query as Record<string, unknown>)['done'])];
  const content = html`${mailingHead(mailing, null)}${done && status === 'recurring' ? html`<p class="note good" role="status">${done}</p>` : ''}<div class="narrow">${once}${again}${
    once || again ? '' : html`<p class="none">Nothing of its time can be changed now.</p>`
  }</div>`;
  return sendPage(request, reply, context.env, { title: `Time and speed – mailing ${id}`, content });
}

function oncePart(
  { env }: ApiContext,
  request: FastifyRequest,
  token: string,
  mailing: MailingDocument,
  { wanted, problems, overtaken, version }: Required<Omit<Shown, 'recurring'>>,
): Html {
  const { id } = mailing;
  const most = rateOf({ ...mailing, mails_per_second: null }, env);
  const stays = mailing.status === 'scheduled' && !can(request, 'mailer:send');
  const about = stays ? 'It is scheduled: only who may send moves it to another time.' : 'Empty: at once, when it is sent.';
  const wrong = Object.entries(problems).filter(([field]) => !['scheduled_for', 'zone', 'mails_per_second'].includes(field));
  return html`<section class="card" aria-labelledby="when-title"><h2 id="when-title">Time and speed</h2>
${wrong.length ? html`<div class="note bad" role="alert">${messagesIn({ fields: Object.fromEntries(wrong) }).map((each) => html`<p>${each}</p>`)}</div>` : ''}
${overtaken ? html`<div class="note warn" role="alert"><p>Somebody else has changed the time or speed of this mailing since you opened it. What you see is yours: save once more to put it in the place of theirs, or <a href="/console/mailings/${id}/schedule/">see theirs</a>.</p></div>` : ''}
<form method="post" action="/console/mailings/${id}/schedule/" class="write">${csrfField(token)}<input type="hidden" name="version" value="${version}">
${line({ name: 'at', field: 'scheduled_for', label: 'Goes out at', type: 'datetime-local', value: wanted.at, hint: about }, problems)}
${line({ name: 'zone', label: 'Time zone', value: wanted.zone, hint: 'Such as America/New_York or Europe/Berlin.' }, problems)}
${line({ name: 'rate', field: 'mails_per_second', label: 'Mails per second', value: wanted.rate, hint: `Empty: ${most === null ? WITHOUT_RATE : perSecond(most)}.` }, problems)}
<label><input type="checkbox" name="anew" value="1"${wanted.anew ? html` checked` : ''}> Build the audience anew right before sending</label>
<p class="actions row"><button class="main">${goesOn(request, mailing) ? 'Save, and go on to sending' : 'Save'}</button> <a class="button plain" href="/console/mailings/${id}/">Cancel</a></p></form></section>`;
}
