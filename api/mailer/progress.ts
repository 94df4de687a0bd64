import type { FastifyInstance } from 'fastify';
import { rateOf, readState, type SendState } from '../../core/mailings/counts.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';
import type { SendProgress } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { idOf } from '../resource/routes.ts';
import { mailingRoute } from './action-route.ts';
import { readHold, readLive } from './live.ts';
import { TIMESTAMP } from './poll.ts';

/** GET /rest/v1/mailer/{id}/progress/: where a queued mailing is watched. */
export function registerProgress(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute('mailer:read', 'How far sending is', { 200: DOCUMENT });
  app.get('/rest/v1/mailer/:id/progress/', options, (request) => readProgress(context, idOf(request)));
}

/** What is known of a mailing at this moment: by the database, and by its run. */
export interface Watched {
  state: SendState;
  /** Null when it is not under way or no worker answers within a second. */
  live: SendProgress | null;
  /** Why nothing is being sent just now. */
  pause: SendProgress['pause'];
}

/** @throws NotFoundError */
export async function readWatched(context: ApiContext, id: number): Promise<Watched> {
  const state = await readState(context.pool, id);
  if (!state) throw new NotFoundError();
  const underWay = UNDER_WAY.includes(state.status);
  const waits = !underWay || state.status === 'scheduled';
  const [live, hold] = await Promise.all([underWay ? readLive(context, id) : null, waits ? null : readHold(context)]);
  return { state, live, pause: hold ?? live?.pause ?? null };
}

/** What `progress` shows: the counts of this moment. @throws NotFoundError */
export async function readProgress(context: ApiContext, id: number) {
  return shownProgress(await readWatched(context, id));
}

export function shownProgress({ state, live, pause }: Watched) {
  return {
    finished: !UNDER_WAY.includes(state.status),
    // The rebuild before sending is a part of waiting to be sent.
    status: state.status === 'rebuilding_at_send' ? 'queued' : state.status,
    started_at: state.started_at,
    finished_at: state.finished_at,
    rate: Math.round(rateOf(state)),
    progress: state.accepted,
    failed: state.failed,
    skipped: state.skipped,
    uncertain: state.uncertain,
    expected_send_count: state.expected_send_count ?? state.saved_count ?? 0,
    phase: live?.phase ?? null,
    pause,
    errors: state.errors ?? [],
  };
}

const count = (description: string) => ({ type: 'integer', description });

const DOCUMENT = {
  type: 'object',
  required: ['finished', 'status', 'started_at', 'finished_at', 'rate', 'progress', 'expected_send_count'],
  properties: {
    finished: { type: 'boolean', description: 'Whether it has ended: completed, stopped, died, or put back to draft.' },
    status: { type: 'string' },
    started_at: TIMESTAMP,
    finished_at: TIMESTAMP,
    rate: count('Mails per second, a whole number.'),
    progress: count('Mails the relay has accepted, as of this moment.'),
    failed: count('Refused by the relay for good.'),
    skipped: count('Not sent: left, erased, or the templates could not be filled in.'),
    uncertain: count('Nobody knows: the connection or the worker was lost while the mail was on its way.'),
    expected_send_count: count('Users in the set: those above, and those still waiting.'),
    phase: { type: ['string', 'null'], description: 'What the run is doing; null when it does not answer within a second.' },
    pause: {
      type: ['object', 'null'],
      description: 'Why nothing is being sent just now.',
      properties: { reason: { type: 'string' }, until: { type: 'string' } },
    },
    errors: { type: 'array', items: { type: 'string' } },
  },
};
