import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { rateOf, WITHOUT_RATE } from '../../api/mailer/speed.ts';
import { changeMailing } from '../../api/mailer/write-routes.ts';
import { idOf } from '../../api/resource/routes.ts';
import { localTime, utcTime } from '../../core/mailings/local-time.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { mayChange } from '../../domain/mailing-status.ts';
import { isTimezone } from '../../domain/recurrence.ts';
import { line, type Problems, type Sent, textOf } from '../fields.ts';
import { html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { perSecond } from '../numbers.ts';
import { mailingHead, readMailing } from './mailing-document.ts';

interface Wanted {
  /** `YYYY-MM-DDTHH:MM` in the zone; empty is at once. */
  at: string;
  zone: string;
  rate: string;
  anew: boolean;
}

/** `…/{id}/schedule/`: when a mailing goes out, how fast, and whether its audience is built anew then. Sending is asked for on a page of its own. */
export function registerSchedulePage(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);

  app.get('/console/mailings/:id/schedule/', page('mailer:write'), async (request, reply) => {
    const mailing = await readMailing(context, idOf(request));
    const zone = context.env.SENDING_TIMEZONE;
    const at = mailing.scheduled_for === null ? '' : await localTime(sql, mailing.scheduled_for, zone);
    return showForm(context, request, reply, {
      at,
      zone,
      rate: String(mailing.mails_per_second ?? ''),
      anew: mailing.rebuild_query_at_send,
    });
  });

  app.post('/console/mailings/:id/schedule/', page('mailer:write'), async (request, reply) => {
    const id = idOf(request);
    const sent = request.body as Sent;
    const wanted: Wanted = {
      at: textOf(sent, 'at').trim(),
      zone: textOf(sent, 'zone').trim(),
      rate: textOf(sent, 'rate').trim(),
      anew: sent['anew'] === '1',
    };
    try {
      const { status, mails_per_second: rate } = await readMailing(context, id);
      await changeMailing(context, request, id, {
        scheduled_for: await momentOf(wanted),
        rebuild_query_at_send: wanted.anew,
        // The rate is a part of the targeting: what stays as it is does not ask for a new audience.
        ...(wanted.rate !== String(rate ?? '') && { mails_per_second: wanted.rate || null }),
      });
      return reply.redirect(
        `/console/mailings/${id}/${mayChange(status, 'schedule') && status !== 'scheduled' ? 'confirm/queue' : ''}`,
        303,
      );
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return showForm(context, request, reply.code(400), wanted, error.fields);
    }
  });

  /** @throws InputError */
  async function momentOf({ at, zone }: Wanted): Promise<string | null> {
    if (at === '') return null;
    if (!isTimezone(zone)) throw new InputError({ zone: 'There is no time zone of that name.' });
    return utcTime(sql, at, zone).catch((error: Error) => {
      throw new InputError({ scheduled_for: `The time ${error.message}.` });
    });
  }
}

async function showForm(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: Wanted,
  problems: Problems = {},
): Promise<FastifyReply> {
  const id = idOf(request);
  const mailing = await readMailing(context, id);
  const most = rateOf({ ...mailing, mails_per_second: null }, context.env);
  const wrong = Object.entries(problems).filter(([field]) => !['scheduled_for', 'zone', 'mails_per_second'].includes(field));
  const content = html`${mailingHead(mailing, null)}<div class="narrow"><section class="card" aria-labelledby="when-title"><h2 id="when-title">Time and speed</h2>
${wrong.length ? html`<div class="note bad" role="alert">${wrong.flatMap(([, messages]) => messages.map((each) => html`<p>${each}</p>`))}</div>` : ''}
<form method="post" action="/console/mailings/${id}/schedule/" class="stack">${csrfField(formToken(request, reply))}
${line({ name: 'at', field: 'scheduled_for', label: 'Goes out at', type: 'datetime-local', value: wanted.at, hint: 'Empty: at once, when it is sent.' }, problems)}
${line({ name: 'zone', label: 'Time zone', value: wanted.zone, hint: 'Such as America/New_York or Europe/Berlin.' }, problems)}
${line({ name: 'rate', field: 'mails_per_second', label: 'Mails per second', value: wanted.rate, hint: `Empty: ${most === null ? WITHOUT_RATE : perSecond(most)}.` }, problems)}
<label><input type="checkbox" name="anew" value="1"${wanted.anew ? html` checked` : ''}> Build the audience anew right before sending</label>
<p class="actions row"><button class="main">${mailing.status === 'scheduled' ? 'Save' : 'Save, and go on to sending'}</button> <a class="button plain" href="/console/mailings/${id}/">Cancel</a></p></form></section></div>`;
  return sendPage(request, reply, context.env, { title: `Time and speed – mailing ${id}`, content });
}
