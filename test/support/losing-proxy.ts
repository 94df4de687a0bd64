import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LosingProxy {
  url: string;
  /** Method, path and Idempotency-Key of every request that came, the newest last. */
  seen: { method: string; path: string; key: string | undefined }[];
  close(): Promise<void>;
}

/**
 * A bad line to the platform. Of the first request to name something `lost`, in its address or its body, and of every first DELETE, the platform's answer is
 * dropped with the connection; the first to name something `busy` is not passed on, and told to come again after a second.
 */
export async function losingProxy(target: string): Promise<LosingProxy> {
  const seen: LosingProxy['seen'] = [];
  const known = new Set<string>();
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    seen.push({ method, path, key: headers['idempotency-key'] as string | undefined });
    const body = await textOf(incoming);
    const request = `${method} ${path} ${body}`;
    const first = !known.has(request);
    known.add(request);
    if (first && request.includes('busy')) return void outgoing.writeHead(503, { 'retry-after': '1' }).end();
    const { authorization = '', 'content-type': type, 'idempotency-key': key } = headers;
    const answer = await fetch(target + path, {
      method,
      headers: { authorization, ...(type && { 'content-type': type }), ...(key && { 'idempotency-key': String(key) }) },
      ...(body && { body }),
      redirect: 'manual',
    });
    const text = await answer.text();
    if (first && (request.includes('lost') || method === 'DELETE')) return void outgoing.destroy();
    const passed = ['content-type', 'location', 'retry-after'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    outgoing.writeHead(answer.status, Object.fromEntries(passed)).end(text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
