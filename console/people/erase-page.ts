import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { requestErasure } from '../../api/users/eraser.ts';
import { ERASE_OPTIONS, type EraseOption } from '../../core/people/belongings.ts';
import { isErased } from '../../core/people/erased.ts';
import { countBelongings } from '../../core/people/merge-preview.ts';
import { sqlOn } from '../../db/sql.ts';
import { invalid, type Sent, textOf } from '../fields.ts';
import { html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { movesPart } from './merge-page.ts';
import { type PersonDocument, personHead, personShown } from './person-document.ts';

const OPTION_WORDS: Record<EraseOption, string> = {
  order_user_details: 'the names and addresses kept with donations, too',
  user_fields: 'custom fields, too',
  action_fields: 'what they wrote in actions and events, too',
  transactional_mailings: 'the addresses of confirmations, too',
};

/** `/console/people/{id}/erase/`: empties somebody, once their address has been typed. */
export function registerErasePages(app: FastifyInstance, context: ApiContext): void {
  const sql = sqlOn(context.pool);

  app.get('/console/people/:id/erase/', page('user:erase'), async (request, reply) =>
    ask(request, reply, await personShown(context, request), [...ERASE_OPTIONS]),
  );

  app.post('/console/people/:id/erase/', page('user:erase'), async (request, reply) => {
    const person = await personShown(context, request);
    const sent = request.body as Sent;
    const options = ERASE_OPTIONS.filter((option) => textOf(sent, option) === '1');
    const typed = textOf(sent, 'typed').trim().toLowerCase();
    if (typed !== person.email.toLowerCase()) {
      // Pressed twice: by the first press the address that was to be typed is emptied.
      if (typed === textOf(sent, 'address').toLowerCase() && (await isErased(sql, person.id)))
        return reply.redirect(`/console/people/${person.id}/`, 303);
      return ask(request, reply.code(400), person, options, 'That is not their address: nothing was erased.');
    }
    await requestErasure(context, request.log, { userId: person.id, email: null, options });
    return reply.redirect(`/console/people/${person.id}/`, 303);
  });

  async function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    person: PersonDocument,
    options: readonly EraseOption[],
    problem?: string,
  ): Promise<FastifyReply> {
    const { id, email } = person;
    // Phones are emptied.
    const counts = await context.longReads.inTurn(request, (client) => countBelongings(sqlOn(client), id));
    const content = html`${personHead(request, person, 'erase/')}<div class="narrow"><section class="card ask" aria-labelledby="ask"><h2 id="ask">Erase this person?</h2>
<p class="reading">Name, email, address, phones and place are emptied, for good, and they leave every list. That they did, got and gave something stays in the numbers:</p>${movesPart(request, { ...counts, phones: 0 })}
<form method="post" action="/console/people/${id}/erase/" class="stack">${csrfField(formToken(request, reply))}<input type="hidden" name="address" value="${email}">
<fieldset class="field"><legend>Erase</legend><div class="boxes">${ERASE_OPTIONS.map((option) => html`<label><input type="checkbox" name="${option}" value="1"${options.includes(option) ? html` checked` : ''}> ${OPTION_WORDS[option]}</label>`)}</div></fieldset>
${problem ? html`<p class="note bad" role="alert" id="typed-wrong">${problem}</p>` : ''}
<label for="typed">Type their address to confirm: <span class="slot">${email}</span></label><input id="typed" name="typed" required autocomplete="off" spellcheck="false" autocapitalize="none"${problem ? invalid('typed-wrong') : ''}>
<div class="answer"><button class="danger">Erase for good</button> <a class="button plain" href="/console/people/${id}/">Cancel</a></div></form></section></div>`;
    return sendPage(request, reply, context.env, { title: `Erase – person ${id}`, content });
  }
}
