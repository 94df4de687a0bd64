import { readFileSync } from 'node:fs';
import { type Env, needed, SettingError } from './env.ts';

/** Where and how to connect to Temporal: what the SDK's connections, of clients and workers, are made with. */
export interface TemporalConnection {
  address: string;
  tls?: { serverNameOverride?: string; serverRootCACertificate?: Buffer; clientCertPair?: { crt: Buffer; key: Buffer } };
  apiKey?: string;
}

/** The settings that name a file. */
type FileSetting = 'TEMPORAL_TLS_SERVER_CA_CERT_PATH' | 'TEMPORAL_TLS_CLIENT_CERT_PATH' | 'TEMPORAL_TLS_CLIENT_KEY_PATH';

/**
 * One for API, worker, migrate and commands, so that all of them are encrypted, or none: with TEMPORAL_TLS, and wherever anything is given that only TLS
 * can use.
 * @throws SettingError naming what is missing, a file that cannot be read, or half a pair
 */
export function temporalConnection(env: Env): TemporalConnection {
  const { TEMPORAL_ADDRESS: address } = needed(env, 'TEMPORAL_ADDRESS');
  const { TEMPORAL_API_KEY: apiKey, TEMPORAL_TLS_SERVER_NAME: serverName } = env;
  const ca = readSetting(env, 'TEMPORAL_TLS_SERVER_CA_CERT_PATH');
  const crt = readSetting(env, 'TEMPORAL_TLS_CLIENT_CERT_PATH');
  const key = readSetting(env, 'TEMPORAL_TLS_CLIENT_KEY_PATH');
  if (!crt !== !key) throw new SettingError('TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH need each other');
  const encrypted = env.TEMPORAL_TLS ?? Boolean(apiKey || serverName || ca || crt);
  if (!encrypted) {
    if (apiKey) throw new SettingError('TEMPORAL_API_KEY goes over TLS only: TEMPORAL_TLS is false');
    return { address };
  }
  const tls = {
    ...(serverName && { serverNameOverride: serverName }),
    ...(ca && { serverRootCACertificate: ca }),
    ...(crt && key && { clientCertPair: { crt, key } }),
  };
  return { address, tls, ...(apiKey && { apiKey }) };
}

function readSetting(env: Env, setting: FileSetting): Buffer | undefined {
  const path = env[setting];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new SettingError(`${setting}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
