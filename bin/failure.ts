import { readEnv, SettingError } from '../config/env.ts';
import { hostInUrl } from '../config/host-in-url.ts';
import { isTemporalAway, whyAway, whyRefused } from '../config/temporal-away.ts';
import { hostOf, whyUnreached } from '../db/away.ts';
import { FileError, InputError } from '../domain/errors.ts';

type Failure = Error & {
  code?: string | number;
  syscall?: string;
  path?: string;
  severity?: string;
  address?: string;
  port?: number;
  hostname?: string;
};

const FILE: Record<string, string> = {
  ENOENT: 'there is no such file',
  EEXIST: 'there is a file of that name already',
  EISDIR: 'that is a folder, not a file',
  ENOTDIR: 'a part of that path is no folder',
  EACCES: 'it may not be read or written',
  EPERM: 'it may not be read or written',
  ENOSPC: 'the disk is full',
};

const LISTEN: Record<string, string> = {
  EADDRINUSE: 'is taken by another program',
  EACCES: 'may not be listened at by this user',
  EADDRNOTAVAIL: 'is no address of this machine',
};

/** PostgreSQL's classes of refusal at the door: authentication, no such database, too many connections, starting or stopping; a pooler that takes no settings. */
const REFUSED = /^(28|3D|53300|57P0|08P01)/;
const NOT_ALLOWED = '42501';
const READ_ONLY = '25006';
/** In the driver's words, which has no code for it. */
const NOT_ENCRYPTED = 'The server does not support SSL connections';
/** What no PostgreSQL says. */
const OLD_POOLER = /^unsupported startup parameter/;

/**
 * One sentence for a failure that somebody at a terminal can mend: a setting, a file, a service that is away; with the name of the setting that leads to it.
 * @returns null for every other: that one is a defect, and its stack is wanted
 */
export function plainWords(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  // A host of several addresses, none of which answers.
  if (error instanceof AggregateError && error.errors.length) return plainWords(error.errors[0]);
  const { code, syscall, path, message, severity, address, port, hostname } = error as Failure;
  if (error instanceof InputError) return Object.values(error.fields).flat().join('\n');
  if (error instanceof SettingError || error instanceof FileError) return message;
  if (isTemporalAway(error)) return whyAway(error, readEnv());
  const refused = whyRefused(error, readEnv());
  if (refused) return refused;
  const unreached = whyUnreached(error);
  const listening = syscall === 'getaddrinfo' ? hostSetting(hostname) : null;
  if (unreached && listening) return `${listening}: ${hostname} cannot be listened at: ${unreached}`;
  if (unreached) return `DATABASE_URL: no PostgreSQL answers at ${hostOf(process.env['DATABASE_URL'])}: ${unreached}`;
  if (message === NOT_ENCRYPTED)
    return `DATABASE_URL: PostgreSQL at ${hostOf(process.env['DATABASE_URL'])} has no encrypted connections, which its sslmode asks for`;
  if (typeof code !== 'string') return null;
  if (path !== undefined && FILE[code]) return `${path}: ${FILE[code]}`;
  if (syscall === 'listen' && port !== undefined && LISTEN[code])
    return `${portSetting(port)}${hostInUrl(address ?? '')}:${port} ${LISTEN[code]}`;
  if (severity && code === NOT_ALLOWED)
    return `DATABASE_URL: its login may not do that (${message}): it has to own the database, docs/operations.md says what else it needs`;
  if (severity && code === READ_ONLY)
    return `DATABASE_URL: the database takes no changes (${message}): lead it to the primary, or look at default_transaction_read_only`;
  if (severity && REFUSED.test(code))
    return `DATABASE_URL: PostgreSQL at ${hostOf(process.env['DATABASE_URL'])} refuses the connection: ${message}${OLD_POOLER.test(message) ? '; a pgbouncer before it has to be 1.21 or later' : ''}`;
  return null;
}

/** Which setting asks to listen at a host; null for one that is to be reached. */
function hostSetting(hostname: string | undefined): string | null {
  const { HOST, BOUNCE_HOST, CODEC_HOST } = process.env;
  return Object.entries({ HOST, BOUNCE_HOST, CODEC_HOST }).find(([, value]) => value && value === hostname)?.[0] ?? null;
}

/** Which setting asks for the port; nothing for that of an option. */
function portSetting(port: number): string {
  const { PORT = '8480', BOUNCE_PORT, WORKER_METRICS, CODEC_PORT = '8488' } = process.env;
  const asked = Object.entries({ BOUNCE_PORT, WORKER_METRICS, PORT, CODEC_PORT }).find(
    ([, value]) => value?.replace(/^.*:/, '') === String(port),
  );
  return asked ? `${asked[0]}: ` : '';
}
