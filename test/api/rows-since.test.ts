import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { rowsRead } from '../support/rows-read.ts';

const MANY = 20_000;
/** The last so many have changed since the client came by. */
const NEW = 30;

const ALL = `from generate_series(1, ${MANY}) n`;
const AT = `now() - interval '1 day' * (n <= ${MANY - NEW})::int`;

/** What grows with people and what they do, in the order in which it refers to the others. */
const FILLED = [
  `insert into core_user (id, email) select n, 'person' || n || '@example.org' ${ALL}`,
  `insert into core_page (id, name, title, type) values (1, 'calls', '', 'whipcount')`,
  `insert into core_action (id, user_id, page_id) select n, n, 1 ${ALL}`,
  `insert into core_target (id, type) select n, 'senate' from generate_series(1, 400) n`,
  `insert into events_campaign (id, name) values (1, 'marches')`,
  `insert into events_event (id, campaign_id) values (1, 1)`,
  `insert into core_phone (user_id, phone, created_at, updated_at) select n, n, ${AT}, ${AT} ${ALL}`,
  `insert into core_location (user_id, updated_at) select n, ${AT} ${ALL}`,
  `insert into core_usergeofield (user_id, name, updated_at) select n, 'ward' || n % 1000, ${AT} ${ALL}`,
  `insert into core_userfield (parent_id, name) select n, 'shirt' || n % 1000 ${ALL}`,
  `insert into core_actionfield (parent_id, name) select n, 'why' || n % 1000 ${ALL}`,
  `insert into core_crmmap (user_id, updated_at) select n, ${AT} ${ALL}`,
  `insert into core_whipcountactioncalled (whipcountaction_id, page_id, user_id, target_id, created_at, updated_at) select n, 1, n, 1 + n % 400, ${AT}, ${AT} ${ALL}`,
  `insert into events_eventsignup (user_id, event_id, created_at, updated_at) select n, 1, ${AT}, ${AT} ${ALL}`,
];

// Clients that keep in step ask every few minutes, for as long as the platform is there.
describe('a client that asks for what it does not have', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    for (const statement of FILLED) await api.pool.query(statement);
    await api.pool.query('vacuum analyze');
  });
  after(() => api.close());

  const since = new Date(Date.now() - 3600_000).toISOString().slice(0, 19);
  for (const [resource, table, field] of [
    ['phone', 'core_phone', 'created_at'],
    ['phone', 'core_phone', 'updated_at'],
    ['location', 'core_location', 'updated_at'],
    ['usergeofield', 'core_usergeofield', 'updated_at'],
    ['crmmap', 'core_crmmap', 'updated_at'],
    ['whipcountactioncalled', 'core_whipcountactioncalled', 'created_at'],
    ['whipcountactioncalled', 'core_whipcountactioncalled', 'updated_at'],
    ['eventsignup', 'events_eventsignup', 'created_at'],
    ['eventsignup', 'events_eventsignup', 'updated_at'],
  ] as const)
    it(`is given each ${resource} since a time (${field}) without those before being read`, () =>
      few(table, `${resource}/?${field}__gte=${since}&order_by=${field}`, NEW));

  for (const resource of ['userfield', 'actionfield', 'phone', 'location'])
    it(`is given a page of all there are of ${resource} without the others being counted`, () =>
      few(`core_${resource}`, `${resource}/`, MANY));

  for (const [path, table, many] of [
    ['userfield/?name=shirt77', 'core_userfield', MANY / 1000],
    ['actionfield/?name=why77', 'core_actionfield', MANY / 1000],
    ['usergeofield/?name=ward77', 'core_usergeofield', MANY / 1000],
  ] as const)
    it(`is given ${path} without the others being read`, () => few(table, path, many));

  it('is given the payment that a processor names without the others being read', async () => {
    await api.pool.query(`
      insert into core_orderuserdetail (id, user_id) values (1, 1);
      insert into core_order (id, action_id, user_id, user_detail_id, account_id, total, total_converted) select 1, 1, 1, 1, min(id), 5, 5 from core_paymentaccount;
      insert into core_transaction (type, order_id, account_id, amount, amount_converted, trans_id)
        select 'sale', 1, (select min(id) from core_paymentaccount), 5, 5, case when n % 2 = 0 then 'ch_' || n else '' end ${ALL}`);
    await api.pool.query('vacuum analyze core_transaction');
    await few('core_transaction', 'transaction/?trans_id=ch_4710', 1);
    await few('core_transaction', 'transaction/?trans_id__in=ch_2,ch_4,none', 2);
  });

  for (const filter of ['page__name=calls', 'page=1', 'page__type__in=whipcount'])
    it(`is given the calls reported whose whipcountaction__${filter} without the actions they came with being read`, () =>
      few('core_action', `whipcountactioncalled/?whipcountaction__${filter}`, MANY));

  async function few(table: string, path: string, many: number): Promise<void> {
    const rows = await rowsRead(api.pool, table, async () => {
      assert.equal((await api.read(`/rest/v1/${path}`)).meta.total_count, many);
    });
    assert.ok(rows < 300, `${rows} rows of ${table} were read`);
  }
});
