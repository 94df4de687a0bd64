import { deepEqual, equal, ok } from 'node:assert/strict';
import { mergeMappings } from '../../core/crm/mapping-status.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { sqlOn } from '../../db/sql.ts';
import { allText } from '../support/all-text.ts';
import { CrmPlatform } from '../support/crm-platform.ts';

const HOUR = 3_600_000;
/** npm run test:crm has 10,000 of them. */
const USERS = Number(process.env['CRM_TEST_USERS'] ?? 600);
const RATE = 5;

describe('rounds of the CRM sync, in simulated time', () => {
  let platform: CrmPlatform;

  before(async () => {
    // No request is left without an answer here: one that a busy machine takes long over is not to be sent again.
    platform = await CrmPlatform.start({ CRM_RATE: String(RATE), CRM_REPORT: 'crm-people', CRM_BATCH: '200', CRM_TIMEOUT_MS: '10000' });
    await ensureReportRole(platform.pool, platform.reportSettings);
  });
  after(() => platform?.close());
  beforeEach(async () => {
    await platform.clear();
    await platform.pool.query('delete from reports_queryreport');
  });

  /** People whom the CRM has as they are. */
  const synced = async (count: number, from = 1) => {
    await platform.pool.query(
      `insert into core_user (id, email) select g, 'person' || g || '@example.org' from generate_series($1::int, $1 + $2 - 1) g`,
      [from, count],
    );
    await platform.pool.query(
      `insert into core_crmmap (id, user_id, crm_id, match_type, status, done, urgent, user_seen_at)
       select u.id, u.id, u.id::text, 'created', 'synced', 1, false, u.updated_at from core_user u where u.id >= $1`,
      [from],
    );
    for (let id = from; id < from + count; id++) {
      platform.stub.contacts.set(String(id), { id: String(id), external_ref: '', email: `person${id}@example.org` });
    }
  };
  const statuses = async () => {
    const { rows } = await platform.pool.query('select status, count(*)::int as n from core_crmmap group by 1 order by 1');
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  };

  it(`syncs ${USERS} users that changed at once at ${RATE} requests a second, each once`, async function () {
    this.timeout(600_000);
    await synced(USERS);
    await platform.pool.query(`update core_user set first_name = 'Changed', updated_at = now()`);
    const began = await platform.env.currentTimeMs();
    const started = performance.now();
    deepEqual(await (await platform.round()).result(), { synced: USERS, failed: 0 });
    // What the machine takes passes in simulated time, too.
    const real = (performance.now() - started) / 1000;
    equal(platform.stub.requests.length, USERS);
    ok([...platform.stub.contacts.values()].every(({ first_name }) => first_name === 'Changed'));
    deepEqual(await statuses(), { synced: USERS });
    const times = platform.stub.requests.map(({ at }) => at).sort((a, b) => a - b);
    const seconds = (times.at(-1)! - began) / 1000;
    const room = 0.05 * (USERS / RATE) + 10;
    ok(seconds > USERS / RATE - room && seconds - real < USERS / RATE + room, `${USERS} in ${seconds} s, ${real} s of real time`);
    for (let from = 0, to = 0; to < times.length; to++) {
      while (times[to]! - times[from]! >= 60_000) from++;
      ok(to - from + 1 <= 60 * RATE * 1.02 + 2, `${to - from + 1} within a minute`);
    }
  });

  it('leaves alone who did not change, is disconnected, or was refused as they are', async () => {
    await synced(5);
    await platform.pool.query(`update core_crmmap set status = 'disconnected', ending = 'disconnected' where id = 1`);
    await platform.pool.query(`update core_crmmap set status = 'failed', last_error = 'no' where id = 2`);
    await platform.pool.query('update core_user set updated_at = now() where id in (1, 3)');
    deepEqual(await (await platform.round()).result(), { synced: 1, failed: 0 });
    deepEqual(
      platform.stub.requests.map(({ path }) => path),
      ['/contacts/3'],
    );
    deepEqual(await statuses(), { disconnected: 1, failed: 1, synced: 3 });
  });

  it('goes on with the others when the CRM refuses one, and does not come back to that one until it changes', async () => {
    await synced(4);
    await platform.pool.query('update core_user set updated_at = now()');
    platform.stub.fault = ({ path }) => (path === '/contacts/2' ? { kind: 'status', status: 400, body: { error: 'bad zip' } } : null);
    deepEqual(await (await platform.round()).result(), { synced: 3, failed: 1 });
    equal((await platform.row(2)).last_error, '400: bad zip');
    deepEqual(await (await platform.round()).result(), { synced: 0, failed: 0 });
    await platform.pool.query('update core_user set updated_at = now() where id = 2');
    platform.stub.fault = () => null;
    deepEqual(await (await platform.round()).result(), { synced: 1, failed: 0 });
  });

  it('counts those, too, of a batch whose worker ended before it could say how many', async () => {
    await synced(6);
    await platform.pool.query('update core_user set updated_at = now()');
    platform.stub.fault = ({ path }) => (path === '/contacts/2' ? { kind: 'status', status: 400, body: { error: 'bad zip' } } : null);
    await platform.pool.query(`
      create sequence lost;
      create function lose() returns trigger language plpgsql as $$ begin
        if new.id = 6 and nextval('lost') = 1 then raise exception 'the database is away' using errcode = '57P01'; end if;
        return new;
      end $$;
      create trigger lose before update of last_sync_at on core_crmmap for each row execute function lose()`);
    deepEqual(await (await platform.round()).result(), { synced: 5, failed: 1 });
    await platform.pool.query('drop function lose cascade; drop sequence lost');
  });

  it('passes over the one it always chokes on, and leaves it to the next round', async () => {
    await synced(5);
    await platform.pool.query('update core_user set updated_at = now()');
    platform.stub.fault = ({ path }) => (path === '/contacts/2' ? { kind: 'status', status: 500 } : null);
    deepEqual(await (await platform.round()).result(), { synced: 4, failed: 0 });
    deepEqual([(await platform.row(2)).status, (await platform.row(2)).last_error], ['pending', 'Not sent yet: it answered 500']);
    platform.stub.fault = () => null;
    deepEqual(await (await platform.round()).result(), { synced: 1, failed: 0 });
  });

  it('takes in the users of its query report, and those alone', async () => {
    await synced(2);
    await platform.pool.query(
      `insert into core_user (id, email, state) values (11, 'a@example.org', 'CA'), (12, 'b@example.org', 'CA'), (13, 'c@example.org', 'NY')`,
    );
    await platform.pool.query(`update core_crmmap set status = 'disconnected', ending = 'disconnected' where id = 1`);
    await platform.pool.query(
      `insert into reports_queryreport (name, short_name, sql) values ('People', 'crm-people', 'select id from core_user where state = ''CA'' or id = 1')`,
    );
    deepEqual(await (await platform.round()).result(), { synced: 2, failed: 0 });
    const { rows } = await platform.pool.query(`select user_id, status from core_crmmap order by user_id`);
    deepEqual(
      rows.map(({ user_id, status }) => `${user_id} ${status}`),
      ['1 disconnected', '2 synced', '11 synced', '12 synced'],
    );
  });

  it("reads its query report as MySQL's where it is written so", async () => {
    await platform.pool.query(`insert into core_user (id, email, state) values (21, 'a@example.org', 'CA'), (22, 'b@example.org', 'NY')`);
    await platform.pool.query(
      `insert into reports_queryreport (name, short_name, sql, dialect) values ('People', 'crm-people', $1, 'mysql')`,
      ['SELECT id FROM core_user WHERE state = "ca"'],
    );
    deepEqual(await (await platform.round()).result(), { synced: 1, failed: 0 });
    deepEqual((await platform.pool.query('select user_id from core_crmmap')).rows, [{ user_id: 21 }]);
  });

  it('syncs what changed even when its report cannot be read', async () => {
    await synced(3);
    await platform.pool.query('update core_user set updated_at = now()');
    for (const sql of ['select email from auth_user', 'delete from core_user', 'selec', `select 'x'`]) {
      await platform.pool.query(`delete from reports_queryreport`);
      await platform.pool.query(`insert into reports_queryreport (name, short_name, sql) values ('People', 'crm-people', $1)`, [sql]);
      await platform.pool.query('update core_user set updated_at = now()');
      deepEqual(await (await platform.round()).result(), { synced: 3, failed: 0 }, sql);
    }
  });

  it('keeps what the database says of its report out of its history: it quotes values, which name people', async () => {
    await synced(1);
    await platform.pool.query(`update core_user set last_name = 'Zaphodson' where id = 1`);
    await platform.pool.query(
      `insert into reports_queryreport (name, short_name, sql) values ('People', 'crm-people', 'select last_name::int from core_user')`,
    );
    const round = await platform.round();
    await round.result();
    const history = allText(await round.fetchHistory());
    ok(history.includes('openCrmRound'));
    ok(!history.includes('Zaphodson'), history.slice(Math.max(0, history.indexOf('Zaphodson') - 300)).slice(0, 600));
  });

  it('waits out ten hours without the CRM with a few dozen requests, then syncs everybody', async () => {
    await synced(300);
    await platform.pool.query('update core_user set updated_at = now()');
    const began = await platform.env.currentTimeMs();
    platform.stub.fault = ({ at }) => (at < began + 10 * HOUR ? { kind: 'status', status: 502 } : null);
    deepEqual(await (await platform.round()).result(), { synced: 300, failed: 0 });
    const vain = platform.stub.requests.filter(({ at }) => at < began + 10 * HOUR).length;
    ok(vain < 130, `${vain} requests in vain`);
    deepEqual(await statuses(), { synced: 300 });
  });

  it('says since when the CRM is away by its last answer, a refusal too, and of a pause it asked for that it did', async () => {
    await synced(3);
    await platform.pool.query('update core_user set updated_at = now()');
    const began = await platform.env.currentTimeMs();
    platform.stub.fault = ({ at, path }) => {
      if (at < began + HOUR) return { kind: 'status', status: 503 };
      if (path === '/contacts/1') return { kind: 'status', status: 400 };
      if (at < began + 3 * HOUR) return { kind: 'status', status: 503 };
      return at < began + 4 * HOUR ? { kind: 'status', status: 429, headers: { 'retry-after': '7200' } } : null;
    };
    const run = await platform.round();
    await platform.env.sleep(2 * HOUR);
    const { currentDetails } = await run.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    const [, since] = /^0 synced, 1 refused\. The CRM is away since (\S+) UTC: it answered 503\.$/.exec(currentDetails) ?? [];
    ok(Date.parse(`${since}Z`) >= began + HOUR - 1000, `${since}, after an hour from ${new Date(began).toISOString()}`);
    await platform.env.sleep(1.5 * HOUR);
    const asked = await run.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    equal(asked.currentDetails, '0 synced, 1 refused. Waiting: it asks for fewer requests (429).');
    deepEqual(await run.result(), { synced: 2, failed: 1 });
    const { events } = await run.fetchHistory();
    const pauses = (events ?? []).flatMap(({ timerStartedEventAttributes: timer, userMetadata }) =>
      timer ? [String(userMetadata?.summary?.data)] : [],
    );
    equal(pauses.at(-1), '"it asks for fewer requests (429)"');
  });

  it('works off what was asked for and lost its run', async () => {
    const mapId = await platform.mapped({ id: 50 });
    deepEqual(await (await platform.round()).result(), { synced: 1, failed: 0 });
    equal((await platform.row(mapId)).status, 'synced');
  });

  it('closes the mappings of deleted users, and has the CRM told', async () => {
    await synced(3);
    await platform.pool.query('delete from core_user where id = 2');
    deepEqual(await (await platform.round()).result(), { synced: 1, failed: 0 });
    equal(platform.stub.contacts.get('2')?.ended, 'gone');
    deepEqual(await statuses(), { disconnected: 1, synced: 2 });
  });

  describe('after a merge', () => {
    const mappings = async () => {
      const { rows } = await platform.pool.query('select id, user_id, status, ending from core_crmmap order by id');
      return rows.map(({ id, user_id, status, ending }) => `${id}: ${user_id} ${status} ${ending}`);
    };

    it('keeps the mapping of the primary user and closes those of the merged ones', async () => {
      await synced(3);
      await mergeMappings(sqlOn(platform.pool), 1, [2, 3]);
      await platform.pool.query('delete from core_user where id in (2, 3)');
      deepEqual(await mappings(), ['1: 1 pending null', '2: null disconnected gone', '3: null disconnected gone']);
      await (await platform.round()).result();
      deepEqual(
        ['1', '2', '3'].map((id) => platform.stub.contacts.get(id)?.ended),
        [undefined, 'gone', 'gone'],
      );
      deepEqual(await statuses(), { disconnected: 2, synced: 1 });
    });

    it('moves a mapping to a primary user who has none, one that is synced rather than one that is not', async () => {
      await synced(3);
      await platform.pool.query('insert into core_user (id, email) values (9, $1)', ['primary@example.org']);
      await platform.pool.query(`update core_crmmap set status = 'disconnected', ending = 'disconnected' where id = 1`);
      await mergeMappings(sqlOn(platform.pool), 9, [1, 2, 3]);
      await platform.pool.query('delete from core_user where id in (1, 2, 3)');
      deepEqual(await mappings(), ['1: null disconnected gone', '2: 9 pending null', '3: null disconnected gone']);
      await (await platform.round()).result();
      equal(platform.stub.contacts.get('2')?.email, 'primary@example.org');
      equal(platform.stub.contacts.get('3')?.ended, 'gone');
    });

    it('does not end a contact that the mapping which stays leads to as well', async () => {
      await synced(2);
      await platform.pool.query(`update core_crmmap set crm_id = '1'`);
      await mergeMappings(sqlOn(platform.pool), 1, [2]);
      await platform.pool.query('delete from core_user where id = 2');
      await (await platform.round()).result();
      equal(platform.stub.contacts.get('1')?.ended, undefined);
      deepEqual(await statuses(), { disconnected: 1, synced: 1 });
    });
  });
});
