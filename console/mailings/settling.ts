import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { transactionOf } from '../../api/asking.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { readState } from '../../core/mailings/counts.ts';
import { once } from '../../core/once.ts';
import { others, type SettleChoice, settleRecipients } from '../../core/sending/settle-recipients.ts';
import { html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { leading } from '../numbers.ts';
import { onceField, pressed } from '../pressed-once.ts';
import { readCount } from './confirm.ts';
import { mailingHead, readMailing } from './mailing-document.ts';

/** What becomes of those who are uncertain or failed is asked once more, with their number; of others than those it is refused. */
export function registerSettling(app: FastifyInstance, context: ApiContext): void {
  for (const [name, words] of Object.entries(SETTLING)) {
    const path = `/console/mailings/:id/confirm/${name.replace('/', '-')}`;
    app.get(path, page('mailer:send'), (request, reply) => confirmSettling(context, request, reply, words));
    app.post(path, page('mailer:send'), async (request, reply) => {
      const id = idOf(request);
      const { many, queued_at: queuedAt } = request.body as Record<string, unknown>;
      const about = { many: readCount(many), queuedAt: typeof queuedAt === 'string' && queuedAt !== '' ? queuedAt : null };
      const press = pressed(request, `/console/mailings/${id}/confirm/${name}`);
      await transactionOf(context)((sql) => once(sql, press, () => settleRecipients(sql, id, name as SettleChoice, about)));
      // Pressed once more on a page of long ago, which knows nothing of those since.
      if ((await readState(context.pool, id))?.[words.of]) throw others();
      return reply.redirect(`/console/mailings/${id}/?done=${name.split('/')[1]}`, 303);
    });
  }
}

interface SettlingWords {
  title: string;
  text: string;
  button: string;
  of: 'uncertain' | 'failed';
}

const SETTLING: Record<SettleChoice, SettlingWords> = {
  'uncertain/resend': {
    title: 'Mail the uncertain again?',
    text: 'Nobody can know whether they got the mail: who did gets it a second time. They wait until the mailing is resumed.',
    button: 'Let them wait for it again',
    of: 'uncertain',
  },
  'uncertain/accept': {
    title: 'Take the uncertain for accepted?',
    text: 'They count as having got the mail, and are not mailed again.',
    button: 'Count them as accepted',
    of: 'uncertain',
  },
  'failed/resend': {
    title: 'Try again those the relay refused?',
    text: 'The relay refused them for good. This makes sense where the reason was not theirs: a sender it did not know, a limit. They wait until the mailing is resumed.',
    button: 'Let them wait for it again',
    of: 'failed',
  },
};

async function confirmSettling(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  words: SettlingWords,
): Promise<FastifyReply> {
  const id = idOf(request);
  const [mailing, state] = await Promise.all([readMailing(context, id), readState(context.pool, id)]);
  const many = state?.[words.of] ?? 0;
  const back = `/console/mailings/${id}/recipients/${words.of}/`;
  const content = html`${mailingHead(mailing, null)}<div class="narrow">
<section class="card ask" aria-labelledby="ask"><h2 id="ask">${words.title}</h2>${leading(many, 'person', 'people')}<p>${words.text}</p>
<form method="post" action="${new URL(request.url, 'http://console').pathname}" class="answer">${csrfField(formToken(request, reply))}${onceField()}<input type="hidden" name="many" value="${many}"><input type="hidden" name="queued_at" value="${state?.queued_at ?? ''}"><button class="main"${many === 0 ? html` disabled` : ''}>${words.button}</button> <a class="button plain" href="${back}">Cancel</a></form>
</section></div>`;
  return sendPage(request, reply, context.env, { title: `${words.title} – mailing ${id}`, content });
}
