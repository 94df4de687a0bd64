import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { runProgram, startApiProcess } from '../../embedded/programs.ts';
import { startBalancer } from '../../tools/cluster/balancer.ts';
import { startHaproxy } from '../../tools/cluster/front-door.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';

const CALLERS = 20;
/** As docs/operations.md says. */
const DRAIN_SECONDS = 10;
const WITHIN_MS = 60_000;

describe('two APIs behind haproxy, by the lines that the docs show', () => {
  let url: string;
  let log: string;
  let apis: Child[];
  let start: (n: number) => Promise<Child>;
  const headers = { authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}` };
  const temporal = { targets: [] as string[], turnOut() {} };

  /** @returns the status, or what went wrong */
  const ask = (path = '/rest/v1/list/') =>
    fetch(`${url}${path}`, { headers }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      (error: Error) => (error.cause as Error | undefined)?.message ?? error.message,
    );

  before(async function () {
    const ports: [number, number] = [await freePort(), await freePort()];
    const folder = dataFolder();
    log = join(folder, 'haproxy.log');
    const proxy = await startHaproxy(folder, ports);
    if (!proxy) {
      console.log('      haproxy is not installed: nothing was restarted behind it');
      return this.skip();
    }
    atEnd(() => proxy.stop());
    url = `http://${proxy.address}`;
    const { address, namespace } = await createNamespace();
    temporal.targets.push(address);
    const door = await startBalancer(() => temporal.targets);
    temporal.turnOut = door.turnOut;
    atEnd(() => door.close());
    const env = {
      ...process.env,
      BASE_URL: url,
      DATA_DIR: dataFolder(),
      DATABASE_URL: await createDatabase(),
      TEMPORAL_ADDRESS: door.address,
      TEMPORAL_NAMESPACE: namespace,
      API_DRAIN_SECONDS: String(DRAIN_SECONDS),
      TRUST_PROXY: 'true',
    };
    await runProgram('migrate', { logFolder: dataFolder(), env });
    start = (n) => startApiProcess({ logFolder: dataFolder(), env: { ...env, PORT: String(ports[n]) } }, `http://127.0.0.1:${ports[n]}`);
    apis = await Promise.all(ports.map((_, n) => start(n)));
    atEnd(() => Promise.all(apis.map((part) => part.stop())));
    await until('ready', async () => (await ask('/health/ready')) === 200);
  });

  const until = async (what: string, holds: () => Promise<boolean>) => {
    for (const giveUp = Date.now() + WITHIN_MS; !(await holds()); await sleep(50))
      assert.ok(Date.now() < giveUp, `not within a minute: ${what}`);
  };

  /** How often the proxy has seen an API come back, as its log says. */
  const timesSeen = (backend: string, n: number) => readFileSync(log, 'utf8').split(`Server ${backend}/api-${n + 1} is UP`).length;

  /**
   * Some ask all the while, until both were told to end and started anew, the second once the proxy has seen that the first is back.
   * @param backend of the proxy, in which they are asked meanwhile
   * @returns how often each answer came
   */
  const askWhileRestarted = async (backend: 'apis' | 'apis-not-ready') => {
    const met = new Map<number | string, number>();
    let over = false;
    const caller = async (_: unknown, n: number) => {
      while (!over) {
        const answer = await ask();
        met.set(answer, (met.get(answer) ?? 0) + 1);
        // Some at once, some after a while: connections of all ages are there when an API ends.
        await sleep(n % 4 ? Math.random() * 1_000 * n : 40);
      }
    };
    const calling = Promise.all(Array.from({ length: CALLERS }, caller));
    for (const n of apis.keys()) {
      const before = timesSeen(backend, n);
      await apis[n]!.stop();
      apis[n] = await start(n);
      await until(`the proxy has seen api-${n + 1} come back`, async () => timesSeen(backend, n) > before);
    }
    over = true;
    await calling;
    return met;
  };

  const nothingFailed = (met: Map<number | string, number>) => {
    assert.deepEqual([...met.keys()], [200], JSON.stringify([...met]));
    assert.ok(met.get(200)! > 1_000, `${met.get(200)} requests`);
  };

  it('are told by the proxy who calls, whatever the caller says', async () => {
    const send = (path: string, body: object, more = {}) =>
      fetch(`${url}/rest/v1/${path}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...more },
        body: JSON.stringify(body),
      });
    assert.equal((await send('signuppage', { name: 'join' }, headers)).status, 201);
    const sent = await send('action', { page: 'join', email: 'ann@example.org' }, { 'x-forwarded-for': '203.0.113.6' });
    assert.equal(sent.status, 201);
    const { objects } = (await (await fetch(`${url}/rest/v1/action/`, { headers })).json()) as { objects: { ip_address: string }[] };
    assert.deepEqual(
      objects.map((action) => action.ip_address),
      ['127.0.0.1'],
    );
  });

  it('are restarted one after the other, and no request fails', async () => nothingFailed(await askWhileRestarted('apis')));

  it('are asked all the same while neither is ready, do what they can without Temporal, and are restarted without a failure then, too', async () => {
    const [address] = temporal.targets.splice(0);
    temporal.turnOut();
    const said = async () => (await fetch(`${url}/health/ready`)).text();
    await until('both say what is away', async () => /"workflows":"away/.test(await said()));
    // Until the proxy knows it of both.
    await sleep(2_500);
    assert.equal(await ask(), 200);
    assert.match(await said(), /"workflows":"away/);
    nothingFailed(await askWhileRestarted('apis-not-ready'));
    temporal.targets.push(address!);
    await until('ready again', async () => (await ask('/health/ready')) === 200);
  });
});
