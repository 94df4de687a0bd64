import { type Logger, pino } from 'pino';
import { readEnv, SettingError } from '../config/env.ts';

/** The log of a process: JSON lines on standard output. */
export function openLog(name: string, level = process.env['LOG_LEVEL'] || 'info'): Logger {
  return pino({ name, level });
}

/**
 * Runs a process from its settings to its end: SIGTERM or SIGINT stops what `start` returns, in order, and ends with 0; a setting that cannot be
 * used, or a failure, is said and ends with 1.
 * @param start `ended`, when given, is a life of its own: the process ends with it
 */
export async function live(
  name: string,
  start: (env: ReturnType<typeof readEnv>, log: Logger) => Promise<{ stop(): Promise<void>; ended?: Promise<unknown> }>,
): Promise<void> {
  const log = openLog(name, 'info');
  const fail = (error: unknown) => {
    if (error instanceof SettingError || name === 'start') console.error((error as Error).message);
    else log.fatal({ err: error }, 'failed');
    process.exit(1);
  };
  try {
    const env = readEnv();
    log.level = env.LOG_LEVEL;
    const running = await start(env, log);
    let stopping = false;
    const stop = (why: string) => {
      if (stopping) return;
      stopping = true;
      if (name !== 'start') log.info({ why }, 'stopping');
      running.stop().then(() => process.exit(0), fail);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    running.ended?.then(() => stop('ended'), fail);
  } catch (error) {
    fail(error);
  }
}
