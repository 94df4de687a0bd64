import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { buildSet, idIn, makeReady } from '../support/mailings.ts';

const CONTENT = {
  subject: ['Come on Saturday', 'See you on Saturday?'],
  preview_text: ['At noon', ''],
  from: '"The Campaign" <news@example.org>',
  html: '<p>Dear {{ user.first_name|default:"friend" }}</p>\r\n<img src="https://example.org/a.png">',
  text: '',
  tags: 'spring, march',
  notes: 'first one',
  web_viewable: '1',
};

describe('writing a mailing in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let list: string;

  before(async () => {
    api = await startApi({});
    list = await api.create('list', { name: 'Walkers' });
    await api.create('signuppage', { name: 'join', title: 'Join <us>', list });
    for (const [email, state] of [
      ['ann@example.org', 'NY'],
      ['bob@example.org', 'CA'],
    ])
      await api.call('POST', '/rest/v1/action/', { page: 'join', email, state });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const send = async (url: string, fields: Record<string, string | string[]>) => {
    const { body } = await visitor.get(url);
    const hidden = [...body.matchAll(/<input type="hidden" name="(version|targeting_version)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    // Of the first form, where there are several.
    return visitor.post(url, { _csrf: visitor.token({ body } as never), ...Object.fromEntries(hidden.reverse()), ...fields });
  };
  const written = async () => {
    const answer = await send('/console/mailings/new', CONTENT);
    equal(answer.statusCode, 303, answer.body);
    const [, at] = /^(\/console\/mailings\/\d+\/)choose\/$/.exec(String(answer.headers.location))!;
    return { at: at!, uri: `/rest/v1/mailer/${idIn(at!)}/` };
  };

  it('makes what the form says, as the API would', async () => {
    match((await visitor.get('/console/mailings/')).body, /href="\/console\/mailings\/new"/);
    match((await visitor.get('/console/mailings/new')).body, /the default one.*The default one is that of the moment it goes out\./s);
    const { uri, at } = await written();
    const made = await api.read(uri);
    deepEqual(
      [made.subjects, made.preview_text, made.custom_fromline, made.html, made.notes, made.web_viewable, made.status],
      [CONTENT.subject, ['At noon'], CONTENT.from, CONTENT.html.replace('\r\n', '\n'), 'first one', true, 'draft'],
    );
    deepEqual([...made.tags].sort(), ['march', 'spring']);
    const { body } = await visitor.get(`${at}edit/`);
    match(body, /One picture has no alt text/);
    match(body, /Come on Saturday/);
  });

  it('says at its place what is wrong, and keeps what was typed', async () => {
    const answer = await send('/console/mailings/new', { ...CONTENT, html: 'Dear {{ user.first_name </p>', notes: 'kept <b>' });
    equal(answer.statusCode, 400);
    match(answer.body, /id="html"[^>]*aria-invalid="true"/);
    match(answer.body, /id="html-hint"><strong class="wrong">[^<]*line 1/);
    match(answer.body, /kept &lt;b&gt;/);
    const none = await send('/console/mailings/new', { ...CONTENT, subject: ['', ''] });
    equal(none.statusCode, 400);
    const { rows } = await api.pool.query(`select count(*)::int as n from core_mailing where notes like 'kept%'`);
    equal(rows[0].n, 0);
  });

  it('loses no preview text that stands beside no subject', async () => {
    const lone = { ...CONTENT, subject: ['Come on Saturday', ''], preview_text: ['At noon', 'Bring <tea>'] };
    const { uri, at } = await written();
    for (const url of ['/console/mailings/new', `${at}edit/`]) {
      const refused = await send(url, lone);
      equal(refused.statusCode, 400);
      match(
        refused.body,
        /id="preview-1" name="preview_text" value="Bring &lt;tea&gt;" aria-describedby="preview-1-hint" aria-invalid="true"/,
      );
      match(refused.body, /id="preview-1-hint"><strong class="wrong">A preview text stands beside no subject/);
      const byItself = await send(url, { ...lone, autosave: '1' });
      deepEqual([byItself.statusCode, /no subject/.test(byItself.body)], [400, true]);
    }
    deepEqual((await api.read(uri)).subjects, CONTENT.subject);
    // An empty row between two is none, and takes nothing from what stands beside the others.
    equal((await send(`${at}edit/`, { ...CONTENT, subject: ['One', '', 'Three'], preview_text: ['', '', 'Of three'] })).statusCode, 303);
    const { subjects, preview_text: previews } = await api.read(uri);
    deepEqual(
      [subjects, previews],
      [
        ['One', 'Three'],
        ['', 'Of three'],
      ],
    );
  });

  it('tells whoever saves second that somebody else was there, and loses nothing of theirs', async () => {
    const { uri, at } = await written();
    const page = await visitor.get(`${at}edit/`);
    const fields = {
      _csrf: visitor.token(page),
      version: /name="version" value="([^"]*)"/.exec(page.body)![1]!,
      ...CONTENT,
      notes: 'mine',
    };
    equal((await api.call('PATCH', uri, { notes: 'theirs' })).statusCode, 202);
    const overtaken = await visitor.post(`${at}edit/`, fields);
    equal(overtaken.statusCode, 409);
    match(overtaken.body, /Somebody else has changed this mailing/);
    match(overtaken.body, />\nmine<\/textarea>/);
    equal((await api.read(uri)).notes, 'theirs');
    const version = /name="version" value="([^"]*)"/.exec(overtaken.body)![1]!;
    equal((await visitor.post(`${at}edit/`, { ...fields, version })).statusCode, 303);
    equal((await api.read(uri)).notes, 'mine');
  });

  it('takes one of two who save at the same moment', async () => {
    const { at } = await written();
    const page = await visitor.get(`${at}edit/`);
    const fields = { _csrf: visitor.token(page), version: /name="version" value="([^"]*)"/.exec(page.body)![1]!, ...CONTENT };
    const both = await Promise.all(['one', 'two'].map((notes) => visitor.copy().post(`${at}edit/`, { ...fields, notes })));
    deepEqual(both.map(({ statusCode }) => statusCode).sort(), [303, 409]);
  });

  it('chooses an audience in words, keeps what it has no field for, and asks for it to be built', async () => {
    const { uri, at } = await written();
    await api.call('PATCH', uri, { includes: { raw_sql: ['select id as user_id from core_user'] } });
    match((await visitor.get(`${at}choose/`)).body, /Join &lt;us&gt;/);
    const answer = await send(`${at}choose/`, {
      'includes.lists': [String(idIn(list))],
      'includes.states': 'ny, ca',
      'includes.zips': '10001\nAlbany, NY',
      'includes.zip_radius': '25',
      'excludes.has_donated': 'yes',
      limit: '10',
      sort_by: 'random',
    });
    equal(answer.statusCode, 303, answer.body);
    const { includes, excludes, limit, sort_by, query_status: status } = await api.read(uri);
    deepEqual(includes.states, ['NY', 'CA']);
    deepEqual([includes.zips, includes.zip_radius, includes.lists.length, includes.raw_sql.length], [['10001', 'Albany, NY'], 25, 1, 1]);
    deepEqual([excludes, limit, sort_by, status], [{ has_donated: true }, 10, 'random', 'queued']);

    const refused = await send(`${at}choose/`, { 'includes.states': 'New York' });
    equal(refused.statusCode, 400);
    match(refused.body, /value="New York"/);
    match(refused.body, /two-letter/);
    // What was emptied is gone.
    const emptied = { 'includes.states': '', 'includes.zips': '', 'includes.zip_radius': '' };
    await send(`${at}choose/`, { 'includes.lists': [String(idIn(list))], ...emptied, go: 'count' });
    deepEqual(Object.keys((await api.read(uri)).includes).sort(), ['lists', 'raw_sql']);
  });

  it('sets a time by the clocks of a place', async () => {
    const uri = await makeReady(api);
    const at = `/console/mailings/${idIn(uri)}/`;
    await buildSet(api, uri);
    const answer = await send(`${at}schedule/`, { at: '2031-07-04T09:30', zone: 'America/New_York', rate: '', anew: '1' });
    deepEqual([answer.statusCode, answer.headers.location], [303, `${at}confirm/queue`]);
    const { scheduled_for: time, rebuild_query_at_send: anew } = await api.read(uri);
    deepEqual([time, anew], ['2031-07-04T13:30:00', true]);
    for (const wrong of [
      { at: '2031-02-30T09:30', zone: 'UTC' },
      { at: '2031-07-04T09:30', zone: 'Nowhere/Land' },
      { at: 'soon', zone: 'UTC' },
      { at: '', zone: 'UTC', rate: '-1' },
    ]) {
      const refused = await send(`${at}schedule/`, wrong as Record<string, string>);
      equal(refused.statusCode, 400, JSON.stringify(wrong));
      match(refused.body, /class="wrong"/);
    }
    const both = await send(`${at}schedule/`, { at: '2031-07-04T09:30', zone: 'Nowhere/Land', rate: '-1' });
    match(both.body, /no time zone of that name.*It must be above zero/s);
    match((await visitor.get(`${at}schedule/`)).body, /value="2031-07-04T13:30"/);
  });

  it('leaves the time alone that is sent back as it was shown: its seconds, and which of the two hours when clocks are set back', async () => {
    for (const stored of ['2031-11-02T05:30:00', '2031-11-02T06:30:00', '2031-07-04T13:30:59']) {
      const uri = await makeReady(api, { scheduled_for: stored });
      const at = stored.startsWith('2031-11') ? '2031-11-02T01:30' : '2031-07-04T09:30';
      equal((await send(`/console/mailings/${idIn(uri)}/schedule/`, { at, zone: 'America/New_York', rate: '5' })).statusCode, 303);
      equal((await api.read(uri)).scheduled_for, stored);
    }
  });

  it('moves what is scheduled to a time to come only: it would begin at once', async () => {
    const uri = await makeReady(api, { scheduled_for: '2100-01-01T00:00:00' });
    const at = `/console/mailings/${idIn(uri)}/`;
    await visitor.submit(`${at}confirm/queue`, `${at}confirm/queue`);
    for (const past of ['2020-01-01T09:00', '']) {
      const refused = await send(`${at}schedule/`, { at: past, zone: 'UTC' });
      equal(refused.statusCode, 400);
      match(refused.body, /give a time to come/);
    }
    equal((await api.read(uri)).scheduled_for, '2100-01-01T00:00:00');
    // Its speed alone.
    equal((await send(`${at}schedule/`, { at: '2100-01-01T00:00', zone: 'UTC', rate: '5' })).statusCode, 303);
    equal((await send(`${at}schedule/`, { at: '2100-01-02T09:00', zone: 'UTC' })).statusCode, 303);
    equal((await api.read(uri)).scheduled_for, '2100-01-02T09:00:00');
  });

  it('keeps a wrapper and a landing page that are not offered any more', async () => {
    const { at, uri } = await written();
    const [wrapper, page] = [
      await api.create('emailwrapper', { name: 'Old', template: '{{ content }}' }),
      await api.create('petitionpage', { name: 'old', title: 'Old' }),
    ];
    equal((await api.call('PATCH', uri, { emailwrapper: wrapper, landing_page: page })).statusCode, 202);
    for (const hidden of [wrapper, page]) equal((await api.call('PATCH', hidden, { hidden: true })).statusCode, 202);
    const { body } = await visitor.get(`${at}edit/`);
    const selected = (name: string) => new RegExp(`<select id="${name}".*?<option value="(\\d+)" selected`, 's').exec(body)?.[1] ?? '';
    const chosen = { emailwrapper: selected('emailwrapper'), landing_page: selected('landing_page') };
    equal((await send(`${at}edit/`, { ...CONTENT, ...chosen, notes: 'A typo is mended' })).statusCode, 303);
    const { emailwrapper, landing_page: landing, notes } = await api.read(uri);
    deepEqual([emailwrapper, idIn(landing), notes], [wrapper, idIn(page), 'A typo is mended']);
  });

  it('copies, and does not offer what cannot be done', async () => {
    const { at, uri } = await written();
    const answer = await visitor.submit(at, `${at}copy`);
    equal(answer.statusCode, 303);
    const copy = /mailings\/(\d+)\/edit\/$/.exec(String(answer.headers.location))![1];
    deepEqual((await api.read(`/rest/v1/mailer/${copy}/`)).subjects, CONTENT.subject);
    await api.pool.query(`update core_mailing set status = 'completed' where id = $1`, [idIn(uri)]);
    doesNotMatch((await visitor.get(`${at}edit/`)).body, /<button class="main">Save/);

    const group = await api.create('authgroup', { name: 'readers', grants: ['mailer:read'] });
    await api.create('authuser', {
      username: 'reader',
      email: 'r@example.org',
      password: 'long-enough-password',
      is_staff: true,
      groups: [group],
    });
    const reader = new ConsoleVisitor(api.app);
    await reader.logIn({ username: 'reader', password: 'long-enough-password' });
    equal((await reader.get('/console/mailings/new')).statusCode, 403);
    match((await reader.get(`${at}edit/`)).body, /reads only/);
    doesNotMatch((await reader.get('/console/mailings/')).body, /mailings\/new/);
    equal((await reader.post(`${at}edit/`, { _csrf: reader.token(await reader.get(at)), ...CONTENT })).statusCode, 403);
  });

  it('makes a model of a draft, and a mailing of a model', async () => {
    const { at, uri } = await written();
    await visitor.submit(at, `${at}model`);
    equal((await api.read(uri)).status, 'model');
    match((await visitor.get('/console/mailings/?group=models')).body, new RegExp(`href="${at}"`));
    const answer = await visitor.submit(at, `${at}copy`);
    equal((await api.read(`/rest/v1/mailer/${/mailings\/(\d+)\//.exec(String(answer.headers.location))![1]}/`)).status, 'draft');
    await visitor.submit(at, `${at}unmodel`);
    equal((await api.read(uri)).status, 'draft');
  });

  it('puts into the archive what is not on its way, and takes it back', async () => {
    const { at, uri } = await written();
    await visitor.submit(at, `${at}archive`);
    equal((await api.read(uri)).hidden, true);
    doesNotMatch((await visitor.get('/console/mailings/?group=drafts')).body, new RegExp(`href="${at}"`));
    match((await visitor.get('/console/mailings/?archived=1')).body, new RegExp(`href="${at}"`));
    await visitor.submit(at, `${at}unarchive`);
    match((await visitor.get('/console/mailings/?group=drafts')).body, new RegExp(`href="${at}"`));
    await api.pool.query(`update core_mailing set status = 'scheduled' where id = $1`, [idIn(uri)]);
    const page = await visitor.get(at);
    doesNotMatch(page.body, new RegExp(`action="${at}archive"`));
    equal((await visitor.post(`${at}archive`, { _csrf: visitor.token(page) })).statusCode, 400);
    equal((await visitor.post('/console/mailings/999999/archive', { _csrf: visitor.token(page) })).statusCode, 404);
  });
});
