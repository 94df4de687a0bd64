import type { FastifyInstance } from 'fastify';
import { COUNTED, RATES, readResults } from '../../core/mailings/results.ts';
import type { ApiContext } from '../deps.ts';
import { idOf } from '../resource/routes.ts';
import { mailingRoute } from './action-route.ts';

/** GET /rest/v1/mailer/{id}/results/: totals, and the same by subject. */
export function registerResults(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute('mailer:read', 'What came of the mailing', { 200: DOCUMENT });
  app.get('/rest/v1/mailer/:id/results/', options, (request) => readResults(context.pool, idOf(request), context.longReads.of(request)));
}

const STATISTICS = {
  ...Object.fromEntries(COUNTED.map((name) => [name, { type: 'integer' }])),
  targeted: { type: 'integer', description: 'Those in the set: pending, recipients, failed, skipped and uncertain together.' },
  pending: { type: 'integer', description: 'Nothing has become of them yet; some of their mails may be on the way.' },
  recipients: { type: 'integer', description: 'Mails the relay accepted.' },
  amount: { type: 'string', description: 'Of orders, a decimal; whatever currencies they were in.' },
  amount_converted: { type: 'string', description: 'Of orders, in US dollars.' },
  ...Object.fromEntries(Object.entries(RATES).map(([rate, name]) => [rate, { type: 'number', description: `${name} per recipient.` }])),
};

const DOCUMENT = {
  type: 'object',
  required: ['mailing_id', 'totals', 'subjects'],
  properties: {
    mailing_id: { type: 'integer' },
    totals: { type: 'object', required: Object.keys(STATISTICS), properties: STATISTICS },
    subjects: {
      type: 'array',
      items: {
        type: 'object',
        required: ['subject_id', 'subject', ...Object.keys(STATISTICS)],
        properties: { subject_id: { type: 'integer' }, subject: { type: 'string' }, ...STATISTICS },
      },
    },
  },
};
