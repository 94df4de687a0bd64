import type { FastifyInstance, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { changeMailing } from '../../api/mailer/write-routes.ts';
import { idOf } from '../../api/resource/routes.ts';
import { Writer } from '../../api/resource/write.ts';
import { can } from '../../api/route-options.ts';
import { rateErrors } from '../../core/mailings/input/fields.ts';
import { keptFromRecurring, scheduleOf } from '../../core/mailings/recurring.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, PermissionError } from '../../domain/errors.ts';
import { localTime, NoSuchTimeError, utcTime } from '../../domain/local-time.ts';
import { mayChange } from '../../domain/mailing-status.ts';
import { isTimezone } from '../../domain/recurrence.ts';
import { type Sent, textOf } from '../fields.ts';
import { OvertakenError } from '../version.ts';
import { conditionInRow } from '../watch/glance.ts';
import { readMailing } from './mailing-document.ts';
import { type RecurringDraft, recurringDraftOf, recurringVersion } from './recurring-part.ts';
import { goesOn, showSchedule, timeVersion, type WantedTime } from './schedule-form.ts';

/**
 * `…/{id}/schedule/`: when a mailing goes out, how fast, and whether its audience is built anew then; sending is asked for on a page of its own. And how it goes
 * out again and again, as a recurringschedule of the API says it.
 */
export function registerSchedulePage(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);
  const schedules = new Writer(context.registry.get('recurringschedule'), context);

  app.get('/console/mailings/:id/schedule/', page('mailer:write'), (request, reply) => showSchedule(context, request, reply));

  app.post('/console/mailings/:id/schedule/', page('mailer:write'), async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const wanted: WantedTime = {
      at: textOf(sent, 'at').trim(),
      zone: textOf(sent, 'zone').trim(),
      rate: textOf(sent, 'rate').trim(),
      anew: sent['anew'] === '1',
    };
    try {
      const mailing = await readMailing(context, id, conditionInRow);
      if (!mayChange(mailing.status, 'schedule')) throw new InputError({ status: 'Its time and speed cannot be changed any more.' });
      const at = momentOf(wanted, mailing.scheduled_for);
      // Told, the run would begin this moment, without a question asked and without a while to take it back.
      if (mailing.status === 'scheduled' && at !== mailing.scheduled_for && !(at !== null && Date.parse(`${at}Z`) > Date.now()))
        throw new InputError({ scheduled_for: 'It is scheduled: give a time to come. To send it at once, take it back, then send it.' });
      const body = {
        scheduled_for: at,
        rebuild_query_at_send: wanted.anew,
        // The rate is a part of the targeting: what stays as it is does not ask for a new audience.
        ...(wanted.rate !== String(mailing.mails_per_second ?? '') && { mails_per_second: wanted.rate || null }),
      };
      await changeMailing(context, request, id, body, async () => {
        const now = await readMailing(context, id, conditionInRow);
        // Sent a second time, or by two presses: what is stored is what was sent.
        const same =
          now.scheduled_for === at &&
          now.rebuild_query_at_send === wanted.anew &&
          Number(now.mails_per_second ?? 0) === Number(wanted.rate);
        if (textOf(sent, 'version') !== timeVersion(now) && !same) throw new OvertakenError();
      });
      return reply.redirect(`/console/mailings/${id}/${goesOn(request, mailing) ? 'confirm/queue' : ''}`, 303);
    } catch (error) {
      // Two people at it: whoever saves second is told.
      if (error instanceof OvertakenError) return showSchedule(context, request, reply.code(409), { wanted, overtaken: true });
      if (!(error instanceof InputError)) throw error;
      // The time is looked at first: what is wrong with the rate is said, too.
      const problems = { ...(wanted.rate && rateErrors(wanted.rate)), ...error.fields };
      return showSchedule(context, request, reply.code(400), { wanted, problems, version: textOf(sent, 'version') });
    }
  });

  app.post('/console/mailings/:id/recurring', page('mailer:write'), async (request, reply) => {
    const { id } = await readMailing(context, idOf(request), conditionInRow);
    if (!can(request, 'mailer:send')) throw new PermissionError('mailer:send');
    const sent = request.body as Sent;
    const draft = recurringDraftOf(sent);
    const first = async () => {
      const stored = recurringVersion(await scheduleOf(sql, id));
      // Sent a second time, or by two presses: what is stored is what was sent.
      if (![textOf(sent, 'version'), recurringVersion({ ...draft, active: true })].includes(stored)) throw new OvertakenError();
    };
    try {
      await saveRecurring(request, id, draft, first);
    } catch (error) {
      // Two people at it: whoever saves second is told.
      if (error instanceof OvertakenError)
        return showSchedule(context, request, reply.code(409), { recurring: { draft, problems: {}, overtaken: true } });
      if (!(error instanceof InputError)) throw error;
      // What was sent is still about what its form showed.
      const problems = { ...(await keptFromRecurring(sql, id, context.env)), ...error.fields };
      const recurring = { draft, problems, version: textOf(sent, 'version') };
      return showSchedule(context, request, reply.code(400), { recurring });
    }
    return reply.redirect(`/console/mailings/${id}/schedule/?done=recurring`, 303);
  });

  /** @param first looks whether the schedule is still what the form was about @throws what `first` throws; OvertakenError, InputError */
  async function saveRecurring(request: FastifyRequest, id: number, draft: RecurringDraft, first: () => Promise<void>): Promise<void> {
    const known = await scheduleOf(sql, id);
    if (!known) await first();
    try {
      if (known) await schedules.update(known.id, request, { body: { ...draft, active: true }, first });
      else await schedules.create(request, { ...draft, mailing: id });
    } catch (error) {
      const now = await scheduleOf(sql, id);
      if (now?.id === known?.id) throw error;
      // Made, or taken away, by somebody else while this was under way.
      if (known) throw new OvertakenError();
      await first();
    }
  }

  /** @param stored what is stored: the form shows minutes, and an hour that clocks show twice but once @throws InputError */
  function momentOf({ at, zone }: WantedTime, stored: string | null): string | null {
    if (at === '') return null;
    if (!isTimezone(zone)) throw new InputError({ zone: 'There is no time zone of that name.' });
    if (stored !== null && at === localTime(stored, zone)) return stored;
    try {
      return utcTime(at, zone);
    } catch (error) {
      throw error instanceof NoSuchTimeError ? new InputError({ scheduled_for: `The time ${error.message}.` }) : error;
    }
  }
}
