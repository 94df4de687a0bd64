import assert from 'node:assert/strict';
import { readContent } from '../../../core/sending/content.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { insertPeople } from '../../support/people.ts';

const FROM = '"Ann" <ann@example.org>';

describe('a mailing', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await insertPeople(api.pool, [
      { id: 1, email: 'one@example.org' },
      { id: 2, email: 'Two@example.org' },
    ]);
  });
  after(() => api.close());

  const make = (more: object = {}) => api.create('mailer', { subjects: ['Hello'], ...more });
  const patch = (uri: string, body: unknown) => api.call('PATCH', uri, body);

  async function refused(answer: ReturnType<TestApi['call']>, field: string, message: RegExp): Promise<void> {
    const { statusCode, body } = await answer;
    assert.equal(statusCode, 400, body);
    const { errors } = JSON.parse(body);
    assert.ok(Array.isArray(errors[field]), body);
    assert.match(errors[field].join(' '), message);
  }

  it('needs nothing but subjects, and shows every field', async () => {
    const uri = await make();
    const id = Number(uri.split('/').at(-2));
    const shown = await api.read(uri);
    const { created_at, updated_at, ...rest } = shown;
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.match(updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    const action = (name: string) => `/rest/v1/mailer/${id}/${name}/`;
    assert.deepEqual(rest, {
      id,
      resource_uri: `/rest/v1/mailer/${id}/`,
      mailing_uri: `/rest/v1/mailing/${id}/`,
      subjects: ['Hello'],
      preview_text: [],
      html: '',
      text: '',
      fromline: '',
      custom_fromline: '',
      reply_to: '',
      emailwrapper: null,
      lang: null,
      landing_page: null,
      mergefile: null,
      target_mergefile: false,
      notes: '',
      tags: [],
      fields: [],
      web_viewable: false,
      track_opens: true,
      track_clicks: true,
      hidden: false,
      limit: null,
      sort_by: null,
      mails_per_second: null,
      rebuild_query_at_send: false,
      includes: {},
      excludes: {},
      target_group_from_landing_page: false,
      proof_users: [],
      reviewers: [],
      requested_proofs: 0,
      submitter: null,
      scheduled_by: null,
      scheduled_for: null,
      status: 'draft',
      query_status: 'none',
      query_queued_at: null,
      query_started_at: null,
      query_completed_at: null,
      query_previous_runtime: null,
      targeting_version: 1,
      targeting_version_saved: null,
      expected_sent_count: null,
      expected_send_count: null,
      queued_at: null,
      queued_by: null,
      started_at: null,
      finished_at: null,
      recurring_schedule: null,
      recurring_source_mailing: null,
      copy: action('copy'),
      rebuild: action('rebuild'),
      proofs: action('proofs'),
      queue: action('queue'),
      progress: action('progress'),
      status_uri: action('status'),
      stop: action('stop'),
      results: action('results'),
    });
  });

  it('is created with everything, and read back as it was given', async () => {
    const wrapper = await api.create('emailwrapper', { name: 'Plain', template: '<body>{{ content }}</body>' });
    const lang = await api.create('language', { name: 'English', iso_code: 'en' });
    const page = await api.create('signuppage', { name: 'join' });
    const { body } = await api.call('GET', '/rest/v1/authuser/?username=admin');
    const admin = JSON.parse(body).objects[0].resource_uri;
    const uri = await make({
      subjects: ['One', 'Two {{ user.first_name }}'],
      preview_text: ['First', ''],
      html: '<p>Hello {{ user.first_name|default:"friend" }}</p>',
      text: 'Hello',
      fromline: FROM,
      reply_to: 'reply@example.org',
      emailwrapper: wrapper,
      lang,
      landing_page: page,
      notes: 'A note',
      tags: ['spring', 'press'],
      fields: { topic: 'climate', year: 2030 },
      web_viewable: true,
      limit: 500,
      sort_by: 'random',
      mails_per_second: 0.5,
      rebuild_query_at_send: true,
      proof_users: ['/rest/v1/user/2/', 1, 'TWO@example.org'],
      reviewers: ['/rest/v1/user/1/'],
      requested_proofs: 3,
      submitter: admin,
      scheduled_by: admin,
      scheduled_for: '2031-05-06T07:08:09+02:00',
    });
    const shown = await api.read(uri);
    assert.deepEqual(shown.subjects, ['One', 'Two {{ user.first_name }}']);
    assert.deepEqual(shown.preview_text, ['First']);
    assert.equal(shown.fromline, FROM);
    assert.deepEqual([shown.emailwrapper, shown.lang], [wrapper, lang]);
    assert.equal(shown.landing_page, page.replace('signuppage', 'page'));
    assert.deepEqual(shown.tags, ['press', 'spring']);
    assert.deepEqual(shown.fields, [
      { name: 'topic', value: 'climate' },
      { name: 'year', value: '2030' },
    ]);
    assert.deepEqual([shown.limit, shown.sort_by, shown.mails_per_second, shown.rebuild_query_at_send], [500, 'random', 0.5, true]);
    assert.deepEqual(shown.proof_users, ['/rest/v1/user/2/', '/rest/v1/user/1/']);
    assert.deepEqual(shown.reviewers, ['/rest/v1/user/1/']);
    assert.deepEqual([shown.submitter, shown.scheduled_by, shown.scheduled_for], [admin, admin, '2031-05-06T05:08:09']);
    assert.deepEqual([shown.web_viewable, shown.requested_proofs, shown.notes, shown.reply_to], [true, 3, 'A note', 'reply@example.org']);

    // The whole object, read-only fields and all, sent back: taken, and nothing has changed.
    const again = await patch(uri, shown);
    assert.equal(again.statusCode, 202, again.body);
    assert.equal(again.body, '');
    const { updated_at: _one, ...before } = shown;
    const { updated_at: _two, ...after } = await api.read(uri);
    assert.deepEqual(after, before);
  });

  const lines: [string, unknown][] = [
    ['an object', { from_line: FROM }],
    ['a line', FROM],
    ['an object with flags', { from_line: FROM, hidden: false }],
  ];
  for (const [what, fromline] of lines) {
    it(`finds or creates its from line from ${what}`, async () => {
      const uri = await make({ fromline });
      assert.equal((await api.read(uri)).fromline, FROM);
      const { meta } = await api.read('/rest/v1/fromline/');
      assert.equal(meta.total_count, 1);
    });
  }

  it('takes its from line by URI, absolute URL and id, and loses it to null', async () => {
    const { objects } = await api.read('/rest/v1/fromline/');
    const { id, resource_uri } = objects[0];
    for (const fromline of [resource_uri, `${api.env.BASE_URL}${resource_uri}`, id, objects[0]]) {
      assert.equal((await api.read(await make({ fromline }))).fromline, FROM);
    }
    const uri = await make({ fromline: FROM });
    await patch(uri, { fromline: null });
    assert.equal((await api.read(uri)).fromline, '');
    const custom = await make({ custom_fromline: 'Bob <bob@example.org>' });
    assert.equal((await api.read(custom)).custom_fromline, 'Bob <bob@example.org>');
  });

  const fieldForms: [string, unknown][] = [
    [
      'a list of names',
      [
        { name: 'a', value: 'x' },
        { name: 'b', value: 'y' },
      ],
    ],
    [
      'a list of keys',
      [
        { key: 'a', value: 'x' },
        { key: 'b', value: 'y' },
      ],
    ],
    [
      'pairs',
      [
        ['a', 'x'],
        ['b', 'y'],
      ],
    ],
    ['an object', { a: 'x', b: 'y' }],
  ];
  for (const [what, fields] of fieldForms) {
    it(`takes custom fields as ${what}`, async () => {
      assert.deepEqual((await api.read(await make({ fields }))).fields, [
        { name: 'a', value: 'x' },
        { name: 'b', value: 'y' },
      ]);
    });
  }

  const wrong: [field: string, value: unknown, message: RegExp][] = [
    ['subjects', [], /at least one/],
    ['subjects', 'Hello', /must be a list/],
    ['subjects', [5], /strings/],
    ['subjects', [' '], /blank/],
    ['subjects', ['a\r\nBcc: x@example.org'], /one line/],
    ['subjects', ['a\0'], /NUL|control/],
    ['subjects', ['{{ user.first_name'], /line|Line/],
    ['subjects', null, /list/],
    ['preview_text', ['a', 'b'], /more members/],
    ['preview_text', 'x', /list/],
    ['html', 5, /string/],
    ['html', ['x'], /string/],
    ['html', '<p>\n{% nosuchtag %}', /line 2|Line 2/],
    ['html', '{{ user.first_name|nosuchfilter }}', /nosuchfilter/],
    ['html', 'a\0b', /NUL/],
    ['text', { a: 1 }, /string/],
    ['text', '{% if %}', /line 1|Line 1/],
    ['fromline', 'nobody', /form/],
    ['fromline', '"A" <a@example.org>\r\nBcc: b@example.org', /one line/],
    ['fromline', '/rest/v1/fromline/999999/', /refers to nothing/],
    ['fromline', 999999, /refers to nothing/],
    ['fromline', {}, /needs a from_line/],
    ['fromline', { from_line: 'x', evil: 1 }, /has no evil/],
    ['fromline', [], /must be/],
    ['fromline', true, /must be/],
    ['custom_fromline', 'x', /form/],
    ['custom_fromline', 5, /string/],
    ['reply_to', 'x@example.org, y@example.org', /form/],
    ['emailwrapper', '/rest/v1/emailwrapper/999999/', /refers to nothing/],
    ['emailwrapper', '/rest/v1/tag/1/', /must be a URI/],
    ['lang', 99_999_999_999, /refers to nothing/],
    ['lang', 1.5, /must be a URI/],
    ['landing_page', {}, /must be a URI/],
    ['mergefile', '/rest/v1/mergefile/1/', /refers to nothing/],
    ['target_mergefile', true, /needs a mergefile/],
    ['target_mergefile', 'yes', /true or false/],
    ['target_group_from_landing_page', true, /needs a landing_page/],
    ['notes', 5, /string/],
    ['tags', 'x', /list/],
    ['tags', [''], /characters/],
    ['tags', [{}], /string/],
    ['tags', [999999], /refers to nothing/],
    ['fields', 'x', /list/],
    ['fields', [{ name: 'a', value: 'b', more: 1 }], /more/],
    ['fields', [['a']], /pairs/],
    ['fields', [{ value: 'b' }], /string/],
    ['fields', { a: {} }, /string/],
    ['fields', { '': 'x' }, /names/],
    ['web_viewable', 2, /true or false/],
    ['limit', 0, /at least 1/],
    ['limit', -5, /at least 1/],
    ['limit', 2_147_483_648, /range/],
    ['limit', 1.5, /whole/],
    ['limit', 'many', /whole/],
    ['limit', [5], /whole/],
    ['sort_by', 'email', /one of zip, random/],
    ['sort_by', 5, /one of/],
    ['mails_per_second', 0, /above zero/],
    ['mails_per_second', -1, /above zero/],
    ['mails_per_second', 'fast', /number/],
    ['mails_per_second', 1e300, /1000000/],
    ['rebuild_query_at_send', 'maybe', /true or false/],
    ['proof_users', ['nobody@example.org'], /refers to nothing/],
    ['proof_users', 'one@example.org', /list/],
    ['reviewers', ['/rest/v1/user/999999/'], /refers to nothing/],
    ['reviewers', ['one@example.org'], /must be a URI/],
    ['requested_proofs', 101, /from 0 to 100/],
    ['submitter', 1, /must be a URI/],
    ['submitter', '1', /must be a URI/],
    ['submitter', '/rest/v1/authuser/999999/', /refers to nothing/],
    ['scheduled_by', 1, /must be a URI/],
    ['scheduled_for', 'tomorrow', /timestamp/],
    ['scheduled_for', 5, /timestamp/],
    ['scheduled_for', '2030-02-31T00:00:00', /no such/],
    ['subject', ['x'], /not a field/],
    ['__proto__x', 1, /not a field/],
    ['constructor', 1, /not a field/],
    ['includes', null, /object/],
    ['includes', ['NY'], /object/],
    ['includes', 'all', /object/],
  ];
  for (const [field, value, message] of wrong) {
    it(`is refused for ${field} ${JSON.stringify(value)}, on create and on change`, async () => {
      const count = async () => (await api.pool.query('select count(*)::int as n from core_mailing')).rows[0].n;
      const uri = await make();
      const before = await count();
      await refused(api.call('POST', '/rest/v1/mailer/', { subjects: ['Hello'], [field]: value }), field, message);
      assert.equal(await count(), before);
      const unchanged = await api.read(uri);
      await refused(patch(uri, { notes: 'changed', [field]: value }), field, message);
      assert.deepEqual(await api.read(uri), unchanged);
    });
  }

  it('holds no more than a page of a hundred of them can show', async () => {
    const most = {
      notes: 'n'.repeat(100_000),
      fields: [{ name: 'a', value: 'v'.repeat(99_999) }],
      custom_fromline: `"${'a'.repeat(239)}" <a@b.example>`,
      reply_to: `"${'a'.repeat(239)}" <a@b.example>`,
    };
    const { notes, fields, custom_fromline, reply_to } = await api.read(await make(most));
    assert.deepEqual({ notes, fields, custom_fromline, reply_to }, most);
    const uri = await make();
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`name ${n}`, '']));
    for (const [field, value, message] of [
      ['notes', `${most.notes}n`, /at most 100000 characters/],
      ['fields', [{ name: 'ab', value: most.fields[0]!.value }], /at most 100000 characters together/],
      ['fields', { a: most.fields[0]!.value, b: '' }, /at most 100000 characters together/],
      ['fields', many, /not have more than 1000 members/],
      ['custom_fromline', most.custom_fromline.replace('a', 'aa'), /at most 255 characters/],
      ['reply_to', most.reply_to.replace('a', 'aa'), /at most 255 characters/],
    ] as const) {
      await refused(patch(uri, { [field]: value }), field, message);
      await refused(api.call('POST', '/rest/v1/mailer/', { subjects: ['Hello'], [field]: value }), field, message);
    }
  });

  it('says everything that is wrong at once', async () => {
    const answer = await api.call('POST', '/rest/v1/mailer/', { subjects: 1, html: 2, nosuch: 3, includes: { stats: ['NY'] } });
    assert.equal(answer.statusCode, 400);
    assert.deepEqual(Object.keys(answer.json().errors).sort(), ['html', 'nosuch', 'stats', 'subjects']);
  });

  it('needs subjects, a body that is an object, and a field to change', async () => {
    await refused(api.call('POST', '/rest/v1/mailer/', { html: 'x' }), 'subjects', /required/);
    await refused(api.call('POST', '/rest/v1/mailer/'), 'subjects', /required/);
    await refused(api.call('POST', '/rest/v1/mailer/', ['x']), 'body', /object/);
    const uri = await make();
    for (const body of [{}, undefined, { status: 'completed' }, { targeting_version: 1 }]) {
      await refused(patch(uri, body), 'body', /At least one field/);
    }
    const malformed = await api.call('PATCH', uri, '{"notes": ', { 'content-type': 'application/json' });
    assert.equal(malformed.statusCode, 400);
  });

  it('ignores read-only fields', async () => {
    const uri = await make({ status: 'completed', query_status: 'saved', id: 99_999, expected_sent_count: 5, hidden: true });
    const shown = await api.read(uri);
    assert.deepEqual([shown.status, shown.query_status, shown.expected_sent_count, shown.hidden], ['draft', 'none', null, false]);
  });

  it('keeps the rows of its subjects, since results count by them', async () => {
    const uri = await make({ subjects: ['A', 'B', 'C'], preview_text: ['a', 'b', 'c'] });
    const ids = async () =>
      (
        await api.pool.query(`select id from core_mailingsubject where mailing_id = $1 order by position`, [uri.split('/').at(-2)])
      ).rows.map(({ id }) => id);
    const before = await ids();
    await patch(uri, { subjects: ['A2', 'B2'] });
    assert.deepEqual(await ids(), before.slice(0, 2));
    const shown = await api.read(uri);
    assert.deepEqual(
      [shown.subjects, shown.preview_text],
      [
        ['A2', 'B2'],
        ['a', 'b'],
      ],
    );
  });

  it('is listed with filters, order and pages', async () => {
    const tagged = await make({ tags: ['only this'], notes: 'listed', scheduled_for: '2032-01-01T00:00:00' });
    const id = Number(tagged.split('/').at(-2));
    for (const filter of [
      'tags__name=only+this',
      `id=${id}`,
      `id__in=${id},999999`,
      'notes=listed',
      'status=draft&notes=listed',
      'scheduled_for__gte=2031-12-31T00:00:00',
      'created_at__gte=2020-01-01&tags__name__startswith=only',
    ]) {
      const { objects, meta } = await api.read(`/rest/v1/mailer/?format=json&${filter}`);
      assert.deepEqual(
        objects.map((mailing: { id: number }) => mailing.id),
        [id],
        filter,
      );
      assert.equal(meta.total_count, 1);
    }
    assert.equal((await api.read('/rest/v1/mailer/?status=sending')).meta.total_count, 0);
    const { objects, meta } = await api.read('/rest/v1/mailer/?order_by=-id&_limit=2');
    assert.equal(objects[0].id, id);
    assert.match(meta.next, /^\/rest\/v1\/mailer\/\?order_by=-id&_limit=2&_offset=2$/);
    for (const filter of ['nosuch=1', 'status=nosuch__x&status__gt=a', 'order_by=html', 'id=x']) {
      assert.equal((await api.call('GET', `/rest/v1/mailer/?${filter}`)).statusCode, 400, filter);
    }
  });

  it('is sent with the last preview text for the subjects that have none', async () => {
    for (const [preview_text, sent] of [
      [['One'], ['One']],
      [
        ['One', '', 'Three'],
        ['One', '', 'Three'],
      ],
      [[], []],
    ]) {
      const uri = await make({ subjects: ['a', 'b', 'c'], preview_text });
      const { content } = await readContent(api.pool, Number(uri.split('/').at(-2)), 'a@example.org');
      assert.deepEqual(content.previewTexts, sent);
    }
  });

  it('is found by its from line', async () => {
    const uri = await make({ fromline: '"Only Filtered" <filtered@example.org>' });
    const [line] = (await api.read('/rest/v1/fromline/?from_line__contains=filtered@')).objects;
    for (const filter of [`fromline=${line.id}`, `fromline=${line.resource_uri}`, `fromline__in=${line.id},999999`]) {
      const { objects } = await api.read(`/rest/v1/mailer/?${filter}`);
      assert.deepEqual(
        objects.map((mailing: { resource_uri: string }) => mailing.resource_uri),
        [uri],
        filter,
      );
    }
    assert.equal((await api.call('GET', '/rest/v1/mailer/?fromline=x')).statusCode, 400);
  });

  it('is absent where there is none', async () => {
    for (const id of ['999999', '0', 'x', '99999999999', '-1', '1.5']) {
      assert.equal((await api.call('GET', `/rest/v1/mailer/${id}/`)).statusCode, 404, id);
      assert.equal((await api.call('PATCH', `/rest/v1/mailer/${id}/`, { notes: 'x' })).statusCode, 404, id);
    }
    assert.equal((await api.call('DELETE', await make())).statusCode, 405);
  });

  it('says in its schema what it takes', async () => {
    const schema = await api.read('/rest/v1/mailer/schema/');
    assert.deepEqual(schema.allowed_list_http_methods, ['get', 'post']);
    assert.deepEqual(schema.allowed_detail_http_methods, ['get', 'patch']);
    assert.equal(schema.fields.status.readonly, true);
    assert.equal(schema.fields.subjects.readonly, false);
    assert.equal(schema.fields.fromline.type, 'string');
  });

  it('says in its schema of each field that is shown as null that it may be', async () => {
    const { fields } = await api.read('/rest/v1/mailer/schema/');
    const shown = Object.entries(await api.read(await make())).filter(([, value]) => value === null);
    assert.ok(shown.length > 10);
    assert.deepEqual(
      shown.map(([name]) => name).filter((name) => !fields[name].nullable),
      [],
    );
  });

  it('needs the grants mailer:read and mailer:write', async () => {
    const group = await api.create('authgroup', { name: 'readers', grants: ['mailer:read'] });
    await api.create('authuser', { username: 'reader', password: 'reader-password', groups: [group] });
    const authorization = `Basic ${Buffer.from('reader:reader-password').toString('base64')}`;
    const uri = await make();
    assert.equal((await api.call('GET', uri, undefined, { authorization })).statusCode, 200);
    for (const [method, url] of [
      ['PATCH', uri],
      ['POST', '/rest/v1/mailer/'],
      ['POST', `${uri}rebuild/`],
      ['POST', `${uri}copy/`],
      ['POST', `${uri}queue/`],
      ['POST', `${uri}stop/`],
      ['POST', `${uri}proofs/`],
    ]) {
      const answer = await api.call(method!, url!, { notes: 'x' }, { authorization });
      assert.equal(answer.statusCode, 403, url);
      assert.ok(answer.json().errors.permission[0].startsWith('mailer:'));
    }
    assert.equal((await api.call('GET', uri, undefined, { authorization: '' })).statusCode, 401);
  });
});
