import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { asking } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { rateOf, WITHOUT_RATE } from '../../api/mailer/speed.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { readState } from '../../core/mailings/counts.ts';
import { lastQueued, queueMailing, readQueueFacts } from '../../core/mailings/queue-mailing.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, NotFoundError, RequestError } from '../../domain/errors.ts';
import { afterQueue, REBUILDABLE, UNDER_WAY } from '../../domain/mailing-status.ts';
import { audienceWords } from '../audience/audience.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, duration, leading, people, perSecond, time } from '../numbers.ts';
import { messagesIn } from '../plain-words.ts';
import { settled } from '../progress-bar.ts';
import { templated } from '../templated.ts';
import { conditionInRow } from '../watch/glance.ts';
import { type Content, draftVersion } from '../write/draft.ts';
import { adviceList, adviceOnStored } from './advice.ts';
import { mailingHead, readMailing } from './mailing-document.ts';

/** What cannot be taken back asks once more, with the number of people it is about. */
export function registerConfirmations(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/mailings/:id/confirm/queue', page('mailer:send'), (request, reply) => confirmQueue(context, request, reply));
  app.post('/console/mailings/:id/confirm/queue', page('mailer:send'), async (request, reply) => {
    const id = idOf(request);
    const { targeting_version: version, saved_count: saved, waiting, begins, content, ...sent } = request.body as Record<string, unknown>;
    const read = async () => (await readMailing(context, id, conditionInRow)) as Content & { queued_by: string | null };
    const agreed = {
      queuedAt: readMoment(sent['queued_at']),
      targetingVersion: readCount(version),
      savedCount: saved === '' ? null : readCount(saved),
      waiting: waiting === '' ? null : readCount(waiting),
      begins: readMoment(begins),
      saysTheSame: async () => draftVersion(await read()) === content,
    };
    try {
      await queueMailing({ ...asking(context, 'sendMailing'), env: context.env }, id, request.account!.id, { agreed });
    } catch (error) {
      // Pressed twice: it is on its way by the first, or has gone out, and whoever is told of the second alone would think that it has not.
      const now = error instanceof InputError ? await read() : null;
      const own = now?.queued_by === `/rest/v1/authuser/${request.account!.id}/` && [...UNDER_WAY, 'completed'].includes(now.status);
      if (!own || now.targeting_version !== agreed.targetingVersion || draftVersion(now) !== content) throw error;
    }
    const state = await readState(context.pool, id);
    return reply.redirect(`/console/mailings/${id}/?done=${state?.status === 'scheduled' ? 'scheduled' : 'queued'}`, 303);
  });
}

const notWhole = () => new RequestError({ form: 'The form is not whole: open it again.' });

/** A number that a hidden field of a form has. @throws RequestError */
export function readCount(value: unknown): number {
  if (typeof value !== 'string' || !/^\d{1,14}$/.test(value)) throw notWhole();
  return Number(value);
}

/** A moment in milliseconds; empty is none. */
const readMoment = (value: unknown): Date | null => (value === '' ? null : new Date(readCount(value)));

async function confirmQueue(context: ApiContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const id = idOf(request);
  const [mailing, facts, state] = await Promise.all([
    readMailing(context, id),
    readQueueFacts(sqlOn(context.pool), id, context.env),
    readState(context.pool, id),
  ]);
  if (!state) throw new NotFoundError();
  const resumed = state.started_at !== null;
  const advice = resumed ? [] : await adviceOnStored(context, id);
  const many = resumed ? Math.max(0, (state.expected_send_count ?? 0) - settled(state)) : (facts.savedCount ?? 0);
  const obstacles = obstaclesOf(() => afterQueue(facts, facts.now));
  const later = facts.scheduledFor !== null && facts.scheduledFor > facts.now;
  const rate = rateOf(mailing, context.env);
  const rows: [string, Html | string][] = [
    ['Subject', html`${mailing.subjects.map((each) => html`<p>${templated(each)}</p>`)}`],
    ['From', mailing.custom_fromline || mailing.fromline],
    ['Begins', later ? time(mailing.scheduled_for) : 'at once'],
    ['Speed', rate === null ? WITHOUT_RATE : `${perSecond(rate)}: ${duration(many / rate)} in all`],
    ['Audience', audienceWords(mailing)],
  ];
  const unbuilt =
    facts.targetingVersionSaved !== facts.targetingVersion || ['none', 'invalid', 'failed', 'cleared'].includes(facts.queryStatus);
  const buildsFirst = unbuilt && REBUILDABLE.includes(facts.status) && can(request, 'mailer:write');
  const anew = mailing.rebuild_query_at_send;
  const verb = resumed ? 'Send to the' : later ? 'Schedule for' : 'Send to';
  const button = `${verb} ${people(many)}${resumed ? ' left' : ''}`;
  const waiting = resumed ? ` of ${count(state.expected_send_count ?? 0)} still waiting` : '';
  const content = html`${mailingHead(mailing, null)}<div class="narrow">
<section class="card ask" aria-labelledby="ask"><h2 id="ask">${resumed ? 'Go on with this mailing?' : later ? 'Schedule this mailing?' : 'Send this mailing?'}</h2>
${leading(many, `person${waiting}`, `people${waiting}`)}
${anew ? html`<p class="note warn">The audience is built anew right before sending: the number may be another then.</p>` : ''}
${resumed && state.uncertain ? html`<p class="note warn">${people(state.uncertain)} uncertain: they are not mailed again unless you say so first.</p>` : ''}
<dl class="facts wide">${rows.map(([word, fact]) => html`<div><dt>${word}</dt><dd>${fact}</dd></div>`)}</dl>
${advice.length ? html`<div class="note warn"><p>Look at this first:</p>${adviceList(advice)}</div>` : ''}
${
  obstacles.length
    ? html`<div class="note bad" role="alert">${obstacles.map((each) => html`<p>${each}</p>`)}</div><div class="answer">${buildsFirst ? html`<form method="post" action="/console/mailings/${id}/rebuild">${csrfField(formToken(request, reply))}<button class="main">Build the audience</button></form>` : ''}<a class="button plain" href="/console/mailings/${id}/">Back</a></div>`
    : html`<form method="post" action="/console/mailings/${id}/confirm/queue" class="answer">${csrfField(formToken(request, reply))}<input type="hidden" name="targeting_version" value="${facts.targetingVersion}"><input type="hidden" name="saved_count" value="${facts.savedCount ?? ''}"><input type="hidden" name="waiting" value="${resumed ? many : ''}"><input type="hidden" name="begins" value="${later ? facts.scheduledFor!.getTime() : ''}"><input type="hidden" name="queued_at" value="${lastQueued(facts.before)?.getTime() ?? ''}"><input type="hidden" name="content" value="${draftVersion(mailing as Content)}">
<button class="main">${button}</button> <a class="button plain" href="/console/mailings/${id}/">Cancel</a></form>`
}</section></div>`;
  return sendPage(request, reply, context.env, { title: `Send mailing ${id}`, content });
}

/** What the rules say against it; nothing when it may be done. */
function obstaclesOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof InputError) return messagesIn(error);
    throw error;
  }
}
