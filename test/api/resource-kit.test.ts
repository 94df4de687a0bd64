import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';

describe('a resource of the kit', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('is created, read, changed and deleted', async () => {
    const made = await api.call('POST', '/rest/v1/tag/', { name: 'climate' });
    assert.equal(made.statusCode, 201);
    assert.equal(made.body, '');
    const location = String(made.headers.location);
    assert.match(location, /^http:\/\/platform\.test\/rest\/v1\/tag\/\d+\/$/);
    const uri = location.replace('http://platform.test', '');

    const tag = await api.read(uri);
    assert.equal(tag.name, 'climate');
    assert.equal(tag.resource_uri, uri);
    assert.match(tag.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);

    for (const method of ['PUT', 'PATCH']) {
      const changed = await api.call(method, uri, { name: `climate by ${method}` });
      assert.equal(changed.statusCode, 202);
      assert.equal(changed.body, '');
      assert.equal((await api.read(uri)).name, `climate by ${method}`);
    }

    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
    const gone = await api.call('GET', uri);
    assert.equal(gone.statusCode, 404);
    assert.equal(gone.body, '');
    assert.equal((await api.call('DELETE', uri)).statusCode, 404);
    assert.equal((await api.call('PATCH', uri, { name: 'x' })).statusCode, 404);
  });

  it('leaves updated_at alone when a change says what is there already, and moves it with one that does not', async () => {
    const uris = [
      await api.create('tag', { name: 'same' }),
      await api.create('user', { email: 'same@example.org', first_name: 'Same' }),
      await api.create('signuppage', { name: 'same', title: 'Same', fields: { a: ['1'] } }),
    ];
    for (const uri of uris) {
      const [, resource = '', id = ''] = /v1\/(\w+)\/(\d+)/.exec(uri)!;
      const table = resource === 'signuppage' ? 'core_page' : `core_${resource}`;
      await api.pool.query(`update ${table} set updated_at = '2001-01-01' where id = $1`, [id]);
      const stored = await api.read(uri);
      const [field = ''] = ['first_name', 'title', 'name'].filter((name) => name in stored);
      for (const body of [{ [field]: stored[field] }, {}]) assert.equal((await api.call('PATCH', uri, body)).statusCode, 202);
      assert.equal((await api.read(uri)).updated_at, '2001-01-01T00:00:00', uri);
      assert.equal((await api.call('PATCH', uri, { [field]: 'Other' })).statusCode, 202);
      assert.notEqual((await api.read(uri)).updated_at, '2001-01-01T00:00:00', uri);
    }
  });

  it('moves updated_at with a change of what it refers to, and leaves it alone where that is the same', async () => {
    const tag = await api.create('tag', { name: 'first' });
    const target = await api.create('target', { type: 'senate', first: 'A', last: 'B' });
    const group = await api.create('congresstargetgroup', { name: 'one', type: 'senate', targets: [] });
    const cases: [uri: string, table: string, field: string, members: string[]][] = [
      [await api.create('petitionpage', { name: 'referring' }), 'core_page', 'tags', [tag, await api.create('tag', { name: 'second' })]],
      [await api.create('whipcountpage', { name: 'calling' }), 'core_page', 'target_groups', [group]],
      [await api.create('user', { email: 'member@example.org' }), 'core_user', 'groups', [await api.create('usergroup', { name: 'g' })]],
      [group, 'core_targetgroup', 'targets', [target]],
    ];
    for (const [uri, table, field, members] of cases) {
      for (const [value, moves] of [
        [members, true],
        [members.toReversed(), false],
        [[], true],
        [[], false],
      ] as const) {
        await api.pool.query(`update ${table} set updated_at = '2001-01-01' where id = $1`, [uri.split('/').at(-2)]);
        assert.equal((await api.call('PATCH', uri, { [field]: value })).statusCode, 202);
        assert.equal((await api.read(uri)).updated_at !== '2001-01-01T00:00:00', moves, `${uri} ${field} ${value}`);
      }
    }
  });

  it('answers PUT with 204, and PATCH still with 202, where clients in the field expect it', async () => {
    const live = await startApi({ API_STATUS_CODES: 'live' });
    try {
      const tag = await live.create('tag', { name: 'x' });
      assert.equal((await live.call('PUT', tag, { name: 'y' })).statusCode, 204);
      assert.equal((await live.call('PATCH', tag, { name: 'z' })).statusCode, 202);
    } finally {
      await live.close();
    }
  });

  it('takes back what it showed: unknown and read-only keys are ignored', async () => {
    const uri = await api.create('list', {
      name: 'whole',
      id: 999,
      resource_uri: '/x/',
      created_at: '1999-01-01T00:00:00',
      nonsense: { a: 1 },
    });
    const list = await api.read(uri);
    assert.notEqual(list.id, 999);
    assert.notEqual(list.created_at, '1999-01-01T00:00:00');
    assert.equal((await api.call('PUT', uri, { ...list, notes: 'sent back' })).statusCode, 202);
    const again = await api.read(uri);
    assert.deepEqual({ ...again, updated_at: '' }, { ...list, notes: 'sent back', updated_at: '' });
  });

  it('says what is wrong by field, under its own name', async () => {
    const lang = '/rest/v1/language/99999/';
    const wrong: [string, object, string[]][] = [
      ['tag', {}, ['name']],
      ['tag', { name: null }, ['name']],
      ['tag', { name: '   ' }, ['name']],
      ['tag', { name: { a: 1 } }, ['name']],
      ['tag', { name: ['x'] }, ['name']],
      ['tag', { name: true }, ['name']],
      ['tag', { name: 'nul\0' }, ['name']],
      ['tag', { name: 'x'.repeat(256) }, ['name']],
      [
        'authuser',
        { username: 'long', password: 'long enough', first_name: 'x'.repeat(256), email: 'x'.repeat(256) },
        ['email', 'first_name'],
      ],
      ['list', { name: 'x', hidden: 'maybe', notes: {} }, ['hidden', 'notes']],
      ['list', { name: 'x', hidden: null }, ['hidden']],
      ['language', { name: 'x', ordering: 'x' }, ['ordering']],
      ['language', { name: 'x', ordering: 1.5 }, ['ordering']],
      ['language', { name: 'x', ordering: 99_999_999_999 }, ['ordering']],
      ['user', { email: 'a@b.c', lang }, ['lang']],
      ['user', { email: 'a@b.c', lang: 99_999 }, ['lang']],
      ['user', { email: 'a@b.c', lang: '/rest/v1/list/1/' }, ['lang']],
      ['user', { email: 'a@b.c', lang: 'English' }, ['lang']],
      ['user', { email: 'a@b.c', lang: { id: 1 } }, ['lang']],
      ['user', { email: 'a@b.c', lang: 'http://elsewhere.test/rest/v1/language/1/' }, ['lang']],
      ['user', { email: 'a@b.c', lang: '/rest/v1/language/99999999999999/' }, ['lang']],
      ['user', { email: 'a@b.c', lang: -1 }, ['lang']],
      ['user', { email: 'nobody' }, ['email']],
      ['user', { email: 'a@b.c\nBcc: d@e.f' }, ['email']],
      ['user', { email: 'a@b\r\nc' }, ['email']],
      ['user', { email: 'a@ex%61mple.org' }, ['email']],
      ['queryreport', { name: 'x', short_name: 'sql', sql: 'select 1' }, ['short_name']],
      ['fromline', { from_line: 'no address' }, ['from_line']],
      ['fromline', { from_line: '"A" <a@b.c>\r\nBcc: d@e.f' }, ['from_line']],
      ['emailwrapper', { name: 'x', template: '<b>no place</b>' }, ['template']],
      ['emailwrapper', { name: 'x', template: '{{ content }}{% if %}' }, ['template']],
      ['emailwrapper', { name: 'x', template: '{{ content }}', text_template: 'no place' }, ['text_template']],
      ['emailwrapper', { name: 'x', template: '{{ content }}', unsubscribe_text: '{% if %}' }, ['unsubscribe_text']],
      [
        'emailwrapper',
        { name: 'x', template: '<b>', text_template: '{{', unsubscribe_html: '{{', unsubscribe_text: '{{' },
        ['template', 'text_template', 'unsubscribe_html', 'unsubscribe_text'],
      ],
      ['signuppage', { name: 'with space' }, ['name']],
      ['signuppage', { name: 'x', status: 'odd' }, ['status']],
      ['signuppage', { name: 'x', fields: [1] }, ['fields']],
      ['signuppage', { name: 'x', fields: { a: 'nul\0' } }, ['fields']],
      ['signuppage', { name: 'x', required_fields: {} }, ['required_fields']],
      ['signuppage', { name: 'x', required_fields: [1] }, ['required_fields']],
      ['signuppage', { name: 'x', tags: 'climate' }, ['tags']],
      ['signuppage', { name: 'x', tags: [99_999] }, ['tags']],
      ['signuppage', { name: 'x', goal: [] }, ['goal']],
      ['authgroup', { name: 'x', grants: ['everything'] }, ['grants']],
      ['queryreport', { name: 'x', short_name: 'x', sql: 'delete from core_user' }, ['sql']],
      ['queryreport', { name: 'x', short_name: 'x', sql: 'selec' }, ['sql']],
      ['subscription', { user: 1 }, ['list', 'user']],
    ];
    for (const [resource, body, fields] of wrong) {
      const answer = await api.call('POST', `/rest/v1/${resource}/`, body);
      assert.equal(answer.statusCode, 400, `${resource} ${JSON.stringify(body)}: ${answer.statusCode} ${answer.body}`);
      const messages = answer.json()[resource];
      const expected = resource === 'subscription' ? ['list'] : fields;
      assert.deepEqual(Object.keys(messages ?? {}).sort(), expected, answer.body);
      for (const each of Object.values(messages)) assert.ok(Array.isArray(each) && typeof each[0] === 'string');
      assert.equal(
        (await api.read(`/rest/v1/${resource}/?_limit=1&order_by=-id`)).objects.filter((it: { name?: string }) => it.name === 'x').length,
        0,
      );
    }
  });

  it('refuses what is nested past all reason, and stores what is not', async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const json = { 'content-type': 'application/json' };
    // Nesting is counted before the text is parsed: it is of the body, not of a field.
    const nested = await api.call('POST', '/rest/v1/signuppage/', `{"name": "deep", "fields": ${deep(100_000)}}`, json);
    assert.deepEqual([nested.statusCode, Object.keys(nested.json().errors)], [400, ['body']]);
    for (const fields of [deep(90), '{"a": 1e400}', '{"a": "\\u0000"}', '{"\\ud800": 1}']) {
      const answer = await api.call('POST', '/rest/v1/signuppage/', `{"name": "deep", "fields": ${fields}}`, json);
      assert.equal(answer.statusCode, 400);
      assert.deepEqual(Object.keys(answer.json().signuppage), ['fields']);
    }
    const page = await api.create('signuppage', { name: 'shallow', fields: JSON.parse(deep(50)) });
    assert.deepEqual((await api.read(page)).fields, JSON.parse(deep(50)));
  });

  it('holds texts, lists and objects to a length, which its document says', async () => {
    const refused = async (url: string, body: object, field: string, words: RegExp) => {
      const answer = await api.call('POST', url, body);
      const said = Object.values(answer.json())[0] as Record<string, string[]>;
      assert.deepEqual([answer.statusCode, Object.keys(said)], [400, [field]], answer.body.slice(0, 300));
      assert.match(said[field]![0]!, words);
    };
    const characters = 'x'.repeat(100_001);
    await refused('/rest/v1/list/', { name: 'long', notes: characters }, 'notes', /^notes must have at most 100000 characters/);
    await api.create('list', { name: 'long', notes: characters.slice(1) });
    await refused('/rest/v1/signuppage/', { name: 'long', title: characters }, 'title', /at most 100000 characters/);
    const many = (n: number) => Array.from({ length: n }, (_, at) => `field${at}`);
    const fields = (n: number) => Object.fromEntries(many(n).map((name) => [name, 1]));
    await refused('/rest/v1/signuppage/', { name: 'long', fields: fields(1001) }, 'fields', /^fields must have at most 1000 members/);
    await refused('/rest/v1/signuppage/', { name: 'long', fields: { a: 'x'.repeat(1_000_000) } }, 'fields', /1000000 characters as JSON/);
    await refused('/rest/v1/authgroup/', { name: 'long', grants: Array(1001).fill('*') }, 'grants', /at most 1000 members/);
    await refused('/rest/v1/signuppage/', { name: 'long', required_fields: many(201) }, 'required_fields', /at most 200 members/);
    await refused(
      '/rest/v1/signuppage/',
      { name: 'long', required_fields: ['x'.repeat(256)] },
      'required_fields',
      /at most 255 characters/,
    );
    await api.create('signuppage', { name: 'long', fields: fields(1000), required_fields: many(200) });
    // What is a template may be as long as templates are.
    await api.create('snippet', { name: 'long', html: 'x'.repeat(400_000), text: 'x' });

    const document = (await api.call('GET', '/rest/v1/openapi.json')).json();
    const { properties } = document.components.schemas.SignuppageInput;
    const [fieldsTaken, requiredTaken] = [properties.fields.anyOf[0], properties.required_fields.anyOf[0]];
    assert.deepEqual(
      [properties.title.maxLength, properties.name.maxLength, fieldsTaken.maxProperties, requiredTaken.maxItems],
      [100_000, 255, 1000, 200],
    );
  });

  it('takes references as relative URI, absolute URL of this service or id, with or without the slash', async () => {
    const lang = await api.create('language', { name: 'Klingon' });
    const id = Number(lang.match(/\d+/g)!.at(-1));
    const user = await api.create('user', { email: 'reference@example.org' });
    for (const reference of [lang, `http://platform.test${lang}`, lang.slice(0, -1), id, String(id)]) {
      await api.call('PATCH', user, { lang: null });
      assert.equal((await api.read(user)).lang, null);
      assert.equal((await api.call('PATCH', user, { lang: reference })).statusCode, 202, String(reference));
      assert.equal((await api.read(user)).lang, lang);
    }
    await api.call('DELETE', lang);
    assert.equal((await api.read(user)).lang, null);
  });

  it('takes numbers as strings of digits', async () => {
    const language = await api.create('language', { name: 'Digits', ordering: '12' });
    assert.equal((await api.read(language)).ordering, 12);
    const user = await api.create('user', { email: 'digits@example.org', zip: 94_110 });
    assert.equal((await api.read(user)).zip, '94110');
  });

  it('changes relations to many as a whole', async () => {
    const [one, two] = [await api.create('tag', { name: 'one' }), await api.create('tag', { name: 'two' })];
    const page = await api.create('signuppage', { name: 'tagged', tags: [one, two, one] });
    assert.deepEqual((await api.read(page)).tags, [one, two]);
    await api.call('PATCH', page, { title: 'unchanged tags' });
    assert.deepEqual((await api.read(page)).tags, [one, two]);
    await api.call('PATCH', page, { tags: [two] });
    assert.deepEqual((await api.read(page)).tags, [two]);
    await api.call('PATCH', page, { tags: [] });
    assert.deepEqual((await api.read(page)).tags, []);
  });

  it('answers 409 with the holder to a taken key, on create and on change', async () => {
    const first = await api.create('list', { name: 'taken' });
    const second = await api.create('list', { name: 'free' });
    for (const answer of [
      await api.call('POST', '/rest/v1/list/', { name: ' taken ' }),
      await api.call('PATCH', second, { name: 'taken' }),
    ]) {
      assert.equal(answer.statusCode, 409);
      assert.deepEqual(answer.json(), { errors: { name: ["Conflict on unique key 'name' for value 'taken'"] } });
      assert.equal(answer.headers.location, `http://platform.test${first}`);
    }
    await api.call('PATCH', first, { is_reengagement: true });
    const other = await api.call('PATCH', second, { is_reengagement: true });
    assert.deepEqual([other.statusCode, other.headers.location], [409, `http://platform.test${first}`]);
  });

  it('makes one object of many creations of one key at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('POST', '/rest/v1/tag/', { name: 'at once' })));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, ...Array(9).fill(409)]);
  });

  it('answers a taken page name with 400, whatever its type and though it is hidden', async () => {
    await api.create('signuppage', { name: 'known', hidden: true });
    const answer = await api.call('POST', '/rest/v1/unsubscribepage/', { name: 'known' });
    assert.equal(answer.statusCode, 400);
    assert.match(answer.json().unsubscribepage.name[0], /^A page with this short name already exists/);
  });

  it('keeps to its kind: a signup page is no unsubscribe page, and both are pages', async () => {
    const signup = await api.create('signuppage', { name: 'kind', type: 'unsubscribe' });
    const id = signup.match(/\d+/g)!.at(-1);
    assert.equal((await api.read(signup)).type, 'signup');
    assert.equal((await api.read(`/rest/v1/page/${id}/`)).name, 'kind');
    assert.equal((await api.call('GET', `/rest/v1/unsubscribepage/${id}/`)).statusCode, 404);
    assert.equal((await api.call('PATCH', `/rest/v1/unsubscribepage/${id}/`, { title: 'x' })).statusCode, 404);
    assert.equal((await api.call('DELETE', `/rest/v1/unsubscribepage/${id}/`)).statusCode, 404);
    assert.equal((await api.call('PATCH', `/rest/v1/page/${id}/`, { title: 'by page' })).statusCode, 202);
    assert.equal((await api.read(signup)).title, 'by page');
    assert.equal((await api.call('DELETE', `/rest/v1/page/${id}/`)).statusCode, 204);
  });

  it('refers to objects of the kind its field takes alone', async () => {
    const id = Number((await api.create('signuppage', { name: 'referred' })).split('/').at(-2));
    const donation = Number((await api.create('donationpage', { name: 'referred-too' })).split('/').at(-2));
    const post = (resource: string, page: unknown) => api.call('POST', `/rest/v1/${resource}/`, { page });
    for (const page of [`/rest/v1/page/${id}/`, id, String(id), `${api.env.BASE_URL}/rest/v1/page/${id}/`]) {
      const refused = await post('donationform', page);
      assert.deepEqual(refused.json(), { donationform: { page: [`page refers to nothing: there is no donationpage ${id}.`] } });
    }
    assert.equal((await post('cmsform', id)).statusCode, 201);
    // Clients in the field name pages of any type by the URI of one.
    assert.equal((await post('pagefollowup', `/rest/v1/petitionpage/${id}/`)).statusCode, 201);
    const made = await post('donationform', `/rest/v1/page/${donation}/`);
    assert.equal(made.statusCode, 201, made.body);
    const form = String(made.headers.location).slice(api.env.BASE_URL.length);
    for (const page of [donation, `/rest/v1/donationpage/${donation}/`]) {
      assert.equal((await api.call('PATCH', form, { page, ask_text: `Give ${page}` })).statusCode, 202);
    }
    assert.equal((await api.call('PATCH', form, { page: id })).statusCode, 400);
  });

  it('describes itself', async () => {
    const schema = await api.read('/rest/v1/user/schema/');
    assert.deepEqual(schema.allowed_detail_http_methods, ['get', 'put', 'patch', 'delete']);
    assert.deepEqual(schema.allowed_list_http_methods, ['get', 'post']);
    assert.equal(schema.default_format, 'application/json');
    assert.equal(schema.default_limit, 20);
    assert.equal(schema.filtering.language, 'all with relations');
    assert.equal(schema.filtering.state, 'all');
    assert.deepEqual(schema.filtering.subscription_status, ['exact', 'in']);
    const { email, lang, subscription_status, fields } = schema.fields;
    assert.deepEqual(Object.keys(email).sort(), ['blank', 'default', 'help_text', 'nullable', 'readonly', 'type', 'unique']);
    assert.deepEqual([email.type, email.unique, email.readonly, email.blank], ['string', true, false, false]);
    assert.deepEqual([lang.type, lang.related_type, lang.nullable], ['related', 'to_one', true]);
    assert.equal(subscription_status.readonly, true);
    assert.equal(fields.type, 'dict');

    const index = await api.read('/rest/v1/');
    assert.deepEqual(index.user, { list_endpoint: '/rest/v1/user/', schema: '/rest/v1/user/schema/' });
    for (const { list_endpoint, schema: document } of Object.values<{ list_endpoint: string; schema: string }>(index)) {
      // Those read from the send ledger want to know whose.
      const answer = await api.call('GET', list_endpoint);
      assert.ok(answer.json().meta ?? answer.json().errors.user, list_endpoint);
      const { fields: described } = await api.read(document);
      const short = Object.keys(described).filter((name) => !Object.keys(email).every((key) => key in described[name]));
      assert.deepEqual(short, [], document);
    }
  });
});
