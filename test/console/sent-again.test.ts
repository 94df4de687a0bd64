import { deepEqual, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn } from '../support/mailings.ts';

describe('a form of the console that the browser sends again, after what came in between', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let list: string;

  before(async () => {
    api = await startApi();
    list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list });
    await api.create('unsubscribepage', { name: 'leave', list });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  /** The fields of the form on a page that goes to this address. */
  const opened = async (page: string, action: string): Promise<Record<string, string>> => {
    const form = new RegExp(`<form[^>]* action="${action}"[^>]*>(.*?)</form>`, 's').exec((await visitor.get(page)).body)![1]!;
    return Object.fromEntries([...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]));
  };
  const person = async (email: string) => {
    const user = await api.create('user', { email });
    const at = `/console/people/${idIn(user)}/`;
    const act = async (page: string) => equal((await api.call('POST', '/rest/v1/action/', { page, email })).statusCode, 201);
    const status = async () => (await api.read(user)).subscription_status;
    return { at, act, status };
  };

  it('puts nobody back on a list whom it was left by since', async () => {
    const { at, act, status } = await person('ann@example.org');
    const form = { ...(await opened(at, `${at}subscribe`)), list: String(idIn(list)) };
    for (const _ of [1, 2]) equal((await visitor.post(`${at}subscribe`, form)).headers.location, `${at}?done=subscribed`);
    await act('leave');
    const again = await visitor.post(`${at}subscribe`, form);
    equal(again.statusCode, 400);
    match(text(again.body), /They left this list since the page of them was opened: nothing was changed\./);
    equal(await status(), 'unsubscribed');
    // Whoever looks at them again may.
    const anew = { ...(await opened(at, `${at}subscribe`)), list: String(idIn(list)) };
    equal((await visitor.post(`${at}subscribe`, anew)).statusCode, 303);
    equal(await status(), 'subscribed');
  });

  it('takes nobody off a list who came back to it since', async () => {
    const { at, act, status } = await person('bob@example.org');
    await act('join');
    const form = await opened(at, `${at}unsubscribe`);
    for (const _ of [1, 2]) equal((await visitor.post(`${at}unsubscribe`, form)).headers.location, `${at}?done=unsubscribed`);
    await act('join');
    const again = await visitor.post(`${at}unsubscribe`, form);
    equal(again.statusCode, 400);
    match(text(again.body), /They came back to this list since the page of them was opened/);
    equal(await status(), 'subscribed');
    equal((await visitor.post(`${at}unsubscribe`, await opened(at, `${at}unsubscribe`))).statusCode, 303);
    equal(await status(), 'unsubscribed');
  });

  it('delivers to a webhook once more for each press, not for each time that is sent', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const hook = idIn(await api.create('webhook', { url: 'https://example.org/hook', events: ['action'], secret }));
    const { rows } = await api.pool.query(
      `insert into core_webhookdelivery (webhook_id, event, resource, resource_id, status, attempts, last_status, tried_at)
       values ($1, 'action', 'action', 1, 'failed', 1, 410, now()) returning id`,
      [hook],
    );
    const at = `/console/webhooks/${hook}/`;
    const status = async () => (await api.read(`/rest/v1/webhookdelivery/${rows[0].id}/`)).status;
    const delivered = () => api.pool.query(`update core_webhookdelivery set status = 'delivered' where id = $1`, [rows[0].id]);
    const form = await opened(at, `${at}retry`);
    deepEqual([(await visitor.post(`${at}retry`, form)).headers.location, await status()], [at, 'pending']);
    await delivered();
    deepEqual([(await visitor.post(`${at}retry`, form)).headers.location, await status()], [at, 'delivered']);
    await visitor.post(`${at}retry`, await opened(at, `${at}retry`));
    equal(await status(), 'pending');
  });

  it('makes one import page, also where the API was killed before the file knew of it', async () => {
    const _csrf = visitor.token(await visitor.get('/console/imports/'));
    const file = { name: 'upload', filename: 'people.csv', content: 'email\nann@example.org' };
    const at = String((await visitor.sendFile('/console/imports/', { _csrf }, file)).headers.location);
    const form = { _csrf, column: 'email', new_page: 'Spring fair', list: String(idIn(list)) };
    const outcome = ({ statusCode, headers }: Awaited<ReturnType<typeof visitor.post>>) => [statusCode, headers.location];
    deepEqual(outcome(await visitor.post(at, form)), [303, `${at}check/`]);
    // As it leaves it.
    await api.pool.query('update core_uploaddraft set page_id = null');
    deepEqual(outcome(await visitor.post(at, form)), [303, `${at}check/`]);
    const { objects } = await api.read('/rest/v1/importpage/');
    equal(objects.length, 1);
    const deleted = await api.call('DELETE', objects[0].resource_uri);
    equal(deleted.statusCode, 204);
    const late = await visitor.post(at, form);
    equal(late.statusCode, 400);
    match(text(late.body), /What was made of this name is deleted since: give it another one\./);
    deepEqual(outcome(await visitor.post(at, { ...form, new_page: 'Summer fair' })), [303, `${at}check/`]);
  });
});
