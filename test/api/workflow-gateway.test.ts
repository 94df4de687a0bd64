import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { answerTo } from '../../api/errors.ts';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { RenewableConnection } from '../../config/renewable-connection.ts';
import { createPool } from '../../db/pool.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { UnavailableError } from '../../domain/errors.ts';
import { freePort } from '../../embedded/ports.ts';
import { connectOrm } from '../../entities/orm.ts';
import { startProxy, type Wire } from '../../tools/chaos/proxy.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';
import { buildSet, idIn, READY } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { startStatementProxy } from '../support/statement-proxy.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

describe('the workflow service, when it is away', () => {
  /** Takes connections and never says a word. */
  const silent = createServer(() => {});
  let closedPort: number;
  before(async () => {
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    closedPort = await freePort();
  });
  after(() => silent.close());

  for (const kind of ['not listening', 'listening and silent'] as const) {
    it(`is said to be, within seconds, by every call: ${kind}`, async () => {
      const port = kind === 'not listening' ? closedPort : (silent.address() as AddressInfo).port;
      const connection = new RenewableConnection({ address: `127.0.0.1:${port}` });
      const workflows = temporalWorkflows(new Client({ connection }));
      const start = { workflow: 'sendMailing', workflowId: 'mailing-1-send', taskQueue: 'campaign', input: {} };
      const began = performance.now();
      await Promise.all([
        assert.rejects(workflows.start(start), UnavailableError),
        assert.rejects(workflows.signalWithStart(start, 'stop'), UnavailableError),
        assert.rejects(workflows.signal('mailing-1-send', 'stop'), UnavailableError),
        assert.rejects(workflows.ready(), UnavailableError),
        workflows.query('mailing-1-send', 'progress', 1000).then((answer) => assert.equal(answer, null)),
      ]);
      assert.ok(performance.now() - began < 40_000, `${performance.now() - began} ms`);
      assert.equal(workflows.isAway, true);
      await connection.close();
    });
  }
});

describe('a workflow service that answers late', () => {
  let wire: Wire;
  let slow: RenewableConnection;
  let api: TestApi;
  let namespace: TestNamespace;
  before(async () => {
    namespace = await createNamespace();
    wire = await startProxy(namespace.address);
    slow = new RenewableConnection({ address: wire.address });
    await slow.ensureConnected();
    api = await startApi({}, undefined, temporalWorkflows(new Client({ connection: slow, namespace: namespace.namespace })));
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 1, email: 'ann@example.org', lists: [1] }]);
  });
  after(async () => {
    wire.close();
    await slow.close();
    await api.close();
  });
  it('is not taken to be away where there is no run to ask', async () => {
    const workflows = temporalWorkflows(new Client({ connection: slow, namespace: namespace.namespace }));
    assert.equal(await workflows.query('mailing-9-send', 'progress', 1000), null);
    assert.equal(workflows.isAway, false);
  });

  const ready = async () => {
    const mailing = await api.create('mailer', READY);
    await buildSet(api, mailing);
    return { mailing, run: namespace.client.workflow.getHandle(`mailing-${idIn(mailing)}-send`) };
  };
  const statusOf = async (mailing: string) => (await api.read(mailing)).status;

  it('is asked what became of a start, and one that was made is told as made', async () => {
    const { mailing, run } = await ready();
    // Each way takes 2.6 seconds: the start is made, and answered after 5.2; so is the question, over which it has come by then.
    await api.read(`${mailing}status/`);
    wire.set({ delayMs: 2_600 });
    setTimeout(() => wire.set('none'), 5_600);
    const answer = await api.call('POST', `${mailing}queue/`);
    wire.set('none');
    assert.equal(answer.statusCode, 201, answer.body);
    assert.equal((await run.describe()).status.name, 'RUNNING');
    assert.equal(await statusOf(mailing), 'queued');
  });

  it('may have started what it was asked: the answer says so, and the mailing stays queued', async () => {
    const { mailing, run } = await ready();
    wire.set({ delayMs: 2_600 });
    const asked = api.call('POST', `${mailing}queue/`);
    // The start arrives; no answer comes back, to this or to the question.
    const arrived = () =>
      run.describe().then(
        () => true,
        () => false,
      );
    while (!(await arrived())) await sleep(50);
    wire.set('drop');
    const answer = await asked;
    assert.equal(answer.statusCode, 503, answer.body);
    assert.match(answer.json().errors.service[0], /may have been/);
    assert.doesNotMatch(answer.body, /nothing was changed/);
    assert.equal((await run.describe()).status.name, 'RUNNING');
    assert.equal(await statusOf(mailing), 'queued');
    wire.set('none');
  });
});

describe('a change whose commit got no answer', () => {
  it('is told as one that may have been made, by the ORM and by plain connections; one that failed before is not', async () => {
    const target = await createDatabase();
    for (const lost of ['commit', 'insert'] as const) {
      let deafened = 0;
      // It is gone a moment after both have come so far.
      const proxy = await startStatementProxy(target, () => (_nth, { text }) => {
        if (!new RegExp(`^${lost}`, 'i').test(text)) return 'pass';
        if (++deafened === 2) setTimeout(() => proxy.close(), 500);
        return 'deafen';
      });
      const url = Object.assign(new URL(target), { port: String(proxy.port) }).href;
      const orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 1 });
      const pool = createPool(url, 1);
      const insert = `insert into core_tag (name) values ('${lost}' || random())`;
      const failures = [
        orm.em.fork().transactional((em) => em.getConnection().execute(insert, [], 'run', em.getTransactionContext())),
        inOneTransaction(pool, (sql) => sql(insert)),
      ].map((done) =>
        done.then(
          () => assert.fail('it was committed'),
          (error: Error) => error,
        ),
      );
      for (const error of await Promise.all(failures)) {
        const answer = answerTo(error, undefined, '');
        assert.equal(answer?.status, 503, String(error));
        assert.match(JSON.stringify(answer?.body), lost === 'commit' ? /may have been/ : /nothing was changed/);
      }
      await pool.end();
      await orm.close(true);
    }
  });
});
