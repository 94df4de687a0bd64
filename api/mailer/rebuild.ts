import type { FastifyInstance } from 'fastify';
import { checkContent } from '../../core/mailings/check-content.ts';
import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { InputError, NotFoundError, UncertainError } from '../../domain/errors.ts';
import { checkRebuild } from '../../domain/mailing-status.ts';
import type { MailingStatus, QueryStatus } from '../../domain/words.ts';
import { startOf } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { withLocation } from '../resource/answers.ts';
import { idOf } from '../resource/routes.ts';
import { inTransaction } from '../resource/write.ts';
import { mailingRoute, REFUSED, readKeys } from './action-route.ts';
import { JOB_PARAMETERS, jobOf, TIMESTAMP } from './poll.ts';

interface AskedFor {
  jobId: number;
  /** Null when a build that was under way is joined. */
  before: { queryStatus: QueryStatus; queryQueuedAt: string | null } | null;
}

/** POST /rest/v1/mailer/{id}/rebuild/ and the address it can be watched at. */
export function registerRebuild(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute(
    'mailer:write',
    'Build the set of users',
    { 201: withLocation('Asked for, or under way already; Location is where to watch it.'), 400: REFUSED },
    {
      body: {
        type: ['object', 'null'],
        properties: {
          fast_rebuild: {
            description:
              '1: only those changed since the set was built, where that is known to give what a full rebuild gives; else a full one.',
          },
        },
      },
      querystring: { type: 'object', properties: { fast_rebuild: { type: 'string' } } },
    },
  );
  app.post('/rest/v1/mailer/:id/rebuild/', options, async (request, reply) => {
    const id = idOf(request);
    const { fast_rebuild: inBody } = readKeys(request.body, ['fast_rebuild']);
    const fast = readFast(inBody ?? (request.query as { fast_rebuild?: string }).fast_rebuild);
    const jobId = await requestRebuild(context, id, fast);
    return reply.code(201).header('location', `${context.env.BASE_URL}/rest/v1/mailer/${id}/rebuild/status/${jobId}/`).send();
  });

  const poll = mailingRoute('mailer:read', 'How a rebuild is getting on', { 200: DOCUMENT }, { params: JOB_PARAMETERS });
  app.get('/rest/v1/mailer/:id/rebuild/status/:job/', poll, async (request) => {
    const { rows } = await context.pool.query(
      `select finished, success, ${timestampSql('started_at')} as started_at, ${timestampSql('finished_at')} as finished_at, results, errors
       from core_mailingrebuild where mailing_id = $1 and id = $2`,
      [idOf(request), jobOf(request)],
    );
    if (!rows[0]) throw new NotFoundError();
    return rows[0];
  });
}

/**
 * Has the set of users built, or joins the build that is under way.
 * @returns the id of the job
 * @throws NotFoundError; InputError where the status forbids it; UnavailableError, and then nothing has changed, unless it is UncertainError: then what was asked for may be under way
 */
export async function requestRebuild(context: ApiContext, id: number, fast = false): Promise<number> {
  const asked = await inTransaction(context, (_em, sql) => askFor(sql, id, fast));
  try {
    await startRun(context, id, asked.jobId);
  } catch (error) {
    if (!(error instanceof UncertainError)) await takeBack(context, id, asked);
    throw error;
  }
  return asked.jobId;
}

const DOCUMENT = {
  type: 'object',
  required: ['finished', 'success', 'started_at', 'finished_at', 'results', 'errors'],
  properties: {
    finished: { type: 'boolean' },
    success: { type: 'boolean' },
    started_at: TIMESTAMP,
    finished_at: TIMESTAMP,
    results: { type: ['integer', 'null'], description: 'Users in the set, after limit.' },
    errors: { type: 'array', items: { type: 'string' } },
  },
};

function readFast(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  // An object may have no text of its own.
  const given = typeof value === 'object' ? '' : String(value);
  if (['0', '1', 'true', 'false'].includes(given)) return given === '1' || given === 'true';
  throw new InputError({ fast_rebuild: 'fast_rebuild must be 0 or 1.' });
}

/** Two requests at once ask for one build: the index on unfinished builds lets one row in, and the row of the mailing is held by the first. */
async function askFor(sql: Sql, id: number, fast: boolean): Promise<AskedFor> {
  const [mailing] = await sql<{ status: MailingStatus; queryStatus: QueryStatus; queryQueuedAt: string | null }>(
    'select status, query_status as "queryStatus", query_queued_at as "queryQueuedAt" from core_mailing where id = $1 for update',
    [id],
  );
  if (!mailing) throw new NotFoundError();
  checkRebuild(mailing.status);
  await checkContent(sql, id, ['landing_page']);
  const [running] = await sql<{ id: number }>('select id from core_mailingrebuild where mailing_id = $1 and not finished', [id]);
  if (running) return { jobId: running.id, before: null };
  const [job] = await sql<{ id: number }>(
    'insert into core_mailingrebuild (mailing_id, targeting_version, fast) select id, targeting_version, $2 from core_mailing where id = $1 returning id',
    [id, fast],
  );
  await sql(`update core_mailing set query_status = 'queued', query_queued_at = now() where id = $1`, [id]);
  return { jobId: job!.id, before: mailing };
}

/** Of a build that is joined too: its run may have been lost between the row and the start. */
async function startRun({ workflows }: ApiContext, mailingId: number, jobId: number): Promise<void> {
  await workflows.start(startOf('rebuildTargets', { mailingId, jobId }));
}

/** As it was before. A run that was started all the same finds no job, and ends. */
async function takeBack({ pool }: ApiContext, mailingId: number, { jobId, before }: AskedFor): Promise<void> {
  if (!before) return;
  await pool.query(
    `with gone as (delete from core_mailingrebuild where id = $2 and started_at is null and not finished returning mailing_id)
     update core_mailing set query_status = case when $3 = 'saved' and targeting_version <> targeting_version_saved then 'invalid' else $3 end,
       query_queued_at = $4
     from gone where core_mailing.id = $1 and gone.mailing_id = core_mailing.id and query_status = 'queued'`,
    [mailingId, jobId, before.queryStatus, before.queryQueuedAt],
  );
}
