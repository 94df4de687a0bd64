import type pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { SettingError } from '../config/env.ts';
import { whatIsUnheeded } from './connection-parameters.ts';

/** What sslmode may say: as PostgreSQL's own clients mean it, and no-verify of this driver. */
const MODES = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/**
 * What a connection URL says, for whoever opens connections: pools, the ORM, single connections. So all of them are encrypted, or none, and all sessions run in UTC.
 * `sslmode` means what it means to PostgreSQL's own clients: require encrypts, verify-ca and verify-full look at the certificate, too;
 * `sslrootcert`, `sslcert` and `sslkey` name files, `host` a folder with a socket.
 * What the driver would pass over is refused (db/connection-parameters.ts).
 * @param setting the setting it stands in, for errors, which never quote it: it holds a password
 * @throws SettingError
 */
export function connectionTo(url: string, setting = 'DATABASE_URL'): pg.ClientConfig {
  if (/@[^/?]*,|[?&]host=[^&]*(,|%2C)/i.test(url))
    throw new SettingError(`${setting} names several hosts: give the one address that leads to the primary`);
  const parsed = read(url, setting);
  if (!MODES.includes(String(parsed.sslmode ?? 'disable')))
    throw new SettingError(`${setting}: sslmode is one of ${MODES.join(', ')}, so that it is certain whether a connection is encrypted`);
  const unheeded = whatIsUnheeded(new URL(url));
  if (unheeded) throw new SettingError(`${setting}: ${unheeded}`);
  const { sslmode, sslrootcert, sslcert, sslkey, ...settings } = toClientConfig(parsed) as pg.ClientConfig & Record<string, unknown>;
  return { ...settings, options: [settings.options, '-c timezone=UTC'].filter(Boolean).join(' ') };
}

function read(url: string, setting: string) {
  try {
    // As the parts are read of it elsewhere: one that has a login and no host is none.
    new URL(url);
    return parse(url, { useLibpqCompat: !/[?&]sslmode=no-verify(&|$)/.test(url) });
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    if (path) throw new SettingError(`${setting}: ${path} cannot be read (${code})`);
    throw new SettingError(
      /sslrootcert/.test(message)
        ? `${setting}: sslmode=verify-ca needs sslrootcert`
        : `${setting} is no URL: in a password @ is %40, # is %23 and / is %2F; before a socket stands localhost: …@localhost/NAME?host=/FOLDER`,
    );
  }
}
