import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { idIn, READY, setMailing } from '../support/mailings.ts';

describe('audiences kept under a name', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  const AUDIENCE = {
    includes: { lists: ['News'], states: ['NY'], raw_sql: ['select id from core_user'], zips: ['10001'], zip_radius: 5 },
    excludes: { has_donated: true, users: [] },
    limit: 100,
    sort_by: 'random',
  };

  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const at = (uri: string) => `/console/mailings/${idIn(uri)}/choose/`;
  const send = async (who: ConsoleVisitor, uri: string, what: string, fields: Record<string, string>) => {
    const page = await who.get(at(uri));
    const version = /name="targeting_version" value="(\d+)"/.exec(page.body)![1]!;
    return who.post(at(uri) + what, { _csrf: who.token(page), targeting_version: version, ...fields });
  };
  const modelNamed = async (name: string) => {
    const { rows } = await api.pool.query(
      `select m.id from core_mailing m join core_mailingsubject s on s.mailing_id = m.id where m.status = 'model' and s.text = $1`,
      [name],
    );
    return rows.map(({ id }) => id as number);
  };

  it('are chosen again whole, also what only the API can say, and the API sees them', async () => {
    const first = await api.create('mailer', { ...READY, ...AUDIENCE });
    const kept = await send(visitor, first, 'keep', { keep_as: 'New <Yorkers>' });
    deepEqual([kept.statusCode, kept.headers.location], [303, `${at(first)}?done=kept`]);
    const [model] = await modelNamed('New <Yorkers>');
    const document = await api.read(`/rest/v1/mailer/${model}/`);
    equal(document.status, 'model');
    match((await visitor.get('/console/mailings/?group=models')).body, /New &lt;Yorkers&gt;/);

    const second = await api.create('mailer', { ...READY, includes: { countries: ['Canada'] }, excludes: { states: ['CA'] } });
    match((await visitor.get(at(second))).body, new RegExp(`<option value="${model}">New &lt;Yorkers&gt; · ${model}<`));
    const taken = await send(visitor, second, 'take', { take_from: String(model) });
    equal(taken.statusCode, 303, taken.body);
    const { includes, excludes, limit, sort_by, targeting_version } = await api.read(second);
    deepEqual([includes, excludes, limit, sort_by], [document.includes, document.excludes, 100, 'random']);
    deepEqual(Object.keys(includes).sort(), Object.keys(AUDIENCE.includes).sort());
    equal(targeting_version, 2);
    match((await visitor.get(`${at(second)}?done=taken`)).body, /This is its audience now/);
  });

  it('are kept once, though their button is pressed twice', async () => {
    const uri = await api.create('mailer', { ...READY, ...AUDIENCE });
    const form = /<form id="keep"[^>]*>(.*?)<\/form>/s.exec((await visitor.get(at(uri))).body)![1]!;
    const hidden = Object.fromEntries([...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]));
    const press = (keep_as: string) => visitor.post(`${at(uri)}keep`, { ...hidden, keep_as });
    for (const answer of [await press('Twice'), ...(await Promise.all([press('Twice'), press('Twice')])), await press('Another')])
      deepEqual([answer.statusCode, answer.headers.location], [303, `${at(uri)}?done=kept`]);
    deepEqual([(await modelNamed('Twice')).length, (await modelNamed('Another')).length], [1, 1]);
  });

  it('are taken once, though the button is pressed twice, and not over what somebody else has chosen meanwhile', async () => {
    const [kept, uri] = [await api.create('mailer', { ...READY, ...AUDIENCE }), await api.create('mailer', READY)];
    await send(visitor, kept, 'keep', { keep_as: 'To take' });
    const [model] = await modelNamed('To take');
    const form = /<form id="take"[^>]*>(.*?)<\/form>/s.exec((await visitor.get(at(uri))).body)![1]!;
    const hidden = Object.fromEntries([...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]));
    const press = () => visitor.post(`${at(uri)}take`, { ...hidden, take_from: String(model) });
    for (const answer of [...(await Promise.all([press(), press()])), await press()])
      deepEqual([answer.statusCode, answer.headers.location], [303, `${at(uri)}?done=taken`], answer.body);
    equal((await api.read(uri)).targeting_version, 2);
    await api.call('PATCH', uri, { limit: 7 });
    const late = await press();
    equal(late.statusCode, 409);
    match(late.body, /Somebody else has changed the audience since you opened it: look at it again/);
    equal((await api.read(uri)).limit, 7);
  });

  it('mean the people of the landing page they were kept with, whatever page the mailing has that begins with them', async () => {
    const pageOf = async (state: string) => {
      const target = await api.create('target', { type: 'senate', state, seat: `${state}_senior`, first: 'A', last: state });
      const group = await api.create('congresstargetgroup', { name: state, type: 'senate', targets: [target] });
      return api.create('whipcountpage', { name: `call-${state}`, target_groups: [group] });
    };
    const [newYork, california] = [await pageOf('NY'), await pageOf('CA')];
    const narrowed = { target_group_from_landing_page: true, landing_page: newYork };
    await send(visitor, await api.create('mailer', { ...READY, ...narrowed }), 'keep', { keep_as: 'Callers' });
    const [model] = await modelNamed('Callers');
    for (const landing_page of [california, null]) {
      const uri = await api.create('mailer', { ...READY, landing_page });
      const taken = await send(visitor, uri, 'take', { take_from: String(model) });
      equal(taken.statusCode, 303, taken.body);
      const { target_group_from_landing_page, landing_page: page } = await api.read(uri);
      deepEqual([target_group_from_landing_page, idIn(page)], [true, idIn(newYork)]);
    }
    const plain = await api.create('mailer', { ...READY, landing_page: california });
    await send(visitor, plain, 'take', { take_from: String((await modelNamed('New <Yorkers>'))[0]) });
    equal(idIn((await api.read(plain)).landing_page), idIn(california));
  });

  it('are not taken over what somebody else has changed meanwhile, nor of nothing, nor under no name', async () => {
    const uri = await api.create('mailer', READY);
    const [model] = await modelNamed('New <Yorkers>');
    for (const [what, fields, status] of [
      ['take', { take_from: String(model), targeting_version: '7' }, 409],
      ['take', { take_from: '4711' }, 404],
      ['take', {}, 400],
      ['keep', { keep_as: '  ' }, 400],
      ['keep', { keep_as: 'x'.repeat(201) }, 400],
      ['keep', { keep_as: 'Dear {{ user.first_name }}' }, 400],
      ['keep', { keep_as: 'two\nlines' }, 400],
    ] as const)
      equal((await send(visitor, uri, what, fields)).statusCode, status, JSON.stringify(fields));
    deepEqual((await api.read(uri)).includes, {});
    await setMailing(api, uri, { status: 'sending' });
    equal((await send(visitor, uri, 'take', { take_from: String(model) })).statusCode, 400);
    doesNotMatch((await visitor.get(at(uri))).body, /Keep it, or begin/);
  });

  it('give nobody what their account may not write', async () => {
    const group = await api.create('authgroup', { name: 'writers', grants: ['mailer:read', 'mailer:write'] });
    const readers = await api.create('authgroup', { name: 'readers', grants: ['mailer:read'] });
    for (const [username, of] of [
      ['writer', group],
      ['reader', readers],
    ])
      await api.create('authuser', { username, password: 'long-enough', is_staff: true, groups: [of] });
    const [writer, reader] = [new ConsoleVisitor(api.app), new ConsoleVisitor(api.app)];
    await writer.logIn({ username: 'writer', password: 'long-enough' });
    await reader.logIn({ username: 'reader', password: 'long-enough' });
    const uri = await api.create('mailer', READY);
    const [model] = await modelNamed('New <Yorkers>');
    // SQL is in it.
    equal((await send(writer, uri, 'take', { take_from: String(model) })).statusCode, 403);
    deepEqual((await api.read(uri)).includes, {});
    equal((await send(writer, uri, 'keep', { keep_as: 'Everybody' })).statusCode, 303);
    equal((await modelNamed('Everybody')).length, 1);
    equal((await send(reader, uri, 'keep', { keep_as: 'Mine' })).statusCode, 403);
    equal((await send(reader, uri, 'take', { take_from: String(model) })).statusCode, 403);
  });
});
