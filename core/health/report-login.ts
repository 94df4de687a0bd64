import type { Env } from '../../config/env.ts';
import { isDatabaseError, newConnection } from '../../db/driver.ts';
import { reportDatabaseUrl } from '../../db/report-login.ts';
import { type Finding, look, PATIENCE_MS, well } from '../../domain/finding.ts';

/** At the door, or by a database that lets nobody in who is not named. */
const REFUSED = /^(28|42501)/;

/**
 * Whether reports can log in. Their login is not that of everything else: its password is made of SECRET_KEY by the migration, for the whole server, so that after a change of the one without the
 * other, or a migration of another installation there, all else is well.
 * @param url of the database
 */
export async function lookAtReportLogin(url: string, env: Env): Promise<Finding> {
  const client = newConnection(reportDatabaseUrl({ ...env, DATABASE_URL: url }), {
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return well('reports', 'their login is let in');
  } catch (error) {
    const says = `no report can be run: ${(error as Error).message}`;
    const code = isDatabaseError(error) ? (error.code ?? '') : '';
    if (!REFUSED.test(code)) return look('reports', says, 'look at it again');
    return env.REPORT_DATABASE_URL
      ? look('reports', says, 'look at REPORT_DATABASE_URL')
      : look('reports', says, 'npm run migrate, with the SECRET_KEY of API and workers');
  } finally {
    await client.end().catch(() => {});
  }
}
