import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { TemporalConnection } from './temporal.ts';

const PATIENCE_MS = 3_000;

/**
 * Why a TLS connection to Temporal does not come about, which its clients keep to themselves.
 * @returns null when it does, when none is asked for, or when nothing is heard
 */
export function whyNoHandshake({ address, tls }: TemporalConnection): Promise<string | null> {
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
    });
    const end = (why: string | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(why);
    };
    const timer = setTimeout(() => end(null), PATIENCE_MS);
    // A server that refuses our certificate says so after the handshake, or ends; one that takes it speaks first.
    socket.once('data', () => end(null));
    socket.once('close', () => end('it ended the connection: it does not take our certificate, or asks for one'));
    socket.once('error', ({ message }: Error) => end(message.replace(/^[0-9A-F]+:error:[^:]*:[^:]*:/, '').split(':')[0]!));
  });
}
