import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { runErasure } from '../../core/people/erasure-job.ts';
import { runMerge } from '../../core/people/merge-job.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn } from '../support/mailings.ts';
import { track } from '../support/tracking.ts';

describe('people in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let list: string;
  let group: string;
  let other: ConsoleVisitor;
  const people: Record<string, number> = {};

  before(async () => {
    api = await startApi({});
    list = await api.create('list', { name: 'Everyone <&> all' });
    await api.create('list', { name: 'Walkers' });
    await api.create('signuppage', { name: 'join', title: 'Join <us>', list });
    for (const [email, first_name, last_name, state] of [
      ['ann.smith@example.org', 'Ann', 'Smith', 'NY'],
      ['bob@example.org', 'Bob', "O'Brien", 'CA'],
      ['cy_50%@example.org', '<i>Cy</i>', 'smithson', 'NY'],
      ['anna@example.org', 'Anna Maria', 'SMITH', 'TX'],
    ]) {
      const answer = await api.call('POST', '/rest/v1/action/', { page: 'join', email, first_name, last_name, state });
      people[email!] = idIn(answer.json().user);
    }
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    group = await api.create('authgroup', { name: 'some', grants: [] });
    await api.create('authuser', { username: 'other', password: 'long-enough', is_staff: true, groups: [group] });
    other = new ConsoleVisitor(api.app);
    await other.logIn({ username: 'other', password: 'long-enough' });
  });
  after(() => api.close());

  const read = async (url: string) => {
    const answer = await visitor.get(url);
    equal(answer.statusCode, 200, `${url}: ${answer.statusCode} ${text(answer.body)}`);
    return answer;
  };
  const seen = async (url: string) => text((await read(url)).body);
  const search = async (words: string) => {
    const answer = await visitor.submit('/console/people/', '/console/people/', { words });
    equal(answer.statusCode, 303, text(answer.body));
    return String(answer.headers.location);
  };
  const found = async (words: string) => {
    const { body } = await read(await search(words));
    return [...body.matchAll(/href="\/console\/people\/(\d+)\/"/g)].map(([, id]) => Number(id));
  };
  const at = (email: string) => `/console/people/${people[email]}/`;
  /** The one other account, which may do this and no more. */
  const somebody = async (grants: string[]) => {
    equal((await api.call('PATCH', group, { grants })).statusCode, 202);
    return other;
  };

  it('says how many there are and who came last', async () => {
    match(await seen('/console/people/'), /People.*4 people 4 subscribed.*Who came last.*Anna Maria SMITH.*Ann Smith/);
  });

  it('finds people by id, address and name, with nobody’s name in an address', async () => {
    const ann = people['ann.smith@example.org']!;
    equal(await search(String(ann)), at('ann.smith@example.org'));
    equal(await search(' ANN.Smith@example.org '), at('ann.smith@example.org'));
    const where = await search('smith');
    match(where, /^\/console\/people\/\?find=[\w%]+$/);
    doesNotMatch(where, /smith/i);
    deepEqual((await found('smith')).sort(), [ann, people['cy_50%@example.org'], people['anna@example.org']].sort());
    deepEqual(await found('anna'), [people['anna@example.org'], people['anna@example.org']], 'by first name and by address');
    deepEqual(await found('ann sm'), await found('Smith, Ann'));
    deepEqual(await found("o'brien"), [people['bob@example.org']]);
    deepEqual(await found('Anna Maria Smith'), [people['anna@example.org']]);
    deepEqual(await found('bob@'), [people['bob@example.org']]);
    deepEqual(await found('cy_50%'), [people['cy_50%@example.org']], 'what means something in LIKE is taken as it is');
    deepEqual([...(await found('%')), ...(await found('_')), ...(await found('s_ith')), ...(await found('\\'))], []);
  });

  it('takes whatever is typed', async () => {
    for (const words of ['\0', 'a\0b', '99999999999999', '-1', "';--", '@', ', ,', 'ﷺ', 'a b c d e f g h', '('])
      equal((await visitor.get(await search(words))).statusCode, 200, words);
    const long = await visitor.submit('/console/people/', '/console/people/', { words: 'x'.repeat(5000) });
    equal(long.statusCode, 400);
    match(text(long.body), /A search has at most 200 characters/);
    for (const find of ['', 'x', 'a'.repeat(9000), '%00', 'AAAA'.repeat(20)]) await read(`/console/people/?find=${find}`);
    await read('/console/people/?find=a&find=b');
    match(await seen(await search('nobody')), /Nobody is found by “nobody”/);
  });

  it('goes through many a page at a time, by where the page before ended', async () => {
    await api.pool.query(
      `insert into core_user (email, last_name) select 'many' || n || '@example.org', 'Meyer' || n % 3 from generate_series(1, 130) n`,
    );
    const first = await read(await search('meyer'));
    let next = /href="([^"]+)">More</.exec(first.body)?.[1];
    const ids: string[] = [];
    let pages = 0;
    while (next) {
      const { body } = await read(next.replaceAll('&amp;', '&'));
      ids.push(...[...body.matchAll(/people\/(\d+)\/">/g)].map(([, id]) => id!));
      next = /href="([^"]+)" rel="next"/.exec(body)?.[1];
      pages++;
    }
    deepEqual([pages, ids.length, new Set(ids).size], [3, 130, 130]);
  });

  it('looks along an index, however it looks', async () => {
    const client = await api.pool.connect();
    const plans: string[] = [];
    const { findPeople, waysFor } = await import('../../core/people/find-people.ts');
    try {
      await client.query('set enable_seqscan = off');
      for (const words of ['smith', 'ann smith', 'ann@'])
        for (const way of waysFor(words))
          for (const after of [null, ['Smith', 1]] as const) {
            const sql = async (statement: string, values?: unknown[]) => {
              // How the database sorts.
              if (!/core_user\b/.test(statement)) return (await client.query(statement)).rows;
              const { rows } = await client.query(`explain ${statement}`, values);
              plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
              return [];
            };
            await findPeople(sql as never, way, words, 50, after as never);
          }
    } finally {
      client.release(true);
    }
    for (const plan of plans) {
      doesNotMatch(plan, /Seq Scan|core_user_pkey/);
      match(plan, /Index Cond: .*~>=~|Index Cond: .*>=/);
    }
  });

  it('shows what is known of somebody', async () => {
    const who = at('cy_50%@example.org');
    await api.call('PATCH', `/rest/v1/user/${people['cy_50%@example.org']}/`, {
      fields: { 'fav<b>': ['red', '<green>'] },
      phones: ['555 0100'],
      address1: '1 Main Street',
      zip: '10001',
    });
    const { body } = await read(who);
    doesNotMatch(body, /<i>Cy|<green>|fav<b>/);
    match(
      text(body),
      /&lt;i&gt;Cy&lt;\/i&gt; smithson Subscribed.*1 Main Street, 10001 New York NY.*555 0100 home.*fav&lt;b&gt; red, &lt;green&gt;/,
    );
    match(text(body), /1 list Everyone &lt;&amp;&gt; all since .*Came and left Everyone .*: joined by an action/);
    match(await seen(`${who}actions/`), /Join &lt;us&gt; signup/);
    match(await seen(`${who}mails/`), /was in no mailing yet/);
    match(await seen(`${who}donations/`), /has given nothing yet/);
    for (const odd of ['?before=0', '?before=x', '?before=99999999999', '?before=1&before=2'])
      for (const tab of ['actions/', 'mails/', 'donations/', 'changes/']) await read(`${who}${tab}${odd}`);
    for (const nobody of ['/console/people/999999/', '/console/people/0/', '/console/people/99999999999/', '/console/people/x/edit/'])
      equal((await visitor.get(nobody)).statusCode, 404, nobody);
  });

  it('counts what somebody opened and clicked as the tab of their mails does, what programs did left out', async () => {
    const [{ id: mailingId }] = (await api.pool.query(`insert into core_mailing (status) values ('completed') returning id`)).rows;
    await api.pool.query(`insert into core_mailinglink (mailing_id, number, url) values ($1, 0, 'https://example.org/')`, [mailingId]);
    const userId = people['anna@example.org']!;
    const by = (machine: boolean, link: number | null = null) => ({ userId, mailingId, machine, link });
    await track(api.pool, by(true), by(true), by(true, 0), by(false), by(false), by(false, 0));
    match(await seen(at('anna@example.org')), /Opened 2 Clicked 1/);
    await api.pool.query(`delete from core_open`);
    match(await seen(at('anna@example.org')), /Opened 2 Clicked 1/, 'also when single events are no longer kept');
    await api.pool.query('delete from core_mailing where id = $1', [mailingId]);
  });

  it('tells how somebody left a list that is deleted since', async () => {
    const gone = await api.create('list', { name: 'Gone soon' });
    const user = `/rest/v1/user/${people['anna@example.org']}/`;
    const subscription = await api.create('subscription', { user, list: gone });
    equal((await api.call('DELETE', subscription)).statusCode, 204);
    match(await seen(at('anna@example.org')), /Gone soon: was taken off it by staff or a program/);
    equal((await api.call('DELETE', gone)).statusCode, 204);
    match(await seen(at('anna@example.org')), /a list that was deleted: was taken off it by staff or a program/);
  });

  it('changes what was changed in the form, as the API would, and says who was there meanwhile', async () => {
    const who = at('bob@example.org');
    const uri = `/rest/v1/user/${people['bob@example.org']}/`;
    await api.call('PATCH', uri, { fields: { colour: 'red', many: ['a', 'b'] } });
    const form = async () => {
      const { body } = await read(`${who}edit/`);
      const values = [...body.matchAll(/<input id="(\w+)" name="\1" type="\w+" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value!.replaceAll('&#39;', "'"),
      ]);
      const hidden = [...body.matchAll(/<input type="hidden" name="(_csrf|version)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]);
      return { ...Object.fromEntries(values), ...Object.fromEntries(hidden) } as Record<string, string>;
    };
    const mine = await form();
    const saved = await visitor.post(`${who}edit/`, {
      ...mine,
      city: 'Oakland',
      field_name: ['colour', 'many', 'new one'],
      field_value: ['', 'a\r\nc', 'x'],
    });
    equal(saved.headers.location, `${who}?done=saved`, text(saved.body));
    const stored = await api.read(uri);
    deepEqual([stored.city, stored.last_name, stored.fields], ['Oakland', "O'Brien", { many: ['a', 'c'], 'new one': 'x' }]);

    const late = await visitor.post(`${who}edit/`, { ...mine, city: 'Alameda' });
    equal(late.statusCode, 409);
    match(text(late.body), /was changed since you opened the form.*City Oakland Alameda/);
    equal((await api.read(uri)).city, 'Oakland');

    const wrong = await visitor.post(`${who}edit/`, { ...(await form()), email: 'nobody', zip: '1'.repeat(300) });
    equal(wrong.statusCode, 400);
    match(text(wrong.body), /It was not saved.*It is not an email address/);
    const taken = await visitor.post(`${who}edit/`, { ...(await form()), email: 'ANN.smith@example.org' });
    equal(taken.statusCode, 409);
    match(text(taken.body), /Person \d+ has this address/);
    equal((await visitor.post(`${who}edit/`, { ...(await form()), first_name: 'a\0b' })).statusCode, 400);
    // The log is written in groups.
    while (!/\/edit\//.test((await seen(`${who}changes/`)).replace(/^.*Outcome/, '')))
      await new Promise((resolve) => setTimeout(resolve, 50));
    match(await seen(`${who}changes/`), /admin POST \/console\/people\/\d+\/edit\/ .*(done 303|refused 4\d\d)/);
  });

  it('puts somebody on a list and takes them off it, as the API does', async () => {
    const who = at('ann.smith@example.org');
    const user = people['ann.smith@example.org'];
    const walkers = (await api.read('/rest/v1/list/?name=Walkers')).objects[0].id;
    const history = async () =>
      (await api.read(`/rest/v1/subscriptionhistory/?user=${user}&list=${walkers}`)).objects.map(
        ({ change }: { change: string }) => change,
      );
    await visitor.submit(who, `${who}subscribe`, { list: String(walkers) });
    match(await seen(`${who}?done=subscribed`), /Put on the list\. .*2 lists.*Walkers/);
    const again = await visitor.submit(at('bob@example.org'), `${at('bob@example.org')}subscribe`, { list: String(walkers) });
    equal(again.statusCode, 303);
    await visitor.submit(at('bob@example.org'), `${at('bob@example.org')}subscribe`, { list: String(idIn(list)) }).catch(() => {});
    const csrf = visitor.token(await visitor.get(who));
    await visitor.post(`${who}unsubscribe`, { _csrf: csrf, list: String(walkers) });
    deepEqual(await history(), ['subscribe_api', 'unsubscribe_admin']);
    for (const wrong of ['', '0', '999999', 'x', '99999999999999'])
      equal((await visitor.post(`${who}subscribe`, { _csrf: csrf, list: wrong })).statusCode, 400, wrong);
  });

  it('merges two people after a preview of what moves', async () => {
    const [stays, goes] = [people['ann.smith@example.org']!, people['anna@example.org']!];
    const who = at('ann.smith@example.org');
    match(await seen(`${who}merge/`), /Who is the same person\?.*Of the same name Anna Maria SMITH anna@example\.org/);
    const found = await visitor.submit(`${who}merge/`, `${who}merge/find`, { who: 'ANNA@example.org' });
    equal(found.headers.location, `${who}merge/?with=${goes}`);
    const eva = await api.create('user', { email: 'eva@bücher.example' });
    const typed = await visitor.submit(`${who}merge/`, `${who}merge/find`, { who: ' Eva@xn--bcher-kva.example ' });
    equal(typed.headers.location, `${who}merge/?with=${idIn(eva)}`, 'however the domain is written');
    equal((await api.call('DELETE', eva)).statusCode, 204);
    const unknown = await visitor.submit(`${who}merge/`, `${who}merge/find`, { who: 'no\0body' });
    match(await seen(String(unknown.headers.location)), /There is no such person/);
    match(await seen(`${who}merge/?with=${stays}`), /That is the person themselves/);
    equal((await visitor.get(`${who}merge/?with=999999`)).statusCode, 404);
    for (const odd of ['?with=0', '?with=x', '?with=99999999999', '?with=1&with=2']) await read(`${who}merge/${odd}`);
    const asked = `${who}merge/?with=${goes}`;
    match(
      await seen(asked),
      /Stays Goes Name Ann Smith \d+ Anna Maria SMITH \d+ Email ann\.smith@example\.org anna@example\.org.*On these lists afterwards Everyone.*What moves Actions 1 This cannot be undone/,
    );
    match((await read(asked)).body, /Since<\/th><td><time datetime="[\d-]+T[\d:]+Z" title="[\d:]+ UTC">/);
    await visitor.submit(asked, `${who}merge/`, { address_user: String(goes), source_user: String(stays), lists: String(idIn(list)) });
    const { objects } = await api.read('/rest/v1/usermerge/?order_by=-id');
    const { primary_user, users, address_user, lists, status } = objects[0];
    deepEqual(
      [primary_user, users, address_user, lists, status],
      [`/rest/v1/user/${stays}/`, [`/rest/v1/user/${goes}/`], `/rest/v1/user/${goes}/`, null, 'pending'],
    );
    equal(api.workflows.starts.at(-1)?.workflow, 'mergeUsers');
    match(await seen(who), /1 person is being merged into this one/);
    equal((await read(`${who}live`)).json().busy, true);
    const twice = await visitor.submit(asked, `${who}merge/`, { address_user: String(stays) });
    equal(twice.statusCode, 400);
    match(text(twice.body), /which is pending/);
    await runMerge({ pool: api.pool, log: api.app.log }, idIn(objects[0].resource_uri));
    match(await seen(who), /1 person was merged into this one.*TX/);
    equal((await visitor.get(at('anna@example.org'))).statusCode, 404);
    const csrf = visitor.token(await visitor.get(who));
    for (const other of ['', 'x', '0', '999999', String(stays)])
      equal((await visitor.post(`${who}merge/`, { _csrf: csrf, other })).statusCode, 400, other);
  });

  it('erases somebody whose address was typed', async () => {
    const who = at('bob@example.org');
    match(await seen(`${who}erase/`), /Erase this person\?.*Actions 1.*Type their address to confirm: bob@example\.org/);
    const wrong = await visitor.submit(`${who}erase/`, `${who}erase/`, { typed: 'bob' });
    equal(wrong.statusCode, 400);
    match(text(wrong.body), /That is not their address: nothing was erased/);
    const erased = visitor.submit(`${who}erase/`, `${who}erase/`, { typed: ' BOB@example.org ', user_fields: '1' });
    let job: { id: number; options: string[] } | undefined;
    while (!job) job = (await api.pool.query('select id, options from core_erasure')).rows[0];
    deepEqual(job.options, ['user_fields']);
    await runErasure({ pool: api.pool, env: api.env, log: api.app.log as never }, job.id);
    equal((await erased).headers.location, who);
    const page = await seen(who);
    match(page, /This person was erased/);
    // Nothing is offered that is refused.
    doesNotMatch(page, /bob@|Brien|Put on a list/);
  });

  it('shows what an account may see, offers what it may do, and refuses the rest with words', async () => {
    const who = at('ann.smith@example.org');
    const looker = await somebody(['user:read']);
    const { body } = await looker.get(who);
    doesNotMatch(body, /Actions|Donations|Changes|Edit|Merge|Erase|Unsubscribe|Put on a list/);
    const csrf = looker.token(await looker.get(who));
    for (const [path, grant] of [
      ['actions/', 'action:read'],
      ['donations/', 'order:read'],
      ['changes/', 'auditlog:read'],
      ['edit/', 'user:write'],
      ['merge/', 'user:merge'],
      ['erase/', 'user:erase'],
    ]) {
      const refused = await looker.get(`${who}${path}`);
      equal(refused.statusCode, 403, path);
      match(text(refused.body), new RegExp(`needs the grant ${grant}`));
    }
    for (const path of ['edit/', 'subscribe', 'unsubscribe', 'merge/', 'merge/find', 'erase/'])
      equal((await looker.post(`${who}${path}`, { _csrf: csrf })).statusCode, 403, path);
    const blind = await somebody(['user:write', 'user:merge', 'user:erase', 'action:read', 'order:read']);
    for (const path of ['edit/', 'merge/', 'erase/', 'actions/', 'donations/']) {
      const refused = await blind.get(`${who}${path}`);
      equal(refused.statusCode, 403, path);
      doesNotMatch(refused.body, /Smith|example\.org/);
    }
  });
});
