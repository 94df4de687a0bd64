import { diskReportFiles } from '../core/reports/report-files.ts';
import type { ActivityDeps } from './deps.ts';
import { heartbeating } from './heartbeating.ts';

export type RetentionActivities = ReturnType<typeof createRetentionActivities>;

const DAY_MS = 24 * 3600 * 1000;

/** What is kept for a while only. */
export function createRetentionActivities({ pool, env, log }: Pick<ActivityDeps, 'pool' | 'env' | 'log'>) {
  const files = diskReportFiles(env.DATA_DIR);

  return {
    /** Removes results of reports, keys of pushes and login tokens whose time is over. @returns how many of each */
    clearOld: (): Promise<Record<string, number>> =>
      heartbeating(async () => {
        const cleared = {
          tasks: await remove(
            `core_backgroundtask where status in ('completed', 'failed') and finished_at < now() - make_interval(days => $1)`,
            env.REPORT_FILE_DAYS,
          ),
          files: 0,
          pushKeys: await remove('push_key where created_at < now() - make_interval(days => $1)', env.PUSH_KEY_DAYS),
          results: await remove('report_cache where created_at < now() - make_interval(secs => $1)', env.REPORT_CACHE_SECONDS),
          paces: await remove('send_pace where slot < 4 * extract(epoch from now() - make_interval(days => $1))', 7),
          loginTokens: await remove('core_logintoken where expires_at < now() - make_interval(days => $1)', 1),
        };
        // Also what an attempt that died left half written, and files whose task is gone.
        const before = Date.now() - env.REPORT_FILE_DAYS * DAY_MS;
        for (const { name, writtenAt } of await files.list()) {
          if (writtenAt.getTime() >= before) continue;
          await files.remove(name);
          cleared.files++;
        }
        if (Object.values(cleared).some(Boolean)) log.info(cleared, 'cleared what is kept for a while only');
        return cleared;
      }),
  };

  async function remove(what: string, age: number): Promise<number> {
    return (await pool.query(`delete from ${what}`, [age])).rowCount ?? 0;
  }
}
