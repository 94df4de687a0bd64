import type { CoreDeps } from './deps.ts';
import { reportFiles } from './reports/kept-report-files.ts';

const DAY_MS = 24 * 3600 * 1000;
/** A rate that nobody has drawn from for so long has nothing left that is paid for. */
const RATE_DAYS = 7;

/** Removes results of reports, keys of pushes, login tokens and rates whose time is over. @returns how many of each */
export async function clearOld({ pool, env, log }: Pick<CoreDeps, 'pool' | 'env' | 'log'>): Promise<Record<string, number>> {
  const remove = async (what: string, age: number) => (await pool.query(`delete from ${what}`, [age])).rowCount ?? 0;
  const cleared = {
    tasks: await remove(
      `core_backgroundtask where status in ('completed', 'failed') and finished_at < now() - make_interval(days => $1)`,
      env.REPORT_FILE_DAYS,
    ),
    files: 0,
    pushKeys: await remove('push_key where created_at < now() - make_interval(days => $1)', env.PUSH_KEY_DAYS),
    results: await remove('report_cache where created_at < now() - make_interval(secs => $1)', env.REPORT_CACHE_SECONDS),
    loginTokens: await remove('core_logintoken where expires_at < now() - make_interval(days => $1)', 1),
    failures: await remove('auth_failure where until < now() - make_interval(secs => $1)', 0),
    rates: await remove('send_pace where slot < 4 * extract(epoch from now() - make_interval(days => $1))', RATE_DAYS),
  };
  // Also what an attempt that died left half written, and files whose task is gone.
  const files = reportFiles({ env, pool });
  const before = Date.now() - env.REPORT_FILE_DAYS * DAY_MS;
  for (const { name, writtenAt } of await files.list()) {
    if (writtenAt.getTime() >= before) continue;
    await files.remove(name);
    cleared.files++;
  }
  if (Object.values(cleared).some(Boolean)) log.info(cleared, 'cleared what is kept for a while only');
  return cleared;
}
