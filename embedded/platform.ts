import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { type Env, SettingError } from '../config/env.ts';
import { hostInUrl } from '../config/host-in-url.ts';
import { keepFile, readKept } from './kept-file.ts';
import { release, tryLock } from './pid-lock.ts';
import { freePort } from './ports.ts';
import { startPostgres } from './postgres.ts';
import { longestEndMs, type Program, runProgram, startApiProcess, startWorkerProcess } from './programs.ts';
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from './smtp-sink.ts';
import { Supervisor, type SupervisorEvents } from './supervisor.ts';
import { startTemporal } from './temporal.ts';

export interface Platform {
  /** Addresses for people, by what they are. */
  addresses: Record<string, string>;
  baseUrl: string;
  databaseUrl: string;
  temporalAddress: string;
  /** The sink all mail goes to; null when SMTP_URL names a relay. */
  sink: SmtpSink | null;
  supervisor: Supervisor;
  stop(): Promise<void>;
}

export interface PlatformOptions extends SupervisorEvents {
  /** Told in a sentence what is being done. */
  say?: (what: string) => void;
  sink?: SmtpSinkOptions;
  /** Environment a part (`migrate`, `api`, `worker-1` …) is to have beside the settings. */
  environmentOf?: (part: string) => NodeJS.ProcessEnv;
}

/**
 * The whole platform: PostgreSQL, Temporal and an SMTP sink of its own for whatever the settings do not name, migrations, the API and the
 * workers as processes of their own, restarted when they crash. Everything is kept in DATA_DIR.
 * @throws SettingError when the data folder or the port is in use; the error of the part that does not come up
 */
export async function startPlatform(env: Env, options: PlatformOptions = {}): Promise<Platform> {
  const { say = () => {} } = options;
  const dataDir = resolve(env.DATA_DIR);
  const lock = join(dataDir, 'lock');
  const holder = tryLock(lock);
  if (holder) throw new SettingError(`DATA_DIR: process ${holder} is running on ${dataDir}`);
  if (env.PORT && (await freePort(env.PORT)) !== env.PORT) throw new SettingError(`PORT: ${env.PORT} is taken by another program`);

  const supervisor = new Supervisor(options);
  const addresses: Record<string, string> = {};
  let sink: SmtpSink | null = null;
  const stop = async () => {
    await supervisor.stop();
    await sink?.close();
    release(lock);
  };
  try {
    const database = env.DATABASE_URL ?? (await supervisor.add('postgres', () => startPostgres({ dataDir, say }))).url;
    let temporal = env.TEMPORAL_ADDRESS;
    let temporalUi = env.TEMPORAL_UI_URL;
    if (!temporal) {
      const settings = { dataDir, namespace: env.TEMPORAL_NAMESPACE, cliPath: env.TEMPORAL_CLI_PATH, say };
      const server = await supervisor.add('temporal', () => startTemporal(settings));
      temporal = server.address;
      temporalUi ??= server.uiUrl;
    }
    if (!env.SMTP_URL && !env.SMTP_RELAYS) sink = await startKeptSink(join(dataDir, 'sink-ports'), options.sink);

    const port = env.PORT || (await freePort());
    const baseUrl = env.BASE_URL.endsWith(':0') ? env.BASE_URL.replace(/0$/, String(port)) : env.BASE_URL;
    const program: Program = {
      logFolder: join(dataDir, 'logs'),
      graceMs: longestEndMs(env),
      env: {
        ...process.env,
        ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
        DATA_DIR: dataDir,
        PORT: String(port),
        BASE_URL: baseUrl,
        DATABASE_URL: database,
        TEMPORAL_ADDRESS: temporal,
        ...(temporalUi && { TEMPORAL_UI_URL: temporalUi }),
        ...(sink && { SMTP_URL: sink.url }),
        ...(sink?.pageUrl && { INBOX_URL: sink.pageUrl }),
      },
    };
    const programOf = (part: string) => ({ ...program, env: { ...program.env, ...options.environmentOf?.(part) } });
    await runProgram('migrate', programOf('migrate'));
    await supervisor.add('api', () => startApiProcess(programOf('api'), `http://${hostInUrl(loopback(env.HOST))}:${port}`));
    const workers = env.WORKER_PROCESSES ?? Math.max(1, Math.floor(availableParallelism() / 2));
    for (let n = 1; n <= workers; n++) await supervisor.add(`worker-${n}`, () => startWorkerProcess(programOf(`worker-${n}`), n));

    Object.assign(addresses, { API: `${baseUrl}/rest/v1/`, 'API documentation': `${baseUrl}/docs/`, Console: `${baseUrl}/console/` });
    if (temporalUi) addresses['Temporal UI'] = temporalUi;
    if (sink?.pageUrl) addresses['Inbox'] = sink.pageUrl;
    addresses['Logs'] = program.logFolder;
    return { addresses, baseUrl, databaseUrl: database, temporalAddress: temporal, sink, supervisor, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const loopback = (host: string) => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host);

/** A sink whose addresses stay the same from start to start as long as they are free. */
async function startKeptSink(file: string, options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const [port = 0, httpPort = 0] = readKept(file).split(' ').map(Number);
  const sink = await startSmtpSink({ ...options, port: await freePort(port), httpPort: await freePort(httpPort) });
  keepFile(file, `${sink.port} ${new URL(sink.pageUrl!).port}`);
  return sink;
}
