import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { adviceFor, type Exchange } from './advice.ts';

const LONGEST_ANSWER = 2_000;

export interface ClientCheck {
  /** What the client is to be pointed at. */
  url: string;
  close(): Promise<void>;
}

/**
 * Stands between a client and a running platform, and tells of each exchange. What is told holds no credentials and no bodies of requests.
 * @param target base URL of the platform
 * @param port 0 for a free one
 */
export async function checkClient(target: string, port: number, onExchange: (exchange: Exchange) => void): Promise<ClientCheck> {
  const to = new URL(target);
  const ask = to.protocol === 'https:' ? httpsRequest : httpRequest;
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const passed = ask(new URL(path, to), { method, headers: { ...headers, host: to.host } }, (answered) => {
      const kept: Buffer[] = [];
      let length = 0;
      // The platform names itself by its own address: the client is to come back here.
      const location = answered.headers.location?.replace(to.origin, `http://${headers.host}`);
      outgoing.writeHead(answered.statusCode ?? 502, { ...answered.headers, ...(location !== undefined && { location }) });
      answered.on('data', (chunk: Buffer) => {
        if (length < LONGEST_ANSWER) kept.push(chunk);
        length += chunk.length;
      });
      answered.on('end', () =>
        onExchange({
          method,
          path,
          status: answered.statusCode ?? 0,
          contentType: headers['content-type'] ?? '',
          answer: Buffer.concat(kept).toString('utf8').slice(0, LONGEST_ANSWER),
          allow: answered.headers.allow ?? '',
          location: answered.headers.location ?? '',
        }),
      );
      answered.pipe(outgoing);
    });
    passed.on('error', (error) => {
      outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(`The platform at ${target} cannot be reached: ${error.message}\n`);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a person reads of an exchange that was refused; null of one that worked. */
export function lineOf(exchange: Exchange): string | null {
  if (exchange.status < 400) return null;
  const { words, page } = adviceFor(exchange);
  const answer = exchange.answer.trim();
  return `${exchange.status} ${exchange.method} ${exchange.path}\n    ${answer ? `${answer.slice(0, 300)}\n    ` : ''}${words} (${page})`;
}
