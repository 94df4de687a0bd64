import assert from 'node:assert/strict';
import { stringify } from 'node:querystring';
import { startApi, type TestApi } from '../../support/api.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/csv' };

describe('reports that clients have run in the background', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('queryreport', { name: 'One', short_name: 'one', sql: 'select 1' });
    await api.create('queryreport', { name: 'By email', short_name: 'by_email', sql: 'select {{ email }} as email' });
  });
  after(() => api.close());

  it('are mailed to whom email_to names, or email beside use_email', async () => {
    const asked = async (report: string, body: Record<string, string>) => {
      const answer = await api.call('POST', `/rest/v1/report/background/${report}/`, stringify(body), FORM);
      assert.equal(answer.statusCode, 201, answer.body);
      const { rows } = await api.pool.query('select emails from core_backgroundtask order by id desc limit 1');
      return rows[0].emails;
    };
    const email = 'ann@example.org';
    assert.deepEqual(await asked('one', { refresh: 'True', full_recalc: 'True', use_email: 'True', email }), [email]);
    assert.deepEqual(await asked('one', { use_email: 'True', email: 'bob@example.org', email_to: email }), [email]);
    assert.deepEqual(await asked('one', { email }), []);
    assert.deepEqual(await asked('one', { use_email: 'False', email }), []);
    assert.deepEqual(await asked('by_email', { use_email: 'True', email }), [], 'that is the value of a place');
    const wrong = await api.call('POST', '/rest/v1/report/background/one/', { use_email: true, email: 'nobody' });
    assert.deepEqual([wrong.statusCode, Object.keys(wrong.json().errors)], [400, ['email']]);
  });
});
