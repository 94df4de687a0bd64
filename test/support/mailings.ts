import { openRebuildJob } from '../../core/targeting/rebuild-job.ts';
import { rebuildSet } from '../../core/targeting/rebuild-set.ts';
import { reportDatabaseUrl } from '../../db/report-login.ts';
import { REBUILDABLE } from '../../domain/mailing-status.ts';
import type { TestApi } from './api.ts';

export const idIn = (uri: string): number => Number(uri.split('/').filter(Boolean).at(-1));

/** Ready to be queued once its set is built. */
export const READY = { subjects: ['Hello'], html: '<p>Hello</p>', fromline: '"Ann" <ann@example.org>' };

/** Has what is left of a slow mailing sent at once, by the set it has: who changes its rate over HTTP has to build it anew. */
export const atOnce = (api: TestApi, uri: string) =>
  api.pool.query('update core_mailing set mails_per_second = null where id = $1', [idIn(uri)]);

/** The build of a mailing that was asked for and is not finished; else a new one. */
export async function openJob({ pool }: TestApi, mailingId: number): Promise<number> {
  const asked = 'select id from core_mailingrebuild where mailing_id = $1 and not at_send and not finished';
  return (await pool.query(asked, [mailingId])).rows[0]?.id ?? openRebuildJob(pool, mailingId);
}

/** Builds the saved set of a mailing as the rebuild workflow does. @returns how many are in it */
export async function buildSet(api: TestApi, uri: string): Promise<number> {
  const mailingId = idIn(uri);
  const deps = { pool: api.pool, reportDatabaseUrl: reportDatabaseUrl(api.env), statementTimeoutMs: 10_000, fastRebuild: true };
  const jobId = await openJob(api, mailingId);
  return (await rebuildSet(deps, { mailingId, jobId, during: REBUILDABLE })).count;
}

/** A mailing with its set built. @returns its URI */
export async function makeReady(api: TestApi, more: object = {}): Promise<string> {
  const uri = await api.create('mailer', { ...READY, ...more });
  await buildSet(api, uri);
  return uri;
}

/** Writes columns of a mailing, as the engine does. */
export async function setMailing(api: TestApi, uri: string, columns: Record<string, unknown>): Promise<void> {
  const names = Object.keys(columns);
  const sets = names.map((name, index) => `${name} = $${index + 2}`).join(', ');
  await api.pool.query(`update core_mailing set ${sets} where id = $1`, [idIn(uri), ...Object.values(columns)]);
}
