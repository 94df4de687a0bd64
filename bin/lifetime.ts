import { type Logger, pino } from 'pino';
import { readEnv, SettingError } from '../config/env.ts';
import { errorInLog } from '../domain/error-in-log.ts';
import { endProcess } from '../embedded/end-process.ts';
import { takeNothing } from './command.ts';
import { plainWords } from './failure.ts';
import { logLines } from './log-lines.ts';

/** The log of a process: JSON lines on standard output. Lines that it does not take are lost, and said to be when it takes some again. */
function openLog(name: string, level = process.env['LOG_LEVEL'] || 'info'): Logger {
  const log = pino(
    { name, level, serializers: { err: (error) => errorInLog(error) } },
    logLines(process.stdout.fd, (lost) => log.warn({ lost }, 'lines of the log were lost: there was no room for them')),
  );
  return log;
}

/**
 * Runs a process from its settings to its end: SIGTERM or SIGINT stops what `start` returns, in order, and ends with 0; a setting that cannot be
 * used, a failure, or a migration that was not over is said and ends with 1.
 * @param start `ended`, when given, is a life of its own: the process ends with it
 */
export async function live(
  name: string,
  start: (env: ReturnType<typeof readEnv>, log: Logger) => Promise<{ stop(): Promise<void>; ended?: Promise<unknown> }>,
): Promise<void> {
  takeNothing(name === 'start' ? 'npm start' : `npm run ${name}`);
  // What a library or Node itself prints may find no room or no reader: nobody would hear of it, and that ends a process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const log = openLog(name, 'info');
  const fail = (error: unknown) => {
    const words = plainWords(error);
    if (error instanceof SettingError || name === 'start') console.error(words ?? (error as Error).message);
    else if (words) log.fatal(words);
    else log.fatal({ err: error }, 'failed');
    endProcess(1);
  };
  let running: Awaited<ReturnType<typeof start>> | null = null;
  let stopping = false;
  const stop = (why: string) => {
    if (stopping) return;
    stopping = true;
    if (name !== 'start') log.info({ why }, 'stopping');
    // While it starts, which may be a wait for a service, it has nothing under way. A migration is all start: whatever waits for it must not take it for done.
    if (running) running.stop().then(() => endProcess(0), fail);
    else if (name === 'migrate') fail(new SettingError('the migration was ended before it was done: run it again'));
    else endProcess(0);
  };
  // From the first: the first process of a container is not ended by a signal that nobody listens for.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    const env = readEnv();
    log.level = env.LOG_LEVEL;
    running = await start(env, log);
    running.ended?.then(() => stop('ended'), fail);
  } catch (error) {
    fail(error);
  }
}
