import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { CrmPlatform } from '../support/crm-platform.ts';
import type { StubRequest } from '../support/crm-stub.ts';

const HOUR = 3_600_000;

describe('the syncUser workflow, in simulated time', () => {
  let platform: CrmPlatform;
  let nextUser = 1;

  before(async () => {
    platform = await CrmPlatform.start({ CRM_GIVE_UP_HOURS: '24' });
  });
  after(() => platform?.close());
  beforeEach(() => platform.clear());

  const newMapping = (email?: string) => platform.mapped({ id: nextUser++, ...(email && { email }) });
  const sync = async (mapId: number) => (await platform.start(mapId)).result();
  /**
   * Both have begun before anybody waits for a result: time is skipped from then on, and who begins in a skip may find ten years gone. One
   * is waited for after the other: each wait lifts one of the holds on the clock, and the second would lift that of what the other still does.
   */
  const syncBoth = async (one: number, other: number) => {
    const runs = [await platform.start(one), await platform.start(other)];
    const ends: unknown[] = [];
    for (const run of runs) ends.push(await run.result());
    return ends;
  };
  const writes = () => platform.stub.requests.filter(({ path }) => !path.endsWith('/find'));
  const asked = (requests: StubRequest[]) => requests.map(({ method, path }) => `${method} ${path.replace(/\d+/, 'N')}`);

  /** While `run` lasts the database takes no such id of a contact. */
  async function refusingToStore(crmId: string, run: () => Promise<void>): Promise<void> {
    await platform.pool.query(`
      create function refuse_id() returns trigger language plpgsql as $$ begin raise exception 'too long' using errcode = '22001'; end $$;
      create trigger refuse_id before update on core_crmmap for each row when (new.crm_id = '${crmId}') execute function refuse_id()`);
    await run().finally(() => platform.pool.query('drop function refuse_id cascade'));
  }

  it('creates a contact nobody has, and knows it from then on', async () => {
    const mapId = await newMapping();
    equal(await sync(mapId), 'synced');
    const [contact] = [...platform.stub.contacts.values()];
    deepEqual(
      [contact?.email, contact?.first_name, contact?.city, contact?.subscription_status],
      [`person${mapId}@example.org`, 'Ada', 'Springfield', 'never'],
    );
    const row = await platform.row(mapId);
    deepEqual([row.crm_id, row.match_type, row.status, row.last_error], [contact?.id, 'created', 'synced', '']);
    equal(platform.stub.requests[0]?.headers.authorization, 'Bearer a-token');

    await platform.pool.query(`update core_user set first_name = 'Grace' where id = $1`, [mapId]);
    await platform.ask(mapId, 'sync');
    platform.stub.requests = [];
    equal(await sync(mapId), 'synced');
    deepEqual(asked(platform.stub.requests), ['PATCH /contacts/N']);
    equal(platform.stub.contacts.get(row.crm_id)?.first_name, 'Grace');
    equal((await platform.row(mapId)).match_type, 'id');
  });

  it('takes the contact that has the address', async () => {
    platform.stub.contacts.set('7', { id: '7', external_ref: '', email: 'KNOWN@example.org' });
    const mapId = await newMapping('known@example.org');
    equal(await sync(mapId), 'synced');
    deepEqual([(await platform.row(mapId)).crm_id, (await platform.row(mapId)).match_type], ['7', 'email']);
    equal(platform.stub.contacts.size, 1);
    equal(platform.stub.contacts.get('7')?.first_name, 'Ada');
  });

  it('makes a new contact for one that vanished, under a key of its own', async () => {
    const mapId = await newMapping();
    await sync(mapId);
    const { crm_id: first, generation } = await platform.row(mapId);
    platform.stub.contacts.clear();
    await platform.ask(mapId, 'sync');
    equal(await sync(mapId), 'synced');
    const row = await platform.row(mapId);
    equal(row.generation, generation + 1);
    ok(row.crm_id !== first && platform.stub.contacts.has(row.crm_id));
    equal(platform.stub.contacts.size, 1);
  });

  it('goes on for ten hours while the CRM is away, with growing pauses that operators see', async () => {
    const mapId = await newMapping();
    const began = await platform.env.currentTimeMs();
    platform.stub.fault = ({ at }) => (at < began + 10 * HOUR ? { kind: 'status', status: 503 } : null);
    const run = await platform.start(mapId);
    await platform.env.sleep(5 * HOUR);
    const during = await platform.row(mapId);
    deepEqual([during.status, during.last_error, during.held_by], ['pending', 'Not sent yet: it answered 503', null]);
    const { currentDetails } = await run.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    match(currentDetails, /^The CRM is away since \S+ UTC: it answered 503\. Next try at /);

    equal(await run.result(), 'synced');
    const tries = platform.stub.requests.map(({ at }) => at - began);
    const down = tries.filter((at) => at < 10 * HOUR);
    ok(down.length > 30 && down.length < 70, `${down.length} tries in ten hours`);
    const pauses = down.slice(1).map((at, n) => (at - down[n]!) / 1000);
    ok(
      pauses.slice(0, 7).every((pause, n) => n === 0 || pause > pauses[n - 1]!),
      `pauses grow: ${pauses.slice(0, 8).map(Math.round)}`,
    );
    ok(Math.max(...pauses) <= 900 * 1.21, `the longest was ${Math.max(...pauses)} s`);
    ok(tries.at(-1)! < 10 * HOUR + 0.31 * HOUR, `over after ${tries.at(-1)! / HOUR} hours`);
    equal(platform.stub.contacts.size, 1);
  });

  it('does not say that the CRM is away while it asks for patience', async () => {
    const mapId = await newMapping();
    const began = await platform.env.currentTimeMs();
    platform.stub.fault = ({ at }) => {
      if (at < began + HOUR) return { kind: 'status', status: 503 };
      return at < began + 2 * HOUR ? { kind: 'status', status: 429, headers: { 'retry-after': '7200' } } : null;
    };
    const run = await platform.start(mapId);
    await platform.env.sleep(1.5 * HOUR);
    const { currentDetails } = await run.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    match(currentDetails, /^Waiting: it asks for fewer requests \(429\)\. Next try at /);
    equal(await run.result(), 'synced');
  });

  it('gives up after CRM_GIVE_UP_HOURS, and says so on the mapping', async () => {
    const mapId = await newMapping();
    platform.stub.fault = () => ({ kind: 'status', status: 500 });
    equal(await sync(mapId), 'failed');
    const row = await platform.row(mapId);
    deepEqual([row.status, row.wanted, row.done], ['failed', 1, 1]);
    equal(row.last_error, 'The CRM was away for 24 hours: it answered 500');
  });

  it('gives up also what was asked for before the clock of the database was set back', async () => {
    const mapId = await newMapping();
    await platform.pool.query(`update core_crmmap set requested_at = now() + interval '1 day' where id = $1`, [mapId]);
    platform.stub.fault = () => ({ kind: 'status', status: 500 });
    equal(await sync(mapId), 'failed');
    equal((await platform.row(mapId)).status, 'failed');
  });

  it('tries at once when somebody asks in the middle of a pause', async () => {
    const mapId = await newMapping();
    const began = await platform.env.currentTimeMs();
    let down = true;
    platform.stub.fault = () => (down ? { kind: 'status', status: 503 } : null);
    const run = await platform.start(mapId);
    await platform.env.sleep(2 * HOUR);
    down = false;
    await platform.ask(mapId, 'sync');
    await platform.start(mapId);
    equal(await run.result(), 'synced');
    ok(platform.stub.requests.at(-1)!.at - began < 2.05 * HOUR);
  });

  it('ends as failed with the message when the CRM refuses', async () => {
    const mapId = await newMapping();
    platform.stub.fault = ({ path }) =>
      path === '/contacts' ? { kind: 'status', status: 422, body: { message: 'city is\nnot known' } } : null;
    equal(await sync(mapId), 'failed');
    const row = await platform.row(mapId);
    deepEqual([row.status, row.last_error, row.crm_id, row.done], ['failed', '422: city is not known', null, 1]);

    platform.stub.fault = () => null;
    await platform.ask(mapId, 'sync');
    equal(await sync(mapId), 'synced');
    deepEqual([(await platform.row(mapId)).status, (await platform.row(mapId)).last_error], ['synced', '']);
  });

  it('ends as failed with the reason when what the CRM says can never be stored', async () => {
    await refusingToStore('7007', async () => {
      const mapId = await newMapping('unstorable@example.org');
      platform.stub.contacts.set('7007', { id: '7007', external_ref: '', email: 'unstorable@example.org' });
      equal(await sync(mapId), 'failed');
      const row = await platform.row(mapId);
      deepEqual(
        [row.status, row.last_error, row.done, row.held_by],
        ['failed', 'the database cannot store or read a value (22001)', 1, null],
      );
    });
  });

  it('waits as long as the CRM asks it to with 429', async () => {
    const mapId = await newMapping();
    const began = await platform.env.currentTimeMs();
    platform.stub.fault = (_request, nth) => (nth === 1 ? { kind: 'status', status: 429, headers: { 'retry-after': '1800' } } : null);
    equal(await sync(mapId), 'synced');
    const [first, second] = platform.stub.requests.map(({ at }) => at - began);
    ok(second! - first! >= 0.5 * HOUR && second! - first! < 0.7 * HOUR, `${(second! - first!) / 1000} s`);
  });

  it('says on the mapping that the CRM asks for fewer requests, also of those that wait for the pause it asked for', async () => {
    const began = await platform.env.currentTimeMs();
    platform.stub.fault = ({ at }) => (at < began + 3 * HOUR ? { kind: 'status', status: 429, headers: { 'retry-after': '7200' } } : null);
    const asking = await newMapping();
    const run = await platform.start(asking);
    await platform.env.sleep(HOUR);
    const waiting = await newMapping();
    const other = await platform.start(waiting);
    await platform.env.sleep(HOUR / 2);
    const said = async (mapId: number) => {
      const { status, last_error } = await platform.row(mapId);
      return [status, last_error];
    };
    deepEqual(
      [await said(asking), await said(waiting)],
      [
        ['pending', 'Not sent yet: it asks for fewer requests (429)'],
        ['pending', 'Not sent yet: the limit on requests is used up, or it asked for a pause'],
      ],
    );
    deepEqual([await run.result(), await other.result()], ['synced', 'synced']);
    deepEqual([await said(asking), await said(waiting)], Array(2).fill(['synced', '']));
  });

  for (const idempotent of [true, false]) {
    for (const kind of ['lost', 'half'] as const) {
      it(`creates one contact when the answer to the creation is ${kind}, ${idempotent ? 'with' : 'without'} a CRM that knows idempotency keys`, async () => {
        const mapId = await newMapping();
        platform.stub.idempotent = idempotent;
        let spoiled = 0;
        platform.stub.fault = ({ path }) => (path === '/contacts' && spoiled++ < 2 ? { kind } : null);
        equal(await sync(mapId), 'synced');
        equal(platform.stub.contacts.size, 1);
        deepEqual([(await platform.row(mapId)).crm_id], [...platform.stub.contacts.keys()]);
      });
    }
  }

  it('bears silence, plain 500s, answers that are no JSON and redirects, and follows none', async () => {
    const mapId = await newMapping();
    const faults = [
      { kind: 'silence' as const },
      { kind: 'status' as const, status: 500 },
      { kind: 'raw' as const, body: '<html>' },
      { kind: 'raw' as const, body: '{}' },
      { kind: 'raw' as const, body: `{"ids": ["${'x'.repeat(2_000_000)}"]}` },
      { kind: 'status' as const, status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' } },
      { kind: 'status' as const, status: 401 },
    ];
    platform.stub.fault = (_request, nth) => faults[nth - 1] ?? null;
    equal(await sync(mapId), 'synced');
    equal(platform.stub.contacts.size, 1);
  });

  it('makes one more try of however many requests come while one is under way', async () => {
    const mapId = await newMapping();
    platform.stub.fault = async ({ path }, nth) => {
      if (nth !== 2 || path !== '/contacts') return null;
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          await platform.ask(mapId, 'sync');
          await platform.start(mapId);
        }),
      );
      return null;
    };
    equal(await sync(mapId), 'synced');
    deepEqual(asked(writes()), ['POST /contacts', 'PATCH /contacts/N']);
    const row = await platform.row(mapId);
    deepEqual([row.wanted, row.done, row.status], [21, 21, 'synced']);
  });

  it('gives every write a key, the same only for the same write', async () => {
    const mapId = await newMapping();
    await sync(mapId);
    for (const name of ['A', 'B', 'A']) {
      await platform.pool.query('update core_user set first_name = $2 where id = $1', [mapId, name]);
      await platform.ask(mapId, 'sync');
      await sync(mapId);
    }
    await platform.ask(mapId, 'disconnect');
    await sync(mapId);
    const keys = writes().map(({ key }) => key);
    equal(keys.length, 5);
    ok(keys.every(Boolean));
    equal(new Set(keys).size, 5);
  });

  it('lets a disconnect win over a sync under way, and has the CRM told', async () => {
    const mapId = await newMapping();
    platform.stub.fault = async ({ path }) => {
      if (path === '/contacts/find') {
        platform.stub.fault = () => null;
        await platform.ask(mapId, 'disconnect');
        await platform.start(mapId);
      }
      return null;
    };
    equal(await sync(mapId), 'disconnected');
    equal(platform.stub.contacts.size, 0);
    deepEqual([(await platform.row(mapId)).status, writes().length], ['disconnected', 0]);
  });

  it('tells the CRM even when the disconnect came while the contact was being created', async () => {
    const mapId = await newMapping();
    platform.stub.fault = async ({ path }) => {
      if (path !== '/contacts') return null;
      await platform.ask(mapId, 'disconnect');
      await platform.start(mapId);
      return { kind: 'lost' };
    };
    equal(await sync(mapId), 'disconnected');
    const [contact] = [...platform.stub.contacts.values()];
    deepEqual([platform.stub.contacts.size, contact?.ended], [1, 'disconnected']);
    equal((await platform.row(mapId)).status, 'disconnected');
  });

  it('lets a disconnect win over a pending sync while the CRM is away', async () => {
    const mapId = await newMapping();
    await sync(mapId);
    let down = true;
    platform.stub.fault = () => (down ? { kind: 'status', status: 503 } : null);
    await platform.ask(mapId, 'sync');
    const run = await platform.start(mapId);
    await platform.env.sleep(HOUR);
    await platform.ask(mapId, 'disconnect');
    await platform.start(mapId);
    await platform.env.sleep(HOUR);
    down = false;
    platform.stub.requests = [];
    equal(await run.result(), 'disconnected');
    deepEqual(asked(platform.stub.requests), ['POST /contacts/N/end']);
  });

  it('tells the CRM of users that were erased or deleted', async () => {
    const erased = await newMapping();
    const gone = await newMapping();
    await syncBoth(erased, gone);
    await platform.pool.query(
      `update core_crmmap set status = 'disconnected', ending = 'erased', wanted = wanted + 1, urgent = true where id = $1`,
      [erased],
    );
    await platform.pool.query('delete from core_user where id = $1', [gone]);
    await platform.pool.query('update core_crmmap set wanted = wanted + 1 where id = $1', [gone]);
    deepEqual(await syncBoth(erased, gone), ['disconnected', 'disconnected']);
    const endings = [...platform.stub.contacts.values()].map(({ ended }) => ended).sort();
    deepEqual(endings, ['erased', 'gone']);
  });
});
