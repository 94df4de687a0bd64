import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyAndCertificate } from './certificate.ts';

/** What a server shows who comes, and the file with which that is checked. */
export interface ServerCertificate extends KeyAndCertificate {
  authorityFile: string;
}

/**
 * Writes what a server needs to take logins and standbys over TLS and no others.
 * @param home of the server, its data folder in it
 * @returns its parameters, and what an address of it ends with
 */
export function encryptedOnly(home: string, { key, cert, authorityFile }: ServerCertificate) {
  const data = join(home, 'data');
  const { uid, gid } = statSync(data);
  const [keyFile, certFile] = [join(home, 'tls.key'), join(home, 'tls.crt')];
  writeFileSync(keyFile, key, { mode: 0o600 });
  writeFileSync(certFile, cert);
  for (const file of [keyFile, certFile]) chownSync(file, uid, gid);
  writeFileSync(join(data, 'pg_hba.conf'), ['all', 'replication'].map((what) => `hostssl ${what} all all scram-sha-256\n`).join(''));
  return {
    parameters: { ssl: 'on', ssl_key_file: keyFile, ssl_cert_file: certFile },
    search: `?sslmode=verify-full&sslrootcert=${authorityFile}`,
  };
}
