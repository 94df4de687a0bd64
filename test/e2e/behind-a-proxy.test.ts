import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { runProgram, startApiProcess } from '../../embedded/programs.ts';
import { onPath } from '../../embedded/temporal-binary.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';

const CALLERS = 20;
const DRAIN_SECONDS = 3;
/** The lines that the docs show; without tries of its own that would hide what fails. */
const LINES = `${/```haproxy\n(.*?)```/s.exec(readFileSync('docs/operations.md', 'utf8'))![1]!.replace('mode http', 'mode http\n  retries 0')}`;

describe('two APIs behind haproxy', function () {
  this.timeout(240_000);

  it('are restarted one after the other, and no request fails', async function () {
    const haproxy = onPath('haproxy');
    if (!haproxy) {
      console.log('      haproxy is not installed: nothing was restarted behind it');
      return this.skip();
    }
    const { address, namespace } = await createNamespace();
    const [port, ...ports] = [await freePort(), await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      BASE_URL: url,
      DATA_DIR: dataFolder(),
      DATABASE_URL: await createDatabase(),
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      API_DRAIN_SECONDS: String(DRAIN_SECONDS),
    };
    await runProgram('migrate', { logFolder: dataFolder(), env });
    const start = (n: number) =>
      startApiProcess({ logFolder: dataFolder(), env: { ...env, PORT: String(ports[n]) } }, `http://127.0.0.1:${ports[n]}`);
    const apis = await Promise.all(ports.map((_, n) => start(n)));
    const folder = dataFolder();
    const places = [port, ...ports].reduce((lines, place, n) => lines.replace(`127.0.0.1:${8480 + n}`, `127.0.0.1:${place}`), LINES);
    writeFileSync(join(folder, 'haproxy.cfg'), places);
    const args = ['-db', '-f', join(folder, 'haproxy.cfg')];
    const proxy = await startChild({ command: haproxy, args, logFile: join(folder, 'haproxy.log'), stopSignal: 'SIGUSR1' });
    atEnd(() => Promise.all([proxy, ...apis].map((part) => part.stop())));

    const headers = { authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}` };
    const ask = () =>
      fetch(`${url}/rest/v1/list/`, { headers }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        (error: Error) => (error.cause as Error | undefined)?.message ?? error.message,
      );
    while ((await ask()) !== 200) await sleep(50);
    const met = new Map<number | string, number>();
    let over = false;
    const caller = async () => {
      while (!over) {
        const answer = await ask();
        met.set(answer, (met.get(answer) ?? 0) + 1);
        await sleep(5);
      }
    };
    const calling = Promise.all(Array.from({ length: CALLERS }, caller));
    for (const n of apis.keys()) {
      await apis[n]!.stop();
      apis[n] = await start(n);
      // Until the proxy has seen that it is back.
      await sleep(2_500);
    }
    over = true;
    await calling;
    assert.deepEqual([...met.keys()], [200], JSON.stringify([...met]));
    assert.ok(met.get(200)! > 1_000, `${met.get(200)} requests`);
  });
});
