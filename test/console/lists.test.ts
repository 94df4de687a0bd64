import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs, text } from '../support/console-visitor.ts';
import { idIn } from '../support/mailings.ts';
import { merge } from '../support/merging.ts';
import { rowsRead } from '../support/rows-read.ts';

describe('lists in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi({});
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const read = async (url: string) => {
    const answer = await visitor.get(url);
    equal(answer.statusCode, 200, `${url}: ${answer.statusCode} ${text(answer.body)}`);
    return answer;
  };
  const seen = async (url: string) => text((await read(url)).body);
  const made = async (name: string) => {
    const answer = await visitor.submit('/console/lists/', '/console/lists/', { name, notes: '' });
    equal(answer.statusCode, 303, text(answer.body));
    return String(answer.headers.location).replace('?done=made', '');
  };

  it('says what to do while there is none, and makes one as the API does', async () => {
    match(await seen('/console/lists/'), /0 lists .*There is no list yet\. Make the first one/);
    const at = await made('  News <b>& all ');
    equal((await api.read(`/rest/v1/list/${idIn(at)}/`)).name, 'News <b>& all');
    match(await seen('/console/lists/'), /1 list .*News &lt;b&gt;&amp; all 0/);
    match(await seen(`${at}?done=made`), /The list is made\. .*0 people Nobody is on it yet\. Import people/);
    for (const [name, words] of [
      ['News <b>& all', /There is a list of this name already/],
      ['', /must not be blank/],
      ['a\0b', /must not hold a NUL/],
    ] as const) {
      const refused = await visitor.submit('/console/lists/', '/console/lists/', { name, notes: 'kept & shown' });
      equal(refused.statusCode, name.startsWith('News') ? 409 : 400);
      match(text(refused.body), words);
      match(refused.body, /kept &amp; shown/);
    }
  });

  it('renames and hides, and says who was there meanwhile', async () => {
    const at = await made('Walkers');
    const stale = await read(at);
    const version = /name="version" value="([^"]+)"/.exec(stale.body)![1]!;
    const saved = await visitor.submit(at, at, { name: 'Runners', notes: 'fast', hidden: '1' });
    equal(saved.headers.location, `${at}?done=saved`);
    const { name, hidden, notes } = await api.read(`/rest/v1/list/${idIn(at)}/`);
    deepEqual([name, hidden, notes], ['Runners', true, 'fast']);
    doesNotMatch(await seen('/console/lists/'), /Runners/);
    match(await seen('/console/lists/?hidden=1'), /1 hidden list .*Runners/);
    const late = await visitor.post(at, { _csrf: visitor.token(stale), version, name: 'Walkers 2', notes: '' });
    equal(late.statusCode, 409);
    match(text(late.body), /Somebody else has changed this list since you opened it: it is called “Runners” now/);
    equal((await api.read(`/rest/v1/list/${idIn(at)}/`)).name, 'Runners');
    const refused = await visitor.post(at, { _csrf: visitor.token(stale), version, name: '', notes: '' });
    equal(refused.statusCode, 400);
    const again = /name="version" value="([^"]+)"/.exec(refused.body)![1]!;
    equal((await visitor.post(at, { _csrf: visitor.token(stale), version: again, name: 'Walkers 2', notes: '' })).statusCode, 409);
  });

  it('counts members, and draws how they came and left', async () => {
    const at = await made('Counted');
    const { chart: none } = { chart: (await read(`${at}charts`)).json().growth };
    deepEqual(none.times, []);
    const list = idIn(at);
    await api.create('signuppage', { name: 'counted', list: `/rest/v1/list/${list}/` });
    for (const n of [1, 2, 3])
      await api.call('POST', '/rest/v1/action/', { page: 'counted', email: `c${n}@example.org`, first_name: `<C${n}>` });
    await api.pool.query(`update core_subscriptionhistory set created_at = now() - interval '2 days' where list_id = $1 and user_id = 1`, [
      list,
    ]);
    await api.pool.query(
      `update core_subscriptionhistory set created_at = now() - interval '200 days' where list_id = $1 and user_id = 2`,
      [list],
    );
    const { objects } = await api.read(`/rest/v1/subscription/?list=${list}&user=3`);
    await api.call('DELETE', objects[0].resource_uri);
    const { growth } = (await read(`${at}charts`)).json();
    const [members, came, left] = growth.series.map(({ values }: { values: number[] }) => values.slice(-4));
    deepEqual(
      [members, came, left],
      [
        [1, 2, 2, 2],
        [0, 1, 0, 1],
        [0, 0, 0, 1],
      ],
    );
    match(await seen(at), /Members 2 people.*Who came last &lt;C2&gt; c2@example\.org/);
  });

  it('draws what merges left of its members, and that nobody came by them', async () => {
    const list = idIn(await made('Merged'));
    await api.create('signuppage', { name: 'merged', list: `/rest/v1/list/${list}/` });
    const join = async (n: number) => {
      const action = await api.call('POST', '/rest/v1/action/', { page: 'merged', email: `m${n}@example.org` });
      return idIn(action.json().user);
    };
    const ids = [await join(1), await join(2), await join(3), await join(4)] as const;
    await api.pool.query(`update core_subscriptionhistory set created_at = now() - interval '5 days' where list_id = $1`, [list]);
    await merge(api.pool, ids[0], [ids[1]]);
    const onNone = idIn(await api.create('user', { email: 'none@example.org' }));
    await merge(api.pool, onNone, [ids[2]]);
    const { growth } = (await read(`/console/lists/${list}/charts`)).json();
    deepEqual(
      growth.series.map(({ values }: { values: number[] }) => values.slice(-2)),
      [
        [4, 3],
        [0, 0],
        [0, 1],
      ],
    );
    // What was written last says how they stand.
    for (const id of [ids[0], onNone]) {
      const { objects } = await api.read(`/rest/v1/subscriptionhistory/?user=${id}&list=${list}&order_by=-id`);
      equal(objects[0].change, 'subscribe');
      equal((await api.read(`/rest/v1/subscription/?user=${id}&list=${list}`)).meta.total_count, 1);
    }
    match(await seen(`/console/people/${onNone}/`), /Merged: is on it after a merge .*Merged: was taken off it by a merge/);
  });

  it('says last of somebody who is on a list that they are, where whom they were merged with had left it', async () => {
    const list = idIn(await made('Stayed'));
    await api.create('signuppage', { name: 'stayed', list: `/rest/v1/list/${list}/` });
    const join = async (email: string) => idIn((await api.call('POST', '/rest/v1/action/', { page: 'stayed', email })).json().user);
    const [stays, left] = [await join('stays@example.org'), await join('left@example.org')];
    const { objects } = await api.read(`/rest/v1/subscription/?user=${left}&list=${list}`);
    await api.call('DELETE', objects[0].resource_uri);
    await merge(api.pool, stays, [left]);
    const history = await api.read(`/rest/v1/subscriptionhistory/?user=${stays}&list=${list}&order_by=id`);
    const changes = history.objects.map(({ change }: { change: string }) => change);
    deepEqual(changes, ['subscribe', 'subscribe', 'unsubscribe_admin', 'unsubscribe_merge', 'subscribe']);
    const { growth } = (await read(`/console/lists/${list}/charts`)).json();
    deepEqual(
      growth.series.map(({ values }: { values: number[] }) => values.at(-1)),
      [1, 2, 1],
    );
  });

  it('takes whatever stands in an address', async () => {
    for (const odd of ['?hidden=2', '?after=0', '?after=x', '?after=99999999999', '?after=1&after=2', '?after=999999'])
      await read(`/console/lists/${odd}`);
    // The last one of a page may be gone when the next is asked for.
    const gone = await api.create('list', { name: 'Gone' });
    equal((await api.call('DELETE', gone)).statusCode, 204);
    doesNotMatch(await seen(`/console/lists/?after=${idIn(gone)}`), /There is no list yet/);
    for (const nothing of ['999999/', '0/', '99999999999/', 'x/', '999999/charts'])
      equal((await visitor.get(`/console/lists/${nothing}`)).statusCode, 404, nothing);
  });

  it('leads to imports only whoever may see them', async () => {
    const empty = `/console/lists/${idIn(await api.create('list', { name: 'Empty yet' }))}/`;
    const grants = ['list:read', 'user:read', 'upload:write'];
    for (const [name, more, leads] of [
      ['sender', [], false],
      ['importer', ['upload:read'], true],
    ] as const) {
      const who = await enterAs(api, name, [...grants, ...more]);
      equal((await who.get('/console/imports/')).statusCode, leads ? 200 : 403);
      for (const page of ['/console/people/', empty]) equal((await who.get(page)).body.includes('href="/console/imports/"'), leads, page);
    }
  });

  it('shows no members to who may not see people, and no form to who may not write', async () => {
    const other = await enterAs(api, 'other', ['list:read']);
    const { objects } = await api.read('/rest/v1/list/?name=Counted');
    const at = `/console/lists/${objects[0].id}/`;
    const page = await other.get(at);
    equal(page.statusCode, 200);
    doesNotMatch(page.body, /example\.org|Name and notes|Import people|data-charts/);
    doesNotMatch((await other.get('/console/lists/')).body, /Make the list/);
    const _csrf = other.token(page);
    for (const path of ['/console/lists/', at]) {
      const refused = await other.post(path, { _csrf, name: 'x' });
      equal(refused.statusCode, 403);
      match(text(refused.body), /needs the grant list:write/);
    }
    equal((await other.get(`${at}charts`)).statusCode, 403);
  });

  it('draws the last days without reading what came to the list before', async () => {
    const at = await made('Old friends');
    const others = idIn(await made('Older friends'));
    const { rows: friends } = await api.pool.query(`insert into core_user (email) values ('friend@example.org') returning id`);
    await api.pool.query(
      `insert into core_subscriptionhistory (user_id, list_id, change, created_at)
       select $1, case when n % 10 < 2 then $2::int else $3 end, 'subscribe', now() - case when n > 50 then interval '2 years' else interval '2 days' end
       from generate_series(1, 10000) n`,
      [friends[0].id, idIn(at), others],
    );
    await api.pool.query('vacuum analyze core_subscriptionhistory');
    const rows = await rowsRead(api.pool, 'core_subscriptionhistory', () => read(`${at}charts`));
    ok(rows < 200, `${rows} lines`);
  });
});
