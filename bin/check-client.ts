import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkClient, lineOf } from '../tools/check-client/proxy.ts';

// npm run check-client -- --record FILE: stands between a client and a running platform and prints every request that is refused, with the reason and the page
// that says what would work. FILE gets every exchange, one JSON document a line, without credentials and without what the client sent.
//   --api URL      the platform (API_URL, or http://127.0.0.1:8480)
//   --port N       where the client is to be pointed at (8490)
const { values } = parseArgs({
  options: {
    record: { type: 'string' },
    api: { type: 'string', default: process.env['API_URL'] || 'http://127.0.0.1:8480' },
    port: { type: 'string', default: '8490' },
  },
});
let [asked, refused] = [0, 0];
try {
  const check = await checkClient(values.api, Number(values.port), (exchange) => {
    asked++;
    if (values.record) appendFileSync(values.record, `${JSON.stringify(exchange)}\n`);
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
} catch (error) {
  console.error(`check-client: ${(error as Error).message}`);
  process.exitCode = 1;
}
