import type { FastifyInstance, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { lookAtTemporal } from '../../api/health/temporal.ts';
import { can } from '../../api/route-options.ts';
import { lookAtDatabase } from '../../core/health/database.ts';
import { lookAtDisk, lookAtVersions } from '../../core/health/machine.ts';
import { readQueues } from '../../core/health/queues.ts';
import { lookAtRelays } from '../../core/health/relays.ts';
import { readFigures } from '../../core/sending/figures.ts';
import { sqlOn } from '../../db/sql.ts';
import { type Finding, look } from '../../domain/finding.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { HealthBoard } from './board.ts';
import { findingsPart, poolPart, queuesPart, sendsPart, summary } from './parts.ts';

/** A page is there by then, whatever has answered. */
const WAIT_MS = 150;
const LIVE_WAIT_MS = 4_000;

/** `/console/health/`: whether workers, relays, database and the rest are there and well, and what waits in which queue. */
export function registerHealthPage(app: FastifyInstance, context: ApiContext): void {
  const { env, pool } = context;
  const board = new HealthBoard({
    database: () => lookAtDatabase(env.DATABASE_URL ?? null, env),
    temporal: () => lookAtTemporal(env, env.BASE_URL),
    relay: () => lookAtRelay(context),
    machine: async () => [await lookAtDisk(env), lookAtVersions()],
  });

  app.get('/console/health/', page('mailer:read'), async (request, reply) => {
    const { markup } = await health(request, WAIT_MS);
    const content = html`<h1>Health</h1><div data-region="health">${markup}</div>`;
    return sendPage(request, reply, env, { title: 'Health', content, live: '/console/health/live' });
  });

  app.get('/console/health/live', page('mailer:read'), async (request) => {
    const { markup, said } = await health(request, LIVE_WAIT_MS);
    return { busy: false, regions: { health: String(markup) }, said };
  });

  async function health(request: FastifyRequest, waitMs: number): Promise<{ markup: Html; said: string }> {
    // A database that is away is one of the findings: the rest is shown all the same.
    const numbers = Promise.all([readFigures(sqlOn(pool), env.SEND_LEASE_SECONDS), readQueues(sqlOn(pool))]).catch(() => null);
    const [found, read] = await Promise.all([board.look(waitMs), numbers]);
    const said = summary(found);
    // Addresses of machines are for who runs them.
    const details = can(request, '*');
    const markup = html`<p class="big">${said}</p>${findingsPart(found, details)}${
      read ? html`${sendsPart(read[0].sends, env.SEND_LEASE_SECONDS)}${queuesPart(read[1])}` : ''
    }${poolPart(pool)}`;
    return { markup, said };
  }
}

/** Workers are told where the relay is; the API need not be. */
async function lookAtRelay({ env }: ApiContext): Promise<Finding[]> {
  if (env.SMTP_URL || env.SMTP_RELAYS) return lookAtRelays(env);
  return [
    look(
      'relay',
      'the API has not been told where it is',
      'give the API SMTP_URL or SMTP_RELAYS, too, or run npm run cli -- doctor by a worker',
    ),
  ];
}
