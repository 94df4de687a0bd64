import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** How a call is answered in place of the server. */
export interface Refusal {
  /** Of gRPC. */
  code: number;
  message: string;
}

/** What stands before Temporal's server and can answer for it. */
export interface Frontend {
  address: string;
  /** By the name of the call, as `StartWorkflowExecution`; null lets it through, a number after so many milliseconds, and to `silence` there is never an answer. */
  refuse: (call: string) => Refusal | 'silence' | number | null;
  /** How often each was made, refused or not. */
  calls: Map<string, number>;
  close(): void;
}

/** @param target host:port of a server that is spoken to without TLS */
export async function startFrontend(target: string): Promise<Frontend> {
  const behind: ClientHttp2Session = connect(`http://${target}`);
  behind.on('error', () => {});
  const pass = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const { ':authority': _, ...rest } = headers;
    const onward = behind.request({ ...rest, ':authority': target });
    onward.on('error', () => stream.close());
    stream.on('close', () => onward.close());
    onward.on('response', ({ ':status': status, ...answer }, flags) => {
      if (stream.destroyed) return;
      const ended = (flags & 1) !== 0;
      stream.respond({ ':status': status, ...answer }, { endStream: ended, waitForTrailers: !ended });
      if (ended) return;
      let trailers = {};
      onward.on('trailers', (sent) => {
        trailers = sent;
      });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      onward.pipe(stream);
    });
    stream.pipe(onward);
  };
  const server = createServer();
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {}).on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {});
    const call = headers[':path']!.split('/').at(-1)!;
    frontend.calls.set(call, (frontend.calls.get(call) ?? 0) + 1);
    const refusal = frontend.refuse(call);
    if (refusal === 'silence') return stream.resume();
    if (typeof refusal === 'number') return setTimeout(() => pass(stream, headers), refusal);
    if (refusal) {
      stream.resume();
      const { code, message } = refusal;
      const trailers = { 'grpc-status': String(code), 'grpc-message': encodeURIComponent(message) };
      return stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
    }
    pass(stream, headers);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const frontend: Frontend = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: () => null,
    calls: new Map(),
    close() {
      for (const session of sessions) session.destroy();
      behind.destroy();
      server.close();
    },
  };
  return frontend;
}
