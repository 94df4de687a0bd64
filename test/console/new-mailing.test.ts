import { deepEqual, doesNotMatch, equal, match, notEqual } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs } from '../support/console-visitor.ts';
import { READY } from '../support/mailings.ts';

const NEW = '/console/mailings/new';
const WRITTEN = { subject: ['Walk', ''], preview_text: ['', ''], from: READY.fromline, html: '<p>one</p>', text: '', tags: '', notes: '' };

describe('a new mailing in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const opened = async (who = visitor) => {
    const { body } = await who.get(NEW);
    const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(body)![1]!;
    return { _csrf: value('_csrf'), version: value('version'), reserved: value('reserved') };
  };
  const mailings = async () => (await api.pool.query('select count(*)::int as n from core_mailing')).rows[0].n as number;
  const locations = (answers: { statusCode: number; headers: Record<string, unknown> }[]) => {
    deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [303]);
    return new Set(answers.map(({ headers }) => headers['location'])).size;
  };

  it('is made by the first save while somebody writes, which goes on as the page of its draft', async () => {
    const before = await mailings();
    const page = await opened();
    equal(await mailings(), before);
    const begun = await visitor.post(NEW, { ...page, ...WRITTEN, autosave: '1' });
    equal(begun.statusCode, 200, begun.body);
    const { id, version, head, advice } = begun.json();
    match(head, new RegExp(`<h1>Walk</h1>.*href="/console/mailings/${id}/choose/"`, 's'));
    match(advice, /no link to unsubscribe/);
    const edit = (await visitor.get(`/console/mailings/${id}/edit/`)).body;
    equal(/name="version" value="([^"]*)"/.exec(edit)![1], version);
    doesNotMatch(edit, /name="reserved"/);
    const next = { ...page, ...WRITTEN, version, html: '<p>two</p>', autosave: '1' };
    equal((await visitor.post(`/console/mailings/${id}/edit/`, next)).statusCode, 200);
    deepEqual([(await api.read(`/rest/v1/mailer/${id}/`)).html, await mailings()], ['<p>two</p>', before + 1]);
  });

  it('is one, however often and by how many at once its page is sent', async () => {
    const before = await mailings();
    const presses = { ...(await opened()), ...WRITTEN };
    equal(locations(await Promise.all([1, 2, 3].map(() => visitor.copy().post(NEW, presses)))), 1);
    equal(await mailings(), before + 1);

    const both = { ...(await opened()), ...WRITTEN };
    const saves = [{ ...both, autosave: '1' }, both, { ...both, autosave: '1' }];
    const answers = await Promise.all(saves.map((fields) => visitor.copy().post(NEW, fields)));
    deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 303, 200],
    );
    equal(answers[0]!.json().id, answers[2]!.json().id);
    equal(await mailings(), before + 2);
  });

  it('that was made meanwhile is not written over by what is sent from its page once more, which is shown', async () => {
    const page = await opened();
    const { id } = (await visitor.post(NEW, { ...page, ...WRITTEN, autosave: '1' })).json();
    const before = await mailings();
    const again = await visitor.post(NEW, { ...page, ...WRITTEN, html: '<p>later</p>' });
    equal(again.statusCode, 409);
    match(again.body, new RegExp(`action="/console/mailings/${id}/edit/".*&lt;p&gt;later`, 's'));
    equal((await visitor.post(NEW, { ...page, ...WRITTEN, html: '<p>later</p>', autosave: '1' })).statusCode, 409);
    deepEqual([(await api.read(`/rest/v1/mailer/${id}/`)).html, await mailings()], ['<p>one</p>', before]);
  });

  it('keeps its number where it was refused, and leads where the button says', async () => {
    const before = await mailings();
    const page = await opened();
    const wrong = { ...page, ...WRITTEN, html: '{{ user.' };
    const told = await visitor.post(NEW, { ...wrong, autosave: '1' });
    equal(told.statusCode, 400);
    match(told.json().problems.join(), /line 1/);
    match((await visitor.post(NEW, wrong)).body, new RegExp(`name="reserved" value="${page.reserved}"`));
    equal((await visitor.post(NEW, { ...page, ...WRITTEN, subject: ['', ''], autosave: '1' })).statusCode, 400);
    equal(await mailings(), before);
    for (const [go, where] of Object.entries({ edit: 'edit/?saved=1', preview: 'preview/', audience: 'choose/', toString: 'choose/' })) {
      const { location } = (await visitor.post(NEW, { ...(await opened()), ...WRITTEN, go })).headers;
      match(String(location), new RegExp(`/console/mailings/\\d+/${where.replace('?', '\\?')}$`), go);
    }
  });

  it('gets no number that somebody chose, nor that of another account', async () => {
    const writer = await enterAs(api, 'writer', ['mailer:read', 'mailer:write']);
    const theirs = await opened(writer);
    const ours = await opened();
    const number = Number(theirs.reserved.split('.')[0]);
    const seal = theirs.reserved.split('.')[1];
    for (const reserved of [theirs.reserved, `${number + 1000}.${seal}`, `${number}.`, '99999999999.x', 'é.é', '<b>', '']) {
      const { statusCode, headers } = await visitor.post(NEW, { ...ours, ...WRITTEN, reserved });
      equal(statusCode, 303, reserved);
      notEqual(String(headers['location']).split('/')[3], String(number), reserved);
    }
    equal((await writer.post(NEW, { ...theirs, ...WRITTEN })).headers['location'], `/console/mailings/${number}/choose/`);
  });

  it('is nothing for accounts that only read', async () => {
    const reader = await enterAs(api, 'reader', ['mailer:read']);
    const before = await mailings();
    equal((await reader.get(NEW)).statusCode, 403);
    const _csrf = reader.token(await reader.get('/console/mailings/'));
    const { reserved } = await opened();
    equal((await reader.post(NEW, { _csrf, reserved, ...WRITTEN, autosave: '1' })).statusCode, 403);
    equal(await mailings(), before);
  });
});
