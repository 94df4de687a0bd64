import { parseArgs } from 'node:util';
import { type SinkRule, startSmtpSink } from '../embedded/smtp-sink.ts';

// A relay that delivers nothing, as a process of its own: node bin/smtp-sink.ts --port 2525 --http-port 8025 --keep 200
// Its first line of output is one JSON object with its addresses. --rules takes a JSON list of SinkRule, to make trouble on purpose.

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '2525' },
    'http-port': { type: 'string', default: '8025' },
    keep: { type: 'string', default: '200' },
    rules: { type: 'string', default: '[]' },
  },
});

const sink = await startSmtpSink({
  host: values.host,
  port: Number(values.port),
  httpPort: Number(values['http-port']),
  keep: Number(values.keep),
  rules: JSON.parse(values.rules) as SinkRule[],
});
console.log(JSON.stringify({ url: sink.url, port: sink.port, pageUrl: sink.pageUrl }));

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => sink.close().then(() => process.exit(0)));
