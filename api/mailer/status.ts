import type { FastifyInstance } from 'fastify';
import { rateOf, readState, type SendState } from '../../core/mailings/counts.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { statusWord } from '../../domain/mailing-status.ts';
import type { ApiContext } from '../deps.ts';
import { idOf } from '../resource/routes.ts';
import { mailingRoute } from './action-route.ts';
import { TIMESTAMP } from './poll.ts';

/** GET /rest/v1/mailer/{id}/status/: the status in short, with what belongs to it. */
export function registerStatus(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute('mailer:read', 'Where the mailing stands', { 200: DOCUMENT });
  app.get('/rest/v1/mailer/:id/status/', options, async (request) => {
    const id = idOf(request);
    const state = await readState(context.pool, id);
    if (!state) throw new NotFoundError();
    const status = statusWord(state.status, state.query_status);
    // Of a draft it says, too, why there is no set.
    const errors = [...(state.errors ?? []), ...((status === 'draft' && state.query_errors) || [])];
    const error = errors.length ? errors : null;
    return { status, error, ...(EXTRAS[status]?.(state) ?? {}) };
  });
}

type Extra = (state: SendState) => object;

/** What the document of each status has beside status and error. */
const EXTRAS: Record<string, Extra> = {
  draft: ({ query_status, query_previous_runtime, saved_count }) => ({ query_status, query_previous_runtime, count: saved_count }),
  rebuilding: ({ query_queued_at, query_started_at, query_previous_runtime, query_status }) => ({
    query_queued_at,
    query_started_at,
    query_previous_runtime,
    query_status,
  }),
  sending: (state) => {
    const { queued_at, queued_by, started_at, finished_at, accepted, expected_send_count, saved_count } = state;
    const rate = Math.round(rateOf(state));
    return {
      queued_at,
      queued_by,
      started_at,
      finished_at,
      rate,
      progress: accepted,
      expected_send_count: expected_send_count ?? saved_count ?? 0,
    };
  },
  completed: ({ accepted }) => ({ count: accepted }),
  recurring: ({ scheduled_by, recurring_schedule, recurring_source_mailing }) => ({
    scheduled_by,
    recurring_schedule,
    recurring_source_mailing,
  }),
  scheduled: ({ scheduled_by, scheduled_for }) => ({ scheduled_by, scheduled_for }),
};

const URI = { type: ['string', 'null'], format: 'uri-reference' };

const DOCUMENT = {
  type: 'object',
  required: ['status', 'error'],
  properties: {
    status: { enum: ['draft', 'rebuilding', 'sending', 'completed', 'model', 'scheduled', 'recurring', 'died', 'stopped'] },
    error: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Why it is so, also why the users of a draft could not be saved.',
    },
    query_status: { type: 'string', description: 'draft, rebuilding' },
    query_queued_at: { ...TIMESTAMP, description: 'rebuilding' },
    query_started_at: { ...TIMESTAMP, description: 'rebuilding' },
    query_previous_runtime: { type: ['number', 'null'], description: 'draft, rebuilding: seconds' },
    count: { type: ['integer', 'null'], description: 'draft: users in the saved set; completed: mails the relay accepted' },
    queued_at: { ...TIMESTAMP, description: 'sending' },
    queued_by: { ...URI, description: 'sending' },
    started_at: { ...TIMESTAMP, description: 'sending' },
    finished_at: { ...TIMESTAMP, description: 'sending' },
    rate: { type: 'integer', description: 'sending: mails per second' },
    progress: { type: 'integer', description: 'sending: mails the relay has accepted' },
    expected_send_count: { type: 'integer', description: 'sending: users in the set' },
    scheduled_by: { ...URI, description: 'scheduled, recurring' },
    scheduled_for: { ...TIMESTAMP, description: 'scheduled' },
    recurring_schedule: { ...URI, description: 'recurring' },
    recurring_source_mailing: { ...URI, description: 'recurring' },
  },
};
