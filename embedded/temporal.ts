import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { type Child, logTail, startChild } from './child.ts';
import { keepFile, readKept } from './kept-file.ts';
import { freePort } from './ports.ts';
import { temporalBinary } from './temporal-binary.ts';

/** A Temporal development server of our own. */
export interface TemporalServer extends Child {
  /** host:port for clients and workers. */
  address: string;
  uiUrl: string;
}

export interface TemporalSettings {
  /** Everything is kept in `<dataDir>/temporal`. */
  dataDir: string;
  namespace: string;
  /** TEMPORAL_CLI_PATH. */
  cliPath?: string | undefined;
  /** false keeps the state in memory and leaves out the web UI (tests). */
  persistent?: boolean;
  /** Told in a sentence what is being done. */
  say?: (what: string) => void;
}

/** Servers of this release take tasks by priority only when told to. */
const PRIORITIES = ['--dynamic-config-value', 'matching.useNewMatcher=true'];

/**
 * Starts the Temporal development server on `<dataDir>/temporal/temporal.db`, which survives restarts and SIGKILL. Ports stay the same
 * from start to start as long as they are free.
 * @throws Error with the last lines of the server's log when it does not come up
 */
export async function startTemporal(settings: TemporalSettings): Promise<TemporalServer> {
  const { namespace, persistent = true, say = () => {} } = settings;
  const command = await temporalBinary(settings.cliPath, say);
  const home = resolve(settings.dataDir, 'temporal');
  mkdirSync(home, { recursive: true });
  const [port, uiPort] = await keptPorts(join(home, 'ports'));
  const state = persistent ? ['--db-filename', join(home, 'temporal.db'), '--ui-port', String(uiPort)] : ['--headless'];
  const place = ['--ip', '127.0.0.1', '--port', String(port), '--namespace', namespace];
  const logFile = join(home, 'server.log');
  const args = ['server', 'start-dev', ...place, ...state, '--log-level', 'error', ...PRIORITIES];
  const server = await startChild({ command, args, logFile, stopSignal: 'SIGTERM' });
  const address = `127.0.0.1:${port}`;
  try {
    await ready(address, namespace, server, logFile);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, address, uiUrl: `http://127.0.0.1:${uiPort}` };
}

async function keptPorts(file: string): Promise<[number, number]> {
  const [oldPort = 0, oldUiPort = 0] = readKept(file).split(' ').map(Number);
  const port = await freePort(oldPort);
  const uiPort = await freePort(oldUiPort);
  keepFile(file, `${port} ${uiPort}`);
  return [port, uiPort];
}

/** Up when the namespace can be described: the port opens earlier. */
async function ready(address: string, namespace: string, server: Child, logFile: string): Promise<void> {
  let ended: string | undefined;
  void server.exited.then((how) => {
    ended = how;
  });
  const giveUp = Date.now() + 60_000;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: '2 seconds' });
      try {
        await connection.withDeadline(Date.now() + 2000, () => connection.workflowService.describeNamespace({ namespace }));
        return;
      } finally {
        await connection.close();
      }
    } catch {
      if (ended) throw new Error(`The Temporal server ended at start (${ended}):\n${logTail(logFile)}`);
      if (Date.now() > giveUp) throw new Error(`The Temporal server did not answer within a minute:\n${logTail(logFile)}`);
      await sleep(100);
    }
  }
}
