import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';

const COLUMNS = ['prefix', 'first_name', 'middle_name', 'last_name', 'suffix', 'address1', 'address2', 'city', 'region', 'postal'];

describe('statements that stay prepared', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('signuppage', { name: 'join' });
    await api.create('donationpage', { name: 'give' });
  });
  after(() => api.close());

  it('are those of ours, however many forms there are that ask for other things', async () => {
    for (let shape = 0; shape < 400; shape++) {
      const filled = COLUMNS.filter((_, place) => (shape >> place) & 1).map((name) => [name, 'x']);
      const sent = { page: 'join', email: `person${shape}@example.org`, country: 'France', ...Object.fromEntries(filled) };
      assert.equal((await api.call('POST', '/rest/v1/action/', sent)).statusCode, 201);
    }
    const push = {
      donationpage: { name: 'give' },
      order: { amount: '10.00', card_num: '4111', card_code: '007', exp_date_month: '12', exp_date_year: '2040' },
      user: { email: 'donor@example.org', first_name: 'A', last_name: 'B' },
    };
    assert.equal((await api.call('POST', '/rest/v1/donationpush/', push)).statusCode, 200);
    const clients = await Promise.all(Array.from({ length: api.pool.totalCount }, () => api.pool.connect()));
    try {
      const kept = await Promise.all(clients.map((client) => client.query('select statement from pg_prepared_statements')));
      const each = kept.map(({ rows }) => rows.map(({ statement }) => statement as string));
      assert.ok(each.flat().some((statement) => statement.includes('insert into core_orderuserdetail')));
      const madeUp = each.map((statements) => statements.filter((statement) => statement.startsWith('insert into core_user ')).length);
      assert.ok(Math.max(...madeUp) <= 100, String(madeUp));
    } finally {
      for (const client of clients) client.release();
    }
  });
});
