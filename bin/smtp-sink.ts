import { endProcess } from '../embedded/end-process.ts';
import { type SinkRule, startSmtpSink } from '../embedded/smtp-sink.ts';
import { command, UsageError, wholeNumber } from './command.ts';

// A relay that delivers nothing, as a process of its own. Its first line of output is one JSON object with its addresses.
const USAGE = `node bin/smtp-sink.ts [--host 127.0.0.1] [--port 2525] [--http-port 8025] [--keep 200] [--rules JSON]
  --rules JSON   a list of SinkRule (embedded/sink/rules.ts), to make trouble on purpose`;

const options = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string', default: '2525' },
  'http-port': { type: 'string', default: '8025' },
  keep: { type: 'string', default: '200' },
  rules: { type: 'string', default: '[]' },
} as const;

await command(
  USAGE,
  options,
  async (_words, values) => {
    const sink = await startSmtpSink({
      host: values.host,
      port: wholeNumber('--port', values.port, 0, 65_535),
      httpPort: wholeNumber('--http-port', values['http-port'], 0, 65_535),
      keep: wholeNumber('--keep', values.keep, 0),
      rules: readRules(values.rules),
    });
    console.log(JSON.stringify({ url: sink.url, port: sink.port, pageUrl: sink.pageUrl }));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => sink.close().then(() => endProcess(0)));
  },
  0,
);

function readRules(text: string): SinkRule[] {
  try {
    const rules: unknown = JSON.parse(text);
    if (Array.isArray(rules)) return rules;
  } catch {
    // Said below.
  }
  throw new UsageError('--rules takes a list of rules as JSON.');
}
