import type { FastifyReply, FastifyRequest } from 'fastify';
import { can } from '../../api/route-options.ts';
import type { ListedProofs } from '../../core/mailings/proof-job.ts';
import type { InputError } from '../../domain/errors.ts';
import { checkProofs } from '../../domain/mailing-status.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken } from '../layout.ts';
import { counted, time } from '../numbers.ts';
import { messagesIn } from '../plain-words.ts';
import { onceField } from '../pressed-once.ts';
import type { MailingDocument } from './mailing-document.ts';

/** What became of the requests for proofs. */
export function proofsTable(proofs: ListedProofs[]): Html {
  if (!proofs.length) return html`<p class="none">No proofs were sent yet.</p>`;
  const state = ({ finished, success, sent, waits_for }: ListedProofs) =>
    finished ? (success ? `${sent} sent` : `${sent} sent, not all`) : waits_for ? `waiting: ${waits_for}` : 'being sent';
  return html`<ul class="plain">${proofs.map(
    (each) =>
      html`<li>${time(each.created_at)}: ${counted(each.reviewers, 'reviewer', 'reviewers')}, ${state(each)}${each.errors.map((error) => html`<br><small class="doubt">${error}</small>`)}</li>`,
  )}</ul>`;
}

/** What the form for proofs holds, and what was wrong with it where it was sent. */
export interface WishedProofs {
  reviewers: string;
  proofs: string;
  date: string;
  problems: readonly string[];
}

/** The form for proofs and what became of the last ones. */
export function proofsPart(
  request: FastifyRequest,
  reply: FastifyReply,
  mailing: MailingDocument,
  proofs: ListedProofs[],
  wished: WishedProofs,
): Html {
  return html`<section class="card" id="proofs" aria-labelledby="proofs-title"><h2 id="proofs-title">Proofs</h2>
<p class="reading">The mail made for ${can(request, 'user:read') ? 'people of the audience' : 'made-up people (your account may not read users)'} and sent to reviewers. Its links name nobody.</p>
${can(request, 'mailer:send') ? form(request, reply, mailing, wished) : ''}
<h3>Sent before</h3><div data-region="proofs">${proofsTable(proofs)}</div></section>`;
}

function form(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, status, query_status: queryStatus }: MailingDocument,
  wished: WishedProofs,
): Html {
  try {
    checkProofs({ status, queryStatus, savedCount: 1 });
  } catch (error) {
    return html`<p class="small">${messagesIn(error as InputError).join(' ')}</p>`;
  }
  const { reviewers, proofs, date, problems } = wished;
  const wrong = problems.length
    ? html`<div class="note bad" role="alert" id="proofs-wrong"><p>No proofs were sent.</p>${problems.map((each) => html`<p>${each}</p>`)}</div>`
    : '';
  return html`<form method="post" action="/console/mailings/${id}/proofs" class="stack">${wrong}${csrfField(formToken(request, reply))}${onceField()}
<label for="reviewers">Reviewers <small>email addresses; empty: those of last time</small></label>
<textarea id="reviewers" name="reviewers" rows="2" spellcheck="false"${problems.length ? html` aria-describedby="proofs-wrong" autofocus` : ''}>
${reviewers}</textarea>
<label for="proofs-number">Proofs for each</label><input id="proofs-number" name="proofs" type="number" min="1" max="100" value="${proofs}" required>
<label for="date">Day the mail sees as today <small>empty: today</small></label><input id="date" name="date" type="date" value="${date}">
<button class="main">Send proofs</button></form>`;
}
