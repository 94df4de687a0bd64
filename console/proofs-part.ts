import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../api/deps.ts';
import { can } from '../api/route-options.ts';
import { timestampSql } from '../db/timestamp-sql.ts';
import { checkProofs } from '../domain/mailing-status.ts';
import { type Html, html } from './html.ts';
import { csrfField, formToken } from './layout.ts';
import type { MailingDocument } from './mailing-document.ts';
import { counted, time } from './numbers.ts';

/** A request for proofs and what became of it. */
interface Proofs {
  id: number;
  reviewers: number;
  proofs: number;
  finished: boolean;
  success: boolean;
  sent: number;
  errors: string[];
  created_at: string;
}

/** The last five requests for proofs of a mailing, the newest first. */
export async function latestProofs({ pool }: ApiContext, mailingId: number): Promise<Proofs[]> {
  const { rows } = await pool.query<Proofs>(
    `select p.id, jsonb_array_length(p.reviewers) as reviewers, p.proofs, p.finished, p.success, p.sent, p.errors, ${timestampSql('p.created_at')} as created_at
     from core_mailingproof p where p.mailing_id = $1 order by p.id desc limit 5`,
    [mailingId],
  );
  return rows;
}

/** What became of the requests for proofs. */
export function proofsTable(proofs: Proofs[]): Html {
  if (!proofs.length) return html`<p class="none">No proofs were sent yet.</p>`;
  const state = ({ finished, success, sent }: Proofs) => (finished ? (success ? `${sent} sent` : `${sent} sent, not all`) : 'being sent');
  return html`<ul class="plain">${proofs.map(
    (each) =>
      html`<li>${time(each.created_at)}: ${counted(each.reviewers, 'reviewer', 'reviewers')}, ${state(each)}${each.errors.map((error) => html`<br><small class="doubt">${error}</small>`)}</li>`,
  )}</ul>`;
}

/** The form for proofs and what became of the last ones. */
export function proofsPart(request: FastifyRequest, reply: FastifyReply, mailing: MailingDocument, proofs: Proofs[]): Html {
  return html`<section class="card" id="proofs" aria-labelledby="proofs-title"><h2 id="proofs-title">Proofs</h2>
<p class="reading">The mail made for ${can(request, 'user:read') ? 'people of the audience' : 'made-up people (your account may not read users)'} and sent to reviewers. Its links name nobody.</p>
${can(request, 'mailer:send') ? form(request, reply, mailing) : ''}
<h3>Sent before</h3><div data-region="proofs">${proofsTable(proofs)}</div></section>`;
}

function form(request: FastifyRequest, reply: FastifyReply, { id, status, query_status: queryStatus }: MailingDocument): Html {
  try {
    checkProofs({ status, queryStatus, savedCount: 1 });
  } catch (error) {
    return html`<p class="small">${(error as Error).message.replace(/^\w+: /, '')}</p>`;
  }
  return html`<form method="post" action="/console/mailings/${id}/proofs" class="stack">${csrfField(formToken(request, reply))}
<label for="reviewers">Reviewers <small>email addresses; empty: those of last time</small></label><textarea id="reviewers" name="reviewers" rows="2" spellcheck="false"></textarea>
<label for="proofs-number">Proofs for each</label><input id="proofs-number" name="proofs" type="number" min="1" max="100" value="1" required>
<label for="date">Day the mail sees as today <small>empty: today</small></label><input id="date" name="date" type="date">
<button class="main">Send proofs</button></form>`;
}
