import type { FastifyInstance } from 'fastify';
import { type SettleChoice, settleRecipients } from '../../core/sending/settle-recipients.ts';
import { transactionOf } from '../asking.ts';
import type { ApiContext } from '../deps.ts';
import { idOf } from '../resource/routes.ts';
import { mailingRoute, NO_FIELDS, REFUSED } from './action-route.ts';

const SUMMARIES: Record<SettleChoice, string> = {
  'uncertain/resend': 'Mail the uncertain recipients again when the mailing is queued next',
  'uncertain/accept': 'Count the uncertain recipients as accepted',
  'failed/resend': 'Mail those the relay refused again when the mailing is queued next',
};

/** POST /rest/v1/mailer/{id}/uncertain/resend/, …/uncertain/accept/ and …/failed/resend/: settle all of them. Answers how many there were. */
export function registerSettle(app: FastifyInstance, context: ApiContext): void {
  for (const [name, summary] of Object.entries(SUMMARIES)) {
    const settled = {
      type: 'object',
      required: ['settled'],
      properties: { settled: { type: 'integer', description: 'How many recipients it was.' } },
    };
    const options = mailingRoute('mailer:send', summary, { 200: settled, 400: REFUSED }, { body: NO_FIELDS });
    app.post(`/rest/v1/mailer/:id/${name}/`, options, async (request) => ({
      settled: await transactionOf(context)((sql) => settleRecipients(sql, idOf(request), name as SettleChoice)),
    }));
  }
}
