import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';

describe('a collection', () => {
  let api: TestApi;
  let english: string;
  let french: string;
  const names = async (query: string) =>
    (await api.read(`/rest/v1/user/?${query}`)).objects.map((each: { first_name: string }) => each.first_name);

  before(async () => {
    api = await startApi();
    english = await api.create('language', { name: 'English', iso_code: 'en' });
    french = await api.create('language', { name: 'French', iso_code: 'fr' });
    const people = [
      { first_name: 'a', last_name: 'Alpha', state: 'CA', country: 'United States', zip: '90210', lang: english },
      { first_name: 'b', last_name: 'beta', state: 'CA', country: 'Canada', zip: '90211', lang: french },
      { first_name: 'c', last_name: '50%_off\\', state: 'NY', country: 'United States', zip: '10001', lang: french },
      { first_name: 'd', last_name: 'Delta', state: 'NY', country: 'united states', zip: '' },
      { first_name: 'e', last_name: 'Alphabet', state: '', country: 'France', zip: '75001', lang: english },
    ];
    for (const person of people) await api.create('user', { email: `${person.first_name}@Example.org`, ...person });
    await api.pool.query(`update core_user set created_at = '2020-01-01T00:00:00.5Z'::timestamptz + (id - 1) * interval '1 day'`);
  });
  after(() => api.close());

  it('has meta and objects, twenty at first', async () => {
    const { meta, objects } = await api.read('/rest/v1/user/');
    assert.deepEqual(meta, { limit: 20, offset: 0, total_count: 5, next: null, previous: null });
    assert.equal(objects.length, 5);
    assert.equal(objects[0].resource_uri, `/rest/v1/user/${objects[0].id}/`);
  });

  it('takes two hundred parameters, and says of more that they are too many', async () => {
    const ask = (many: number) => api.call('GET', `/rest/v1/user/?${Array.from({ length: many }, (_, n) => `f${n}=1`).join('&')}`);
    const answers = [await ask(200), await ask(201)];
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [400, 400],
    );
    const [each, all] = answers.map((answer) => answer.json().errors);
    assert.equal(Object.keys(each).length, 200);
    assert.deepEqual(all, { query: ['names 201 parameters; at most 200 are read'] });
  });

  it('pages, with relative next and previous that keep every filter', async () => {
    const seen: string[] = [];
    let url: string | null = '/rest/v1/user/?state__in=CA,NY&_limit=2&order_by=-zip';
    while (url) {
      const { meta, objects }: { meta: { next: string | null; total_count: number }; objects: { first_name: string }[] } =
        await api.read(url);
      assert.equal(meta.total_count, 4);
      assert.ok(meta.next === null || meta.next.startsWith('/rest/v1/user/?'));
      seen.push(...objects.map((each) => each.first_name));
      url = meta.next;
    }
    assert.deepEqual(seen, ['b', 'a', 'c', 'd']);
    const last = await api.read('/rest/v1/user/?state__in=CA,NY&limit=2&offset=3');
    assert.deepEqual([last.meta.limit, last.meta.offset, last.meta.next], [2, 3, null]);
    assert.deepEqual((await api.read(last.meta.previous)).meta.offset, 1);
    assert.match(last.meta.previous, /state__in=CA%2CNY/);
    const past = await api.read('/rest/v1/user/?_offset=2000000000');
    assert.deepEqual([past.meta.total_count, past.objects], [5, []]);
  });

  it('cuts the page at a hundred, which _limit=0 means too', async () => {
    assert.equal((await api.read('/rest/v1/user/?_limit=0')).meta.limit, 100);
    assert.equal((await api.read('/rest/v1/user/?_limit=5000')).meta.limit, 100);
    assert.equal((await api.read('/rest/v1/user/?_limit=100')).meta.limit, 100);
  });

  it('filters by every operator', async () => {
    const expected: Record<string, string> = {
      'state=CA': 'ab',
      'state__exact=ca': '',
      'country__iexact=UNITED%20STATES': 'acd',
      'last_name__contains=lpha': 'ae',
      'last_name__icontains=ALPHA': 'ae',
      'last_name__startswith=Alpha': 'ae',
      'last_name__startswith=alpha': '',
      'last_name__istartswith=alpha': 'ae',
      'last_name__endswith=eta': 'b',
      'last_name__iendswith=BET': 'e',
      'last_name__contains=%25': 'c',
      'last_name__contains=_': 'c',
      'last_name__endswith=%5C': 'c',
      'zip__gt=90210': 'b',
      'zip__gte=90210': 'ab',
      'zip__lt=10001': 'd',
      'zip__lte=10001': 'cd',
      'state__in=NY,': 'cde',
      'state__in=NY&state__in=CA': 'abcd',
      'zip__range=10000,80000': 'ce',
      'zip__range=10000&zip__range=80000': 'ce',
      'language__isnull=true': 'd',
      'language__isnull=0': 'abce',
      'created_at__year=2020': 'abcde',
      'created_at__year=2021': '',
      'created_at__gte=2020-01-04': 'de',
      'created_at__lt=2020-01-02T00:00:00Z': 'a',
      'created_at__gt=2020-01-03T01:00:00%2B01:00': 'cde',
      'created_at=2020-01-03T00:00:00': 'c',
      // As it is shown, d was made at the last second of this.
      'created_at__range=2020-01-02T00:00:00,2020-01-04T00:00:00': 'bcd',
      'created_at__range=2020-01-02T00:00:00,2020-01-03T23:59:59': 'bc',
      'created_at__range=2020-01-02T00:00:00,2020-01-04T00:00:00.1': 'bc',
      'created_at__lte=2020-01-03T00:00:00': 'abc',
      'created_at__lte=2020-01-03T00:00:00.1': 'ab',
      'created_at__lte=2020-01-02': 'ab',
      'created_at__in=2020-01-03T00:00:00,2020-01-05T01:00:00%2B01:00': 'ce',
      'email=A@EXAMPLE.ORG': 'a',
      'email__in=A@example.org,B@example.ORG': 'ab',
      'subscription_status=never': 'abcde',
      'subscription_status__in=subscribed,bounced': '',
      'id__in=1,3,99': 'ac',
      'id__lte=2': 'ab',
      'state=CA&country=Canada': 'b',
    };
    for (const [query, found] of Object.entries(expected)) {
      assert.equal((await names(query)).join(''), found, query);
    }
  });

  it('tells what leads nowhere by __isnull, of every reference that may, and says so in its schema', async () => {
    // A ledger whose places are numbers, and what stands in a table beside the page's; the filter by a person's lang is called language.
    const besidePage = ['donationpage.payment_account', 'eventcreatepage.campaign', 'eventsignuppage.campaign'];
    const elsewhere = ['sentmail.user', 'usermailing.user', 'user.lang', ...besidePage];
    for (const resource of Object.keys(await api.read('/rest/v1/'))) {
      const { fields, filtering } = await api.read(`/rest/v1/${resource}/schema/`);
      for (const [name, { related_type, nullable }] of Object.entries<Record<string, unknown>>(fields)) {
        if (related_type !== 'to_one' || !nullable || Object.keys(filtering).length === 0 || elsewhere.includes(`${resource}.${name}`))
          continue;
        assert.ok(typeof filtering[name] === 'string' || filtering[name]?.includes('isnull'), `${resource}.${name}`);
        for (const value of ['true', 'false'])
          assert.equal((await api.call('GET', `/rest/v1/${resource}/?${name}__isnull=${value}`)).statusCode, 200, `${resource}.${name}`);
      }
    }
    const wrapper = await api.create('emailwrapper', { name: 'Plain', template: '{{ content }}' });
    const [bare, wrapped] = [
      await api.create('mailer', { subjects: ['a'] }),
      await api.create('mailer', { subjects: ['b'], emailwrapper: wrapper }),
    ];
    for (const resource of ['mailer', 'mailing']) {
      const found = async (query: string) => (await api.read(`/rest/v1/${resource}/?${query}`)).objects.map(({ id }: { id: number }) => id);
      assert.deepEqual(await found('emailwrapper__isnull=true'), [Number(bare.split('/').at(-2))]);
      assert.deepEqual(await found('emailwrapper__isnull=0'), [Number(wrapped.split('/').at(-2))]);
    }
    assert.equal((await api.call('GET', '/rest/v1/mailer/?emailwrapper__isnull=perhaps')).statusCode, 400);
    assert.equal((await api.call('GET', '/rest/v1/mailer/?status__isnull=true')).statusCode, 400);
  });

  it('filters by relations: id, URI, absolute URL, and joins', async () => {
    const id = english.match(/\d+/g)!.at(-1);
    for (const value of [id, english, `http://platform.test${english}`]) {
      assert.equal((await names(`language=${encodeURIComponent(value!)}`)).join(''), 'ae', value);
    }
    assert.equal((await names(`language__in=${id},${french}`)).join(''), 'abce');
    // Whoever goes through all of them in steps begins at 0.
    for (const query of ['language__gt=0', 'language__gte=0', `language__range=0,${id}`, `language__gte=0&language__lte=${id}`])
      assert.equal((await names(query)).join(''), query.includes(String(id)) ? 'ae' : 'abce', query);
    assert.equal((await names(`language__gt=${english}`)).join(''), 'bc');
    assert.equal((await names('language__lt=0')).join(''), '');
    assert.equal((await names('language__iso_code=fr')).join(''), 'bc');
    assert.equal((await names('language__name__icontains=ENGL')).join(''), 'ae');
    // Whoever has no language has none with a code.
    assert.equal((await names('language__iso_code__isnull=true')).join(''), 'd');
    assert.equal((await names('language__iso_code__isnull=false')).join(''), 'abce');
    const list = await api.create('list', { name: 'News' });
    const page = await api.create('signuppage', { name: 'join', list, tags: [await api.create('tag', { name: 'climate' })] });
    await api.create('signuppage', { name: 'other' });
    const found = async (query: string) => (await api.read(`/rest/v1/page/?${query}`)).objects.map((each: { name: string }) => each.name);
    assert.deepEqual(await found('tags__name=climate'), ['join']);
    assert.deepEqual(await found('tags=1'), ['join']);
    assert.deepEqual(await found('tags__isnull=true'), ['other']);
    assert.deepEqual(await found('list__name__startswith=Ne'), ['join']);
    for (const [query, names] of Object.entries({ 'tags__name__isnull=1': ['other'], 'tags__name__isnull=0': ['join'] }))
      assert.deepEqual(await found(query), names, query);
    await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'a@example.org' });
    assert.equal((await api.read('/rest/v1/action/?page__list__name=News&user__state=CA')).meta.total_count, 1);
    assert.equal((await api.read(`/rest/v1/action/?page=${page}`)).meta.total_count, 1);
    assert.equal((await api.read('/rest/v1/action/?page__tags__name=climate')).meta.total_count, 1);
  });

  it('orders, and refuses to order by what it does not offer', async () => {
    assert.equal((await names('order_by=-created_at')).join(''), 'edcba');
    assert.equal((await names('order_by=state,-last_name')).join(''), 'ebadc');
    assert.equal((await names('order_by=-email')).join(''), 'edcba');
    assert.equal((await names('order_by=-state,state,last_name,-state')).join(''), (await names('order_by=-state,last_name')).join(''));
    const often = Array(1_000).fill('state,last_name').join();
    assert.equal((await api.call('GET', `/rest/v1/user/?_offset=1000&order_by=${often}`)).statusCode, 200);
    for (const query of ['order_by=token', 'order_by=nothing', 'order_by=-', 'order_by=id;drop', 'order_by=state,,']) {
      const answer = await api.call('GET', `/rest/v1/user/?${query}`);
      assert.equal(answer.statusCode, 400, query);
      assert.ok(answer.json().errors.order_by);
    }
  });

  it('looks for texts of at most 500 characters inside others', async () => {
    for (const operator of ['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith']) {
      const asked = (n: number) => api.call('GET', `/rest/v1/user/?last_name__${operator}=${'x'.repeat(n)}`);
      assert.equal((await asked(500)).statusCode, 200);
      const answer = await asked(501);
      assert.equal(answer.statusCode, 400);
      const field = `last_name__${operator}`;
      assert.deepEqual(answer.json(), { errors: { [field]: [`${field} must have at most 500 characters`] } });
    }
  });

  it('refuses, by name, filters and values that cannot be', async () => {
    const refused = [
      'token=a',
      'statex=CA',
      'state__near=CA',
      'state__exact__in=CA',
      'subscription_status__gt=a',
      'language__nothing=1',
      'language=x',
      'language=/rest/v1/user/1/',
      'id=x',
      'id=99999999999',
      'id__in=1,x',
      'created_at__gt=yesterday',
      'created_at__gt=2020-02-30',
      'created_at__gt=20200-01-01',
      'created_at__range=2020-01-01',
      'zip__range=1&zip__range=2&zip__range=3',
      'state=%00',
      'state__contains=%00',
      'state=CA&state=NY',
      'language__isnull=perhaps',
      'state__year=2020',
      '_limit=-1',
      '_limit=x',
      'limit=x',
      'offset=-1',
      '_offset=99999999999',
      'constructor=1',
      '__proto__=1',
      'toString__in=1',
      'password=1',
      "state';drop table core_user;--=1",
    ];
    for (const query of refused) {
      const answer = await api.call('GET', `/rest/v1/user/?${query}`);
      assert.equal(answer.statusCode, 400, `${query}: ${answer.statusCode} ${answer.body}`);
      assert.deepEqual(Object.keys(answer.json().errors), [decodeURIComponent(query.split('=')[0]!)]);
    }
    assert.equal((await api.call('GET', '/rest/v1/authuser/?password__startswith=scrypt')).statusCode, 400);
  });
});

describe('a long collection', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    // Of ten each the time is the same.
    await api.pool.query(`
      insert into core_user (email, state, updated_at)
      select i || '@example.org', (array['CA', 'NY'])[1 + i % 2], '2020-01-01T00:00:00.000001Z'::timestamptz + (i / 10) * interval '1.000001 s'
      from generate_series(1, 2500) i`);
  });
  after(() => api.close());

  const idsOf = ({ objects }: { objects: { id: number }[] }) => objects.map(({ id }) => id);

  for (const query of [
    '',
    'order_by=-id',
    'order_by=updated_at',
    'order_by=-updated_at',
    'state=CA',
    'updated_at__gte=2020-01-01&order_by=updated_at',
  ]) {
    it(`is paged to its end by next, as by offsets alone: ${query || 'as it is'}`, async () => {
      let url: string | null = `/rest/v1/user/?${query}&_limit=100`;
      const seen: number[] = [];
      while (url) {
        const page: Awaited<ReturnType<TestApi['read']>> = await api.read(url);
        const [skipped]: string[] = /_offset=\d+/.exec(url) ?? ['_offset=0'];
        assert.equal(`_offset=${page.meta.offset}`, skipped, 'the offset stays in next');
        assert.deepEqual(idsOf(page), idsOf(await api.read(`/rest/v1/user/?${query}&_limit=100&${skipped}`)));
        seen.push(...idsOf(page));
        url = page.meta.next;
        if (url) assert.equal(url.includes('_after='), page.meta.offset + 100 >= 1000, url);
      }
      assert.equal(seen.length, new Set(seen).size);
      assert.equal(seen.length, query.startsWith('state') ? 1250 : 2500);
    });
  }

  it('shows nobody twice and leaves nobody out who is there all the time, whatever comes and goes before the page', async () => {
    const first = await api.read('/rest/v1/user/?_limit=100&_offset=1400');
    await api.pool.query('delete from core_user where id between 1 and 50');
    const second = await api.read(first.meta.next);
    assert.equal(idsOf(second)[0], idsOf(first).at(-1)! + 1);
  });

  it('refuses a beginning that is none, by name', async () => {
    const { next } = (await api.read('/rest/v1/user/?_limit=100&_offset=1000')).meta;
    const after = new URL(next, 'http://x').searchParams.get('_after')!;
    const other = Buffer.from('["x"]').toString('base64url');
    for (const query of [
      `_after=${after}x`,
      '_after=',
      `_after=${other}`,
      `_after=${after}&order_by=updated_at`,
      `_after=${after}&_after=${after}`,
    ]) {
      const answer = await api.call('GET', `/rest/v1/user/?${query}`);
      assert.equal(answer.statusCode, 400, `${query} ${answer.body}`);
      assert.deepEqual(Object.keys(answer.json().errors), ['_after']);
    }
  });

  it('may be counted by estimate, where the caller says so', async () => {
    await api.pool.query(
      `insert into core_user (email, last_name) select 'more' || i || '@example.org', 'More' from generate_series(1, 30000) i`,
    );
    await api.pool.query('analyze core_user');
    const meta = async (query: string) => (await api.read(`/rest/v1/user/?${query}&_count=estimate`)).meta;
    const guessed = await meta('last_name__startswith=M&_limit=2');
    assert.equal(guessed.total_count_is_exact, false);
    assert.ok(guessed.total_count > 10_000 && guessed.total_count < 90_000, String(guessed.total_count));
    assert.match(guessed.next, /_count=estimate/);
    const few = await meta('last_name__startswith=M&state=CA');
    assert.deepEqual([few.total_count_is_exact, few.total_count, few.next], [true, 0, null]);
    const kept = await meta('state=NY');
    assert.deepEqual([kept.total_count_is_exact, kept.total_count], [true, 1225]);
    assert.equal((await api.read('/rest/v1/user/?last_name__startswith=M')).meta.total_count_is_exact, undefined);
    assert.equal((await api.read('/rest/v1/user/?last_name__startswith=M&_count=exact')).meta.total_count, 30_000);
    // Of those kept, too, whether a page of them is found among the first in the order asked for or not.
    const newest = async (state: string) => (await api.read(`/rest/v1/user/?state=${state}&order_by=-updated_at&_limit=3`)).objects;
    const { rows } = await api.pool.query(
      `select state, array_agg(id order by updated_at desc, id desc) as ids from core_user group by state`,
    );
    for (const { state, ids } of rows) assert.deepEqual(idsOf({ objects: await newest(state) }), ids.slice(0, 3), state);
    const refused = await api.call('GET', '/rest/v1/user/?_count=none');
    assert.deepEqual(refused.json(), { errors: { _count: ['_count must be exact or estimate'] } });
  });
});
