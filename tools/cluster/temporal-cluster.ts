import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { newConnection } from '../../db/driver.ts';
import { type Child, logTail, startChild } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { type Authority, type Identity, NAME } from './authority.ts';
import { temporalBinaries } from './temporal-binaries.ts';

const SHARDS = 64;
const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;
const UP_WITHIN_MS = 120_000;

/**
 * A Temporal cluster: nodes that share a database, each with every service, on a loopback address of its own. Nodes show each other a certificate, and whoever comes to their
 * doors has to. Their database lets in who is encrypted.
 */
export interface TemporalCluster {
  /** host:port of each node's door. */
  readonly addresses: readonly string[];
  /** The settings by which it lets somebody in. */
  readonly settings: Record<string, string>;
  /** The superuser's address of the nodes' database. */
  readonly storeUrl: string;
  /** Puts another certificate, good for so long, in the place of the one the settings name. */
  certify(seconds?: number): void;
  kill(node: number): Promise<void>;
  start(node: number): Promise<void>;
  stop(): Promise<void>;
}

/** @param authority of its certificates. @param say told in a sentence what takes time. @throws Error when a node does not come up */
export async function startTemporalCluster(
  folder: string,
  nodes: number,
  authority: Authority,
  say: (what: string) => void,
): Promise<TemporalCluster> {
  const { server, sql } = await temporalBinaries(say);
  const store = await startPostgres({ dataDir: join(folder, 'temporal-store'), tls: authority.identify('temporal-store') });
  await makeTables(sql, store.url, authority);
  const ports: Record<string, number> = {};
  for (const service of SERVICES) for (const kind of ['rpc', 'membership']) ports[`${service}-${kind}`] = await freePort();
  const host = (node: number) => `127.0.0.${node + 1}`;
  const addresses = Array.from({ length: nodes }, (_, node) => `${host(node)}:${ports['frontend-rpc']}`);
  const running: (Child | null)[] = addresses.map(() => null);
  const [identity, client] = [authority.identify('node'), authority.identify('client')];

  const start = async (node: number) => {
    const home = join(folder, `temporal-${node}`);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'dynamic.yaml'), stringify({ 'matching.useNewMatcher': [{ value: true }] }));
    writeFileSync(join(home, 'node.yaml'), stringify(configOf(store.url, host(node), ports, join(home, 'dynamic.yaml'), identity)));
    const logFile = join(home, 'server.log');
    const args = ['--root', home, '--config', '.', '--env', 'node', '--allow-no-auth', 'start'];
    const child = await startChild({ command: server, args, logFile, stopSignal: 'SIGTERM' });
    running[node] = child;
    await isUp(addresses[node]!, identity, child, logFile);
  };
  for (let node = 0; node < nodes; node++) await start(node);
  return {
    addresses,
    storeUrl: Object.assign(new URL(store.url), { username: 'postgres', pathname: '/postgres' }).href,
    settings: {
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.file,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.certFile,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.keyFile,
      TEMPORAL_TLS_SERVER_NAME: NAME,
    },
    certify: (seconds) => void authority.identify('client', seconds),
    start,
    async kill(node) {
      const child = running[node];
      if (!child) return;
      process.kill(child.pid, 'SIGKILL');
      await child.exited;
      running[node] = null;
    },
    async stop() {
      await Promise.all(running.map((child) => child?.stop()));
      await store.stop();
    },
  };
}

/** Both ways: who is called shows a certificate, and asks for the caller's. */
function tlsOf({ keyFile, certFile, authorityFile }: Identity): object {
  const server = { certFile, keyFile, requireClientAuth: true, clientCaFiles: [authorityFile] };
  const side = { server, client: { serverName: NAME, rootCaFiles: [authorityFile] } };
  return { internode: side, frontend: side };
}

const DATABASES = { temporal: 'postgresql/v12/temporal', temporal_visibility: 'postgresql/v12/visibility' } as const;

async function makeTables(tool: string, url: string, authority: Authority): Promise<void> {
  const { hostname, port, username, password } = new URL(url);
  const client = newConnection(url);
  await client.connect();
  for (const name of Object.keys(DATABASES)) await client.query(`create database ${name}`);
  await client.end();
  for (const [database, schema] of Object.entries(DATABASES)) {
    const place = ['--plugin', 'postgres12', '--ep', hostname, '-p', port, '-u', username, '--pw', password, '--db', database];
    place.push('--tls', '--tls-ca-file', authority.file);
    await promisify(execFile)(tool, [...place, 'setup-schema', '-v', '0.0']);
    await promisify(execFile)(tool, [...place, 'update-schema', '--schema-name', schema]);
  }
}

function configOf(url: string, host: string, ports: Record<string, number>, dynamic: string, identity: Identity): object {
  const { hostname, port, username: user, password } = new URL(url);
  const sql = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `${hostname}:${port}`,
      connectProtocol: 'tcp',
      user,
      password,
      maxConns: 20,
      maxIdleConns: 20,
      maxConnLifetime: '1h',
      tls: { enabled: true, caFile: identity.authorityFile, enableHostVerification: true },
    },
  });
  const door = `${host}:${ports['frontend-rpc']}`;
  const service = (name: string) => ({
    rpc: { grpcPort: ports[`${name}-rpc`], membershipPort: ports[`${name}-membership`], bindOnIP: host },
  });
  return {
    log: { stdout: true, level: 'error' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: { default: sql('temporal'), visibility: sql('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: host }, tls: tlsOf(identity) },
    services: Object.fromEntries(SERVICES.map((name) => [name, service(name)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: door } },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    publicClient: { hostPort: door },
    dynamicConfigClient: { filepath: dynamic, pollInterval: '1m' },
  };
}

async function isUp(address: string, { key, cert, authorityFile }: Identity, child: Child, logFile: string): Promise<void> {
  const clientCertPair = { crt: Buffer.from(cert), key: Buffer.from(key) };
  const tls = { serverNameOverride: NAME, serverRootCACertificate: readFileSync(authorityFile), clientCertPair };
  let ended: string | undefined;
  void child.exited.then((how) => {
    ended = how;
  });
  for (const giveUp = Date.now() + UP_WITHIN_MS; ; await sleep(200)) {
    try {
      const connection = await Connection.connect({ address, tls, connectTimeout: '2 seconds' });
      await connection.withDeadline(Date.now() + 2_000, () => connection.workflowService.listNamespaces({}));
      return await connection.close();
    } catch (error) {
      if (!ended && Date.now() < giveUp) continue;
      throw new Error(`A Temporal node did not come up (${ended ?? (error as Error).message}):\n${logTail(logFile)}`);
    }
  }
}
