import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { rateOf, WITHOUT_RATE } from '../../api/mailer/speed.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { frozenRate, savedCount } from '../../core/mailings/existing.ts';
import { mayChange, QUEUEABLE, REBUILDABLE, STOPPABLE, UNDER_WAY } from '../../domain/mailing-status.ts';
import { workflowId } from '../../workflows/contracts.ts';
import { audienceCount, audienceWords } from '../audience/audience.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, people, perSecond, time } from '../numbers.ts';
import { onceField } from '../pressed-once.ts';
import { percent, settled } from '../progress-bar.ts';
import { templated } from '../templated.ts';
import { conditionMark, conditionWords } from '../watch/condition.ts';
import { type Progress, progressPart, sentOf } from '../watch/progress-part.ts';
import { readWatch } from '../watch/read-watch.ts';
import { type MailingDocument, mailingHead, readMailing, titleOf } from './mailing-document.ts';

/** What was just done, said on top of the page it led to for as long as it is so. */
const DONE: Record<string, { words: string; holds(mailing: MailingDocument): boolean }> = {
  queued: {
    words: 'The mailing is queued: sending begins within a second or two.',
    holds: ({ status }) => status === 'queued' || status === 'rebuilding_at_send',
  },
  scheduled: { words: 'The mailing is scheduled.', holds: ({ status }) => status === 'scheduled' },
  stopping: {
    words: 'Stopping: what is on the wire is finished and recorded, nothing further begins.',
    holds: ({ status }) => UNDER_WAY.includes(status),
  },
  rebuilding: { words: 'The audience is being built.', holds: isBuilding },
  resend: { words: 'They are waiting again. Resume the mailing to send to them.', holds: ({ status }) => QUEUEABLE.includes(status) },
  accept: { words: 'They count as accepted now.', holds: () => true },
};

/** `/console/mailings/{id}/`: where a mailing stands, whom it is for, what it says, and what can be done with it. */
export function registerMailingPage(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/mailings/:id/', page('mailer:read'), async (request, reply) => {
    const id = idOf(request);
    const key = randomUUID();
    const { mailing, regions, done } = await readRegions(context, request, reply, { id, key });
    const run = mailing.status === 'sending' ? await frozenRate(context.pool, id) : null;
    const { rate } = run ?? { rate: rateOf(mailing, context.env) };
    const content = html`${mailingHead(mailing, '')}
<div data-region="done" role="status">${regions['done']}</div>
<div class="columns"><div>
<section class="card" aria-labelledby="progress-title"><h2 id="progress-title">Progress</h2><div data-region="progress">${regions['progress']}</div></section>
<section class="card" aria-labelledby="audience-title"><h2 id="audience-title">Audience</h2><div class="split"><div data-region="count">${regions['count']}</div><div>${audienceWords(mailing)}<p><a href="/console/mailings/${id}/audience/">How many each of these means</a></p></div></div></section>
<section class="card" aria-labelledby="content-title"><h2 id="content-title">Content</h2>${contentFacts(mailing, rate)}</section>
</div><aside aria-label="Actions and times"><div class="card" data-region="actions">${regions['actions']}</div>
<div class="card"><h2>Times</h2><div data-region="times">${regions['times']}</div></div>${runLink(context, mailing)}</aside></div>`;
    return sendPage(request, reply, context.env, {
      title: `${titleOf(mailing)} – mailing ${id}`,
      live: `/console/mailings/${id}/live?once=${key}${done ? `&done=${done}` : ''}`,
      content,
    });
  });

  app.get('/console/mailings/:id/live', page('mailer:read'), async (request, reply) => {
    const { once } = request.query as Record<string, unknown>;
    const page = { id: idOf(request), key: typeof once === 'string' ? once : '' };
    const { mailing, progress, regions } = await readRegions(context, request, reply, page);
    const busy = UNDER_WAY.includes(mailing.status) || isBuilding(mailing);
    const tenth = Math.floor(percent(sentOf(progress), progress.expected_send_count) / 10) * 10;
    const said = `${conditionWords(mailing.condition)}${mailing.started_at ? `, ${tenth} percent` : ''}`;
    return { busy, regions: Object.fromEntries(Object.entries(regions).map(([name, markup]) => [name, String(markup)])), said };
  });
}

function isBuilding({ query_status: status }: MailingDocument): boolean {
  return status === 'queued' || status === 'rebuilding';
}

/** The page of a mailing, and the key by which what is pressed on it twice is done once: it stays as the page does, while its parts change. */
interface Opened {
  id: number;
  key: string;
}

/** The parts of the page that change by themselves. */
async function readRegions(context: ApiContext, request: FastifyRequest, reply: FastifyReply, { id, key }: Opened) {
  const watch = readWatch(context, id);
  const [mailing, { progress, observed }, saved] = await Promise.all([
    // This page waits for its run anyway.
    readMailing(context, id, async () => (await watch).condition),
    watch,
    savedCount(context.pool, id),
  ]);
  const asked = String((request.query as Record<string, unknown>)['done']);
  const done = Object.hasOwn(DONE, asked) ? asked : null;
  const said = done === null ? null : DONE[done]!;
  const regions: Record<string, Html> = {
    done: said?.holds(mailing) ? html`<p class="note good">${said.words}</p>` : html``,
    status: conditionMark(mailing.condition),
    progress: progressPart(mailing, progress, observed),
    count: audienceCount(mailing, saved),
    actions: actionsPart(request, reply, key, mailing, progress),
    times: timesPart(mailing),
  };
  return { mailing, progress, regions, done };
}

function actionsPart(
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  { id, status, started_at, stopping, hidden }: MailingDocument,
  progress: Progress,
): Html {
  const at = `/console/mailings/${id}`;
  const post = (action: string, word: string, kind: string, more: Html | '' = '') =>
    html`<form method="post" action="${at}/${action}">${csrfField(formToken(request, reply))}${more}<button id="do-${action}" class="${kind}">${word}</button></form>`;
  const left = Math.max(0, progress.expected_send_count - settled(sentOf(progress)));
  const actions: Html[] = [];
  if (can(request, 'mailer:send')) {
    if (STOPPABLE.includes(status) && !stopping) {
      const word = status === 'sending' ? 'Stop now' : status === 'recurring' ? 'End the recurrence' : 'Take it back';
      actions.push(post('stop', word, 'danger'));
    }
    if (QUEUEABLE.includes(status)) {
      const word = started_at ? `Resume: ${count(left)} left …` : 'Send or schedule …';
      actions.push(html`<a class="button main" href="${at}/confirm/queue">${word}</a>`);
    }
  }
  if (can(request, 'mailer:write')) {
    if (REBUILDABLE.includes(status)) actions.push(post('rebuild', 'Build the audience', 'plain'));
    if (mayChange(status, 'schedule')) actions.push(html`<a class="button plain" href="${at}/schedule/">Time and speed …</a>`);
    if (status === 'recurring') actions.push(html`<a class="button plain" href="${at}/schedule/">How it recurs …</a>`);
    actions.push(post('copy', status === 'model' ? 'Write a mailing from it' : 'Make a copy', 'plain', onceField(key)));
    if (status === 'draft') actions.push(post('model', 'Make it a model', 'plain'));
    if (status === 'model') actions.push(post('unmodel', 'Make it a draft again', 'plain'));
    if (hidden) actions.push(post('unarchive', 'Take it out of the archive', 'plain'));
    else if (!STOPPABLE.includes(status)) actions.push(post('archive', 'Put it into the archive', 'plain'));
  }
  return html`<h2>Actions</h2>${status === 'completed' ? endPart(at, progress) : ''}${
    actions.length
      ? html`<div class="actions">${actions}</div>`
      : status === 'completed'
        ? ''
        : html`<p class="small">Nothing you can do here now.</p>`
  }`;
}

/** A mailing is not over before somebody has decided what becomes of those of whom nobody knows. */
function endPart(at: string, { uncertain }: Progress): Html {
  if (!uncertain) return html`<p class="small">It has been sent: nothing is left to do.</p>`;
  return html`<p class="note warn">It has been sent, but of ${people(uncertain)} nobody knows whether they got it. <a href="${at}/recipients/uncertain/">Settle it</a>.</p>`;
}

function timesPart({ created_at, scheduled_for, queued_at, started_at, finished_at }: MailingDocument): Html {
  const facts: [string, string | null][] = [
    ['Created', created_at],
    ['Scheduled for', scheduled_for],
    ['Queued', queued_at],
    ['Started', started_at],
    ['Ended', finished_at],
  ];
  return html`<dl class="facts">${facts.filter(([, at]) => at).map(([word, at]) => html`<div><dt>${word}</dt><dd>${time(at)}</dd></div>`)}</dl><p class="small" data-zone>All times are UTC.</p>`;
}

/** @param rate mails per second it goes at */
function contentFacts(mailing: MailingDocument, rate: number | null): Html {
  const { subjects, preview_text, fromline, custom_fromline, reply_to, tags, notes } = mailing;
  const facts: [string, Html | string][] = [
    [subjects.length > 1 ? `${subjects.length} subjects` : 'Subject', html`${subjects.map((each) => html`<p>${templated(each)}</p>`)}`],
    ['Preview text', html`${preview_text.map((each) => html`<p>${templated(each)}</p>`)}`],
    ['From', custom_fromline || fromline || 'none yet'],
    ['Reply to', reply_to],
    ['Speed', rate === null ? WITHOUT_RATE : perSecond(rate)],
    ['Tags', tags.join(', ')],
    ['Notes', notes],
  ];
  return html`<dl class="facts wide">${facts.filter(([, fact]) => String(fact)).map(([word, fact]) => html`<div><dt>${word}</dt><dd>${fact}</dd></div>`)}</dl>`;
}

/** Every run about this mailing in the Temporal UI: builds, proofs, the send. */
function runLink({ env }: ApiContext, { id, queued_at: queuedAt }: MailingDocument): Html | '' {
  if (!env.TEMPORAL_UI_URL) return '';
  const runs = `${env.TEMPORAL_UI_URL}/namespaces/${env.TEMPORAL_NAMESPACE}/workflows`;
  return html`<div class="card"><h2>Runs</h2>${queuedAt === null ? '' : html`<p><a href="${runs}/${workflowId.sendMailing(id)}">The send in the Temporal UI</a></p>`}
<p><a href="${runs}?query=${encodeURIComponent(`MailingId=${id}`)}">All runs of this mailing</a></p></div>`;
}
