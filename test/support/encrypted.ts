import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { type KeyAndCertificate, makeCertificate } from '../../embedded/certificate.ts';
import { type PostgresServer, startPostgres } from '../../embedded/postgres.ts';
import { dataFolder } from './data-folder.ts';

/** A certificate for 127.0.0.1, and the files that settings name. */
export interface CertificateFiles extends KeyAndCertificate {
  keyFile: string;
  certFile: string;
}

/** A certificate of its own, or the one given, written where other users cannot read it. */
export function certificateFiles(folder: string = dataFolder(), { key, cert } = makeCertificate()): CertificateFiles {
  const [keyFile, certFile] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  writeFileSync(keyFile, key, { mode: 0o600 });
  writeFileSync(certFile, cert);
  return { key, cert, keyFile, certFile };
}

/** A PostgreSQL that takes logins over TLS and no others. @returns it, with an address without sslmode, and the file to check its certificate against */
export async function tlsOnlyPostgres(): Promise<PostgresServer & { certFile: string }> {
  const { certFile, ...certificate } = certificateFiles();
  const postgres = await startPostgres({ dataDir: dataFolder(), tls: { ...certificate, authorityFile: certFile } });
  return { ...postgres, url: postgres.url.replace(/\?.*/, ''), certFile };
}

/** A door to a Temporal server that opens, over TLS, to who shows `client`, or a certificate that is signed with it. */
export async function mutualTlsTo(address: string, server: KeyAndCertificate, client: KeyAndCertificate) {
  const inside = new Set<Socket>();
  const [host, port] = address.split(':') as [string, string];
  const options = { key: server.key, cert: server.cert, ca: client.cert, requestCert: true, ALPNProtocols: ['h2'] };
  const door = createServer(options, (caller) => {
    const beyond = connect(Number(port), host);
    inside.add(beyond);
    beyond.on('close', () => inside.delete(beyond));
    for (const [one, other] of [
      [caller, beyond],
      [beyond, caller],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  door.on('tlsClientError', () => {});
  await once(door.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(door.address() as AddressInfo).port}`,
    /** As a door does that is opened anew: who was in has to come again. */
    turnOut() {
      for (const beyond of inside) beyond.destroy();
    },
    close: () => door.close(),
  };
}
