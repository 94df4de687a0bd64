import { createSocket } from 'node:dgram';
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';
import { atEnd } from './endings.ts';

/** Records of a small zone: lists by `TYPE name`, such as `TXT example.org`. TXT values are cut into strings as servers do. */
export type Records = Record<string, string[]>;

export interface NameServer {
  /** For DNS_SERVERS. */
  address: string;
  records: Records;
  /** Answers SERVFAIL while true. */
  broken: boolean;
}

/** A name server of a test's own on a free port of the loopback, over UDP. What is not in its records does not exist. */
export async function startNameServer(records: Records = {}): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server: NameServer = { address: '', records, broken: false };
  socket.on('message', (message, from) => {
    const { id = 0, questions = [] } = decode(message);
    const { type, name } = questions[0]!;
    const lowered = name.toLowerCase();
    const values = server.records[`${type} ${lowered}`] ?? [];
    const exists = Object.keys(server.records).some((key) => key.endsWith(` ${lowered}`));
    const rcode = server.broken ? 2 : values.length || exists ? 0 : 3;
    const answers = server.broken ? [] : values.map((value) => ({ type, name, ttl: 1, data: dataOf(type, value) }) as Answer);
    socket.send(encode({ type: 'response', id, flags: AUTHORITATIVE_ANSWER | rcode, questions, answers }), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  atEnd(() => socket.close());
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

function dataOf(type: string, value: string): unknown {
  if (type === 'TXT') return value.match(/.{1,255}/g);
  return type === 'MX' ? { preference: 10, exchange: value } : value;
}
