import { deepEqual, equal, ok } from 'node:assert/strict';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { CrmPlatform } from '../support/crm-platform.ts';

const HOUR = 3_600_000;

describe('the integration with the partner system, in simulated time', () => {
  let platform: CrmPlatform;

  before(async () => {
    platform = await CrmPlatform.start({ CRM_KIND: 'none', PARTNER_KIND: 'http', PARTNER_TOKEN: 'partner-token', PARTNER_RATE: '1000' });
  });
  after(() => platform?.close());
  beforeEach(async () => {
    await platform.clear();
    const { pool } = platform;
    await pool.query('truncate partner_intent, core_erasure');
    await pool.query('truncate core_order, core_action, core_orderuserdetail cascade');
    await pool.query(`insert into core_page (id, name, title, type) values (1, 'give', 'Give', 'donation') on conflict do nothing`);
    await pool.query(`insert into core_paymentaccount (id, name) values (77, 'partner-test') on conflict do nothing`);
  });

  const people = (count: number) =>
    platform.pool.query(`insert into core_user (id, email) select g, 'person' || g || '@example.org' from generate_series(1, $1) g`, [
      count,
    ]);

  /** An order of the user with the same id. */
  const order = async (id: number, { status = 'completed', recurring = false } = {}) => {
    const { pool } = platform;
    await pool.query('insert into core_action (id, user_id, page_id) values ($1, $1, 1)', [id]);
    await pool.query('insert into core_orderuserdetail (id, user_id) values ($1, $1)', [id]);
    await pool.query(
      `insert into core_order (id, action_id, user_id, user_detail_id, account_id, total, total_converted, status, currency, created_at)
       values ($1, $1, $1, $1, 77, 12.50, 12.50, $2, 'EUR', '2026-01-02T03:04:05Z')`,
      [id, status],
    );
    if (!recurring) return;
    await pool.query(
      `insert into core_orderrecurring (order_id, action_id, user_id, account_id, recurring_id, amount, amount_converted, start)
       values ($1::int, $1::int, $1::int, 77, 'R' || $1::int, 12.50, 12.50, '2026-02-01')`,
      [id],
    );
  };
  const payment = (id: number, orderId: number, { type = 'sale', status = 'completed', success = true } = {}) =>
    platform.pool.query(
      `insert into core_transaction (id, type, order_id, account_id, amount, amount_converted, status, success, trans_id)
       values ($1::int, $2, $3, 77, 5, 5, $4, $5, 'T' || $1::int)`,
      [id, type, orderId, status, success],
    );

  const start = () =>
    platform.env.client.workflow.start('runIntegration', {
      workflowId: workflowId.runIntegration,
      taskQueue: TASK_QUEUE.campaign,
      args: [{}],
    });
  const run = async () => (await start()).result();
  const maps = async (kind: 'user' | 'order' | 'transaction') => {
    const remote = kind === 'user' ? 'partner_contact_id' : 'contribution_id';
    const { rows } = await platform.pool.query(`select ${kind}_id as local, ${remote} as remote from core_partner${kind}map order by 1`);
    return rows as { local: number; remote: number }[];
  };
  const intents = async () => (await platform.pool.query('select kind, local_id, error from partner_intent order by 1, 2')).rows;

  it('counts those, too, of a batch whose worker ended before it could say how many', async () => {
    await people(4);
    await platform.pool.query(`
      create sequence lost;
      create function lose() returns trigger language plpgsql as $$ begin
        if new.user_id = 3 and nextval('lost') = 1 then raise exception 'the database is away' using errcode = '57P01'; end if;
        return new;
      end $$;
      create trigger lose before insert on core_partnerusermap for each row execute function lose()`);
    deepEqual(await run(), { created: 4, refused: 0 });
    await platform.pool.query('drop function lose cascade; drop sequence lost');
  });

  it('gives users, orders and payments on recurring orders a record and a mapping, once', async () => {
    await people(4);
    await order(1);
    await order(2, { recurring: true });
    await order(3, { status: 'reversed' });
    await payment(1, 1);
    await payment(2, 2);
    await payment(3, 2, { type: 'recurring_order_create' });
    await payment(4, 2, { status: 'failed', success: false });
    deepEqual(await run(), { created: 7, refused: 0 });
    deepEqual(
      (await maps('user')).map(({ local }) => local),
      [1, 2, 3, 4],
    );
    deepEqual(
      (await maps('order')).map(({ local }) => local),
      [1, 2],
    );
    deepEqual(
      (await maps('transaction')).map(({ local }) => local),
      [2],
    );
    deepEqual([platform.stub.contacts.size, platform.stub.contributions.size], [4, 3]);
    const contact = (await maps('user'))[0]!.remote;
    const [one, two, three] = [...platform.stub.contributions.values()];
    deepEqual(
      [one?.contact_id, one?.kind, one?.amount, one?.currency, one?.received_at],
      [String(contact), 'order', '12.50', 'EUR', '2026-01-02T03:04:05Z'],
    );
    // The number somebody finds the money by: that of the payment, which a promise has not.
    equal(one?.trans_id, 'T1');
    deepEqual([two?.kind, two?.trans_id], ['recurring_order', '']);
    deepEqual([three?.kind, three?.amount, three?.trans_id], ['payment', '5.00', 'T2']);
    equal(platform.stub.requests[0]?.headers.authorization, 'Bearer partner-token');
    deepEqual(await intents(), []);

    platform.stub.requests = [];
    deepEqual(await run(), { created: 0, refused: 0 });
    deepEqual(platform.stub.requests, []);
  });

  it('sends no money that was given back since it was found to be sent', async () => {
    await people(4);
    for (const id of [1, 2, 3, 4]) await order(id, { recurring: id > 2 });
    for (const id of [3, 4]) await payment(id, id);
    platform.stub.fault = async ({ path, body }) => {
      if (path !== '/contributions') return null;
      const table = body['kind'] === 'payment' ? 'core_transaction' : 'core_order';
      await platform.pool.query(`update ${table} set status = 'reversed' where id in (2, 4)`);
      return null;
    };
    await run();
    deepEqual([(await maps('order')).map(({ local }) => local), (await maps('transaction')).map(({ local }) => local)], [[1, 3], [3]]);
    deepEqual([platform.stub.contributions.size, await intents()], [3, []]);
  });

  it('makes a fresh record for a mapping that was deleted', async () => {
    await people(2);
    await order(1);
    await run();
    const [before] = await maps('order');
    await platform.pool.query('delete from core_partnerordermap; delete from core_partnerusermap where user_id = 2');
    deepEqual(await run(), { created: 2, refused: 0 });
    const [after] = await maps('order');
    ok(after!.remote !== before!.remote);
    deepEqual([platform.stub.contacts.size, platform.stub.contributions.size], [3, 2]);
  });

  it('makes another one each time a mapping is deleted', async () => {
    await people(1);
    const made: number[] = [];
    for (let nth = 0; nth < 3; nth++) {
      await run();
      made.push((await maps('user'))[0]!.remote);
      await platform.pool.query('delete from core_partnerusermap');
    }
    deepEqual([new Set(made).size, platform.stub.contacts.size], [3, 3]);
  });

  it('finds the records of mappings that a failover has lost, and takes none of them for somebody who was given the id of one who was lost', async () => {
    await people(3);
    await order(1);
    await run();
    const before = await maps('user');
    // Triggers see nothing of it.
    await platform.pool.query('truncate core_partnerusermap, core_partnerordermap');
    await platform.pool.query(`update core_user set email = 'another@example.org', created_at = now() where id = 3`);
    deepEqual(await run(), { created: 4, refused: 0 });
    deepEqual([platform.stub.contacts.size, platform.stub.contributions.size], [4, 1]);
    const after = await maps('user');
    deepEqual(after.slice(0, 2), before.slice(0, 2));
    equal(platform.stub.contacts.get(String(after[2]!.remote))!.email, 'another@example.org');
  });

  for (const idempotent of [true, false]) {
    it(`makes one record when answers are lost or cut, ${idempotent ? 'with' : 'without'} idempotency keys there`, async () => {
      await people(20);
      for (const id of [1, 2, 3]) await order(id);
      platform.stub.idempotent = idempotent;
      platform.stub.fault = (_request, nth) => (nth % 3 === 0 ? { kind: nth % 2 ? 'lost' : 'half' } : null);
      deepEqual(await run(), { created: 23, refused: 0 });
      deepEqual([platform.stub.contacts.size, platform.stub.contributions.size], [20, 3]);
      deepEqual((await maps('user')).map(({ remote }) => String(remote)).sort(), [...platform.stub.contacts.keys()].sort());
    });
  }

  it('finds the record it made when it was killed before it could write the mapping', async () => {
    await people(1);
    await platform.pool.query(`insert into partner_intent (kind, local_id, born) values ('user', 1, '2026-03-01T08:00:00Z')`);
    const ref = `campaign-user-1-${Date.UTC(2026, 2, 1, 8)}-0`;
    platform.stub.contacts.set('4711', { id: '4711', external_ref: ref, email: 'person1@example.org' });
    deepEqual(await run(), { created: 1, refused: 0 });
    deepEqual(await maps('user'), [{ local: 1, remote: 4711 }]);
    equal(platform.stub.contacts.size, 1);
  });

  it('passes over what is refused, keeps its words, and tries it again the next time', async () => {
    await people(3);
    await order(2);
    platform.stub.fault = ({ body }) =>
      body['email'] === 'person2@example.org' ? { kind: 'status', status: 422, body: { message: 'no' } } : null;
    deepEqual(await run(), { created: 2, refused: 1 });
    deepEqual(await intents(), [{ kind: 'user', local_id: 2, error: '422: no' }]);
    platform.stub.fault = () => null;
    deepEqual(await run(), { created: 2, refused: 0 });
    deepEqual(await intents(), []);
  });

  it('passes over what the system always chokes on, and leaves it to the next run', async () => {
    await people(3);
    platform.stub.fault = ({ body }) => (body['email'] === 'person2@example.org' ? { kind: 'status', status: 500 } : null);
    deepEqual(await run(), { created: 2, refused: 0 });
    deepEqual(await intents(), [{ kind: 'user', local_id: 2, error: 'it answered 500' }]);
    platform.stub.fault = () => null;
    deepEqual(await run(), { created: 1, refused: 0 });
    equal(platform.stub.contacts.size, 3);
  });

  it('refuses an id that no mapping can hold', async () => {
    await people(1);
    platform.stub.fault = ({ path }) => (path === '/contacts' ? { kind: 'raw', body: '{"id": "abc-def"}' } : null);
    deepEqual(await run(), { created: 0, refused: 1 });
    deepEqual(await maps('user'), []);
  });

  it('leaves a mapping alone that came from a client meanwhile', async () => {
    await people(1);
    platform.stub.fault = async ({ path }) => {
      if (path === '/contacts') await platform.pool.query('insert into core_partnerusermap (user_id, partner_contact_id) values (1, 5)');
      return null;
    };
    deepEqual(await run(), { created: 0, refused: 0 });
    deepEqual(await maps('user'), [{ local: 1, remote: 5 }]);
    deepEqual(await intents(), []);
  });

  it('waits out ten hours without the partner system', async () => {
    await people(5);
    const began = await platform.env.currentTimeMs();
    platform.stub.fault = ({ at }) => (at < began + 10 * HOUR ? { kind: 'status', status: 503 } : null);
    deepEqual(await run(), { created: 5, refused: 0 });
    ok(platform.stub.requests.length < 130, `${platform.stub.requests.length} requests`);
    equal(platform.stub.contacts.size, 5);
  });

  it('says since when the partner system is away by its last answer, a refusal too', async () => {
    await people(3);
    const began = await platform.env.currentTimeMs();
    platform.stub.fault = ({ at, body }) => {
      if (at < began + HOUR) return { kind: 'status', status: 503 };
      if (body['email'] === 'person1@example.org') return { kind: 'status', status: 400 };
      const about = String(body['external_ref']).startsWith('campaign-user-1-');
      return at < began + 3 * HOUR && !about ? { kind: 'status', status: 503 } : null;
    };
    const running = await start();
    await platform.env.sleep(2 * HOUR);
    const { currentDetails } = await running.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    const [, since] =
      /^0 records made, 1 refused\. The partner system is away since (\S+) UTC: it answered 503\.$/.exec(currentDetails) ?? [];
    ok(Date.parse(`${since}Z`) >= began + HOUR - 1000, `${since}, after an hour from ${new Date(began).toISOString()}`);
    deepEqual(await running.result(), { created: 2, refused: 1 });
  });

  it('tells the partner system of erased users, and makes no new contact of them', async () => {
    await people(2);
    await run();
    await platform.pool.query(`insert into core_erasure (user_id, status) values (1, 'complete')`);
    deepEqual(await run(), { created: 0, refused: 0 });
    deepEqual(
      [...platform.stub.contacts.values()].map(({ ended }) => ended),
      ['erased', undefined],
    );
    deepEqual(
      (await maps('user')).map(({ local }) => local),
      [2],
    );
    platform.stub.requests = [];
    await run();
    deepEqual(platform.stub.requests, []);
  });

  it('tells it of those, too, whose record it made and whose mapping was never written', async () => {
    await people(1);
    await platform.pool.query(
      `insert into partner_intent (kind, local_id, born) select 'user', id, to_timestamp(60) from unnest('{1,99}'::int[]) id`,
    );
    for (const id of ['1', '99'])
      platform.stub.contacts.set(id, { id, external_ref: `campaign-user-${id}-60000-0`, email: `${id}@example.org` });
    await platform.pool.query(`insert into core_erasure (user_id, status) values (1, 'complete')`);
    deepEqual(await run(), { created: 0, refused: 0 });
    deepEqual(
      [...platform.stub.contacts.values()].map(({ ended }) => ended),
      ['erased', 'gone'],
    );
    deepEqual(await intents(), []);
  });
});
