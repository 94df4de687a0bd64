import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';

describe('a database that is lost right after a change was committed', () => {
  let api: TestApi;
  let lost = 0;
  before(async () => {
    api = await startApi();
    await api.create('signuppage', { name: 'join' });
    await api.create('eventcreatepage', { name: 'host', campaign: await api.create('campaign', { name: 'walks', title: 'Walks' }) });
  });
  after(() => api.close());

  /** Whoever reads `table` outside of a transaction loses the connection over it. */
  async function losing<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
    const { query } = api.pool;
    lost = 0;
    api.pool.query = ((given: string | { text: string }, ...more: unknown[]) => {
      const text = typeof given === 'string' ? given : given.text;
      if (!/^select/i.test(text) || !text.includes(table)) return (query as (...all: unknown[]) => unknown).call(api.pool, given, ...more);
      lost++;
      return Promise.reject(new Error('Connection terminated unexpectedly'));
    }) as typeof query;
    return work().finally(() => {
      api.pool.query = query;
    });
  }

  for (const body of [
    { page: 'join', email: 'ada@example.org' },
    { page: 'host', email: 'ada@example.org', event_title: 'Meet', event_starts_at: '2030-05-01T18:00:00' },
  ])
    it(`has an action on ${body.page} answered as whole as ever, for it is read before: nobody is told that nothing was changed, and sends it once more`, async () => {
      const answer = await losing('core_action', () => api.call('POST', '/rest/v1/action/', body));
      assert.equal(answer.statusCode, 201, answer.body);
      assert.equal(lost, 0);
      const { action_id, redirect_url: _, ...shown } = answer.json();
      const type = body.page === 'join' ? 'action' : 'eventcreateaction';
      const { resource_uri, ...read } = await api.read(`/rest/v1/${type}/${action_id}/`);
      assert.deepEqual(shown, { ...read, akid: shown.akid, resource_uri: shown.resource_uri });
    });

  it('has what has a name answered under its id, where its name cannot be read', async () => {
    const body = { name: 'color' };
    const answer = await losing('core_alloweduserfield', () => api.call('POST', '/rest/v1/alloweduserfield/', body));
    assert.equal(answer.statusCode, 201, answer.body);
    assert.equal(lost, 1);
    const { name } = await api.read(String(answer.headers.location).slice(api.env.BASE_URL.length));
    assert.equal(name, 'color');
  });

  it('does not say that nothing was changed of a DELETE that has taken a part of what goes with it', async () => {
    const uri = await api.create('signuppage', { name: 'large' });
    const [user, page] = [await api.create('user', { email: 'bob@example.org' }), uri].map((each) => Number(each.match(/(\d+)\/$/)![1]));
    await api.pool.query('insert into core_action (user_id, page_id) select $1, $2 from generate_series(1, 1500)', [user, page]);
    await api.pool.query(
      `create function gone() returns trigger language plpgsql as $$ begin raise exception 'ended' using errcode = '57014'; end $$;
       create trigger gone before delete on core_page for each row execute function gone()`,
    );
    const answer = await api.call('DELETE', uri);
    await api.pool.query('drop function gone cascade');
    assert.equal(answer.statusCode, 503, answer.body);
    assert.equal((await api.read(`/rest/v1/action/?page=${page}`)).meta.total_count, 500);
    assert.doesNotMatch(answer.body, /nothing was changed/);
    assert.match(answer.body, /may have been made/);
    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
  });
});
