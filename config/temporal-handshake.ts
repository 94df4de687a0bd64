import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { TemporalConnection } from './temporal.ts';

const PATIENCE_MS = 3_000;

/** What a TLS connection to Temporal met, which its clients keep to themselves. */
export interface Handshake {
  /** Why none comes about; null when one does, and when nothing is heard. */
  refused: string | null;
  /** What Temporal shows, whether or not it is taken. */
  certificate: X509Certificate | null;
}

/** @returns null when no TLS is asked for */
export function shakeHands({ address, tls }: TemporalConnection): Promise<Handshake | null> {
  if (!tls) return Promise.resolve(null);
  const { hostname, port } = new URL(`temporal://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const servername = tls.serverNameOverride ?? (isIP(host) ? undefined : host);
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 7233),
      ...(servername && { servername }),
      ca: tls.serverRootCACertificate,
      cert: tls.clientCertPair?.crt,
      key: tls.clientCertPair?.key,
      ALPNProtocols: ['h2'],
      // It is judged below: a connection that is refused at once does not let its certificate be looked at.
      rejectUnauthorized: false,
    });
    let certificate: X509Certificate | null = null;
    const end = (refused: string | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ refused, certificate });
    };
    const timer = setTimeout(() => end(null), PATIENCE_MS);
    socket.once('secureConnect', () => {
      certificate = socket.getPeerX509Certificate() ?? null;
      if (!socket.authorized) end(whyNotTaken(socket, certificate));
    });
    // A server that refuses our certificate says so after the handshake, or ends; one that takes it speaks first.
    socket.once('data', () => end(null));
    socket.once('close', () => end('it ended the connection: it does not take our certificate, or asks for one'));
    socket.once('error', ({ message }: Error) => end(message.replace(/^[0-9A-F]+:error:[^:]*:[^:]*:/, '').split(':')[0]!));
  });
}

function whyNotTaken({ authorizationError: why }: TLSSocket, certificate: X509Certificate | null): string {
  if (String(why) === 'CERT_HAS_EXPIRED' && certificate) return `its certificate ran out at ${certificate.validToDate.toISOString()}`;
  return `its certificate is not taken (${why})`;
}
