import assert from 'node:assert/strict';
import { clearOld } from '../../../core/retention.ts';
import { ADMIN, startApi, type TestApi } from '../../support/api.ts';
import { ConsoleVisitor } from '../../support/console-visitor.ts';
import { rowsRead } from '../../support/rows-read.ts';

const MANY = 30_000;

// One for every action, donation, change of a person, and each webhook: they stay for a month.
describe('deliveries by the million', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  before(async () => {
    api = await startApi();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await api.create('webhook', { url: 'https://example.org/hook', events: ['action'], secret });
    await api.pool.query(
      `insert into core_webhookdelivery (webhook_id, event, resource, resource_id, status, attempts, created_at)
       select (select id from core_webhook), 'action', 'action', n, case when n in (5, 70) then 'failed' else 'delivered' end, 1, now() - (${MANY} - n) * interval '1 minute'
       from generate_series(1, ${MANY}) n`,
    );
    await api.pool.query(`insert into core_user (id, email) values (1, 'ann@example.org')`);
    await api.pool.query(
      `insert into core_logintoken (user_id, token_hash, expires_at) select 1, n, now() + interval '30 days' from generate_series(1, ${MANY}) n`,
    );
    await api.pool.query('vacuum analyze core_webhookdelivery, core_logintoken');
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const few = async (work: () => Promise<unknown>, table = 'core_webhookdelivery') => {
    const rows = await rowsRead(api.pool, table, work);
    assert.ok(rows < 2500, `${rows} rows of ${table} were read`);
  };

  it('show the few that failed without the others being read', async () => {
    const hook = (await api.read('/rest/v1/webhook/')).objects[0].id;
    await few(async () => {
      const { body } = await visitor.get(`/console/webhooks/${hook}/?status=failed`);
      assert.equal(body.match(/name="delivery" value=/g)?.length, 2);
    });
    await few(async () => assert.equal((await api.read('/rest/v1/webhookdelivery/?status=failed')).meta.total_count, 2));
  });

  it('are counted for the list of webhooks without being read for one that is seldom told of anything', async () => {
    const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    await api.create('webhook', { url: 'https://example.org/quiet', events: ['complaint'], secret });
    await few(async () => assert.match((await visitor.get('/console/webhooks/')).body, /example\.org\/quiet/));
  });

  it('are listed since a time, and by time, by an index', async () => {
    const since = new Date(Date.now() - 3600_000).toISOString().slice(0, 19);
    await few(async () => {
      const { objects } = await api.read(`/rest/v1/webhookdelivery/?created_at__gte=${since}&order_by=-created_at&_limit=3`);
      assert.deepEqual(
        objects.map(({ resource_id }: { resource_id: number }) => resource_id),
        [MANY, MANY - 1, MANY - 2],
      );
    });
  });

  it('are looked through every hour for those whose time is over without the others being read, as login tokens are', async () => {
    const log = { info() {}, warn() {}, error() {} };
    const clear = () => clearOld({ pool: api.pool, env: api.env, log });
    await few(clear);
    await few(clear, 'core_logintoken');
  });
});
