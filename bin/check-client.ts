import { appendFileSync } from 'node:fs';
import { checkClient, lineOf } from '../tools/check-client/proxy.ts';
import { command, UsageError, wholeNumber } from './command.ts';

// Stands between a client and a running platform and prints every request that is refused, with the reason and the page that says what would work.
const USAGE = `npm run check-client -- [--record FILE] [--api URL] [--port N]
  --record FILE  gets every exchange, one JSON document a line, without credentials and without what the client sent
  --api URL      the platform (API_URL, or http://127.0.0.1:8480)
  --port N       where the client is to be pointed at (8490)`;

const options = {
  record: { type: 'string' },
  api: { type: 'string', default: process.env['API_URL'] || 'http://127.0.0.1:8480' },
  port: { type: 'string', default: '8490' },
} as const;

await command(
  USAGE,
  options,
  async (_words, { record, api, port }) => {
    if (!/^https?:$/.test(URL.parse(api)?.protocol ?? ''))
      throw new UsageError(`--api takes an address like http://127.0.0.1:8480, not “${api}”.`);
    const at = wholeNumber('--port', port, 0, 65_535);
    if (record) appendFileSync(record, '');
    let [asked, refused] = [0, 0];
    const check = await checkClient(api, at, (exchange) => {
      asked++;
      if (record) appendFileSync(record, `${JSON.stringify(exchange)}\n`);
      const line = lineOf(exchange);
      if (line === null) return;
      refused++;
      console.log(line);
    });
    console.log(`Point the client at ${check.url}; Ctrl-C ends with the sum.`);
    process.once('SIGINT', () => {
      console.log(`\n${asked} requests, ${refused} refused`);
      void check.close();
    });
  },
  0,
);
