import { deepEqual, equal, match, notDeepEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { runErasure } from '../../core/people/erasure-job.ts';
import { runMerge } from '../../core/people/merge-job.ts';
import { UnavailableError } from '../../domain/errors.ts';
import { ADMIN, basic, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs } from '../support/console-visitor.ts';
import { idIn, makeReady } from '../support/mailings.ts';

describe('a button of the console that does something, pressed twice', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list });
    await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'ann@example.org' });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const hiddenOf = async (url: string, who = visitor) =>
    Object.fromEntries(
      [...(await who.get(url)).body.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    );
  const outcome = ({ statusCode, headers }: { statusCode: number; headers: Record<string, unknown> }) => [statusCode, headers['location']];

  it('sends a mailing once, and leads to it as it is being sent', async () => {
    const uri = await makeReady(api);
    const confirm = `/console/mailings/${idIn(uri)}/confirm/queue`;
    const sent = await hiddenOf(confirm);
    const other = await enterAs(api, 'other', ['mailer:read', 'mailer:send']);
    const theirs = await hiddenOf(confirm, other);
    const starts = api.workflows.starts.length;
    const led = [303, `/console/mailings/${idIn(uri)}/?done=queued`];
    deepEqual(outcome(await visitor.post(confirm, sent)), led);
    for (const answer of [await visitor.post(confirm, sent), ...(await Promise.all([1, 2].map(() => visitor.post(confirm, sent))))])
      deepEqual(outcome(answer), led);
    equal(api.workflows.starts.length, starts + 1);
    // Somebody else is told: it was not they who sent it.
    const late = await other.post(confirm, theirs);
    equal(late.statusCode, 400);
    match(late.body, /The mailing is queued; only a draft/);
  });

  it('makes one copy of a mailing, and leads to it; one more from a page that was opened since', async () => {
    const uri = await makeReady(api);
    const at = `/console/mailings/${idIn(uri)}/`;
    const sent = await hiddenOf(at);
    const first = await visitor.post(`${at}copy`, sent);
    equal(first.statusCode, 303);
    for (const answer of [await visitor.post(`${at}copy`, sent), ...(await Promise.all([1, 2].map(() => visitor.post(`${at}copy`, sent))))])
      deepEqual(outcome(answer), outcome(first));
    // What keeps the page up to date leaves it the page it is.
    const live = /data-live="([^"]*)"/.exec((await visitor.get(at)).body)![1]!.replaceAll('&amp;', '&');
    const once = async () => /name="once" value="([^"]+)"/.exec((await visitor.get(live)).json().regions.actions)![1];
    equal(await once(), await once());
    const again = await visitor.post(`${at}copy`, await hiddenOf(at));
    notDeepEqual(outcome(again), outcome(first));
    equal((await visitor.post(`${at}copy`, { _csrf: sent['_csrf']! })).statusCode, 303);
  });

  /** Pressed once, then again, then twice at once. */
  const again = async (url: string, sent: Record<string, string>) => {
    const first = await visitor.post(url, sent);
    equal(first.statusCode, 303, first.body);
    for (const answer of [await visitor.post(url, sent), ...(await Promise.all([1, 2].map(() => visitor.post(url, sent))))])
      deepEqual(outcome(answer), outcome(first));
    return String(first.headers.location);
  };

  /** Each press may start the run: of an id there is one. */
  const runs = () => new Set(api.workflows.starts.map(({ workflowId }) => workflowId)).size;

  it('sends proofs once from each page, and to others when they are asked for', async () => {
    const uri = await makeReady(api);
    const [page, form] = ['preview/', 'proofs'].map((path) => `/console/mailings/${idIn(uri)}/${path}`) as [string, string];
    const asked = async () => Number((await api.pool.query('select count(*) from core_mailingproof')).rows[0].count);
    const before = runs();
    const sent = { ...(await hiddenOf(page)), reviewers: 'editor@example.org', proofs: '1' };
    await again(form, sent);
    deepEqual([await asked(), runs()], [1, before + 1]);
    await again(form, { ...sent, reviewers: 'other@example.org' });
    equal(await asked(), 2);
    await again(form, { ...sent, ...(await hiddenOf(page)) });
    equal(await asked(), 3);
    // Where no run could be started nothing was asked for, and the next press is the first.
    const { start } = api.workflows;
    api.workflows.start = () => Promise.reject(new UnavailableError('away'));
    const opened = { ...sent, ...(await hiddenOf(page)) };
    try {
      equal((await visitor.post(form, opened)).statusCode, 503);
    } finally {
      api.workflows.start = start;
    }
    await again(form, opened);
    equal(await asked(), 4);
  });

  it('says of none that they are on their way while the first press waits for a start that fails', async () => {
    const uri = await makeReady(api);
    const form = `/console/mailings/${idIn(uri)}/proofs`;
    const sent = { ...(await hiddenOf(`/console/mailings/${idIn(uri)}/preview/`)), reviewers: 'editor@example.org', proofs: '1' };
    const { start } = api.workflows;
    const waiting: ((error: Error) => void)[] = [];
    api.workflows.start = () => new Promise((_started, fails) => waiting.push(fails));
    const presses = [visitor.post(form, sent)];
    const asked = async (many: number) => {
      while (waiting.length < many) await sleep(10);
    };
    try {
      await asked(1);
      presses.push(visitor.post(form, sent));
      await Promise.race([asked(2), presses[1]]);
      for (const fails of waiting) fails(new UnavailableError('away'));
      for (const answer of await Promise.all(presses)) equal(answer.statusCode, 503);
    } finally {
      api.workflows.start = start;
    }
    equal((await api.pool.query('select from core_mailingproof where mailing_id = $1', [idIn(uri)])).rows.length, 0);
  });

  it('sends whoever writes a test mail once from each page, and of other words another one', async () => {
    const uri = await makeReady(api);
    const at = `/console/mailings/${idIn(uri)}/edit/`;
    await api.call('PATCH', '/rest/v1/authuser/1/', { email: 'ada@example.org' });
    const asked = async () =>
      Number((await api.pool.query('select count(*) from core_mailingproof where mailing_id = $1', [idIn(uri)])).rows[0].count);
    const written = async (html: string) => ({
      ...(await hiddenOf(at)),
      subject: 'Walk',
      preview_text: '',
      html,
      text: '',
      from: 'a@example.org',
    });
    const before = runs();
    const sent = await written('<p>with us</p>');
    equal(await again(`${at}test`, sent), `${at}?tested=1`);
    deepEqual([await asked(), runs()], [1, before + 1]);
    await again(`${at}test`, { ...sent, version: (await hiddenOf(at))['version']!, html: '<p>without us</p>' });
    equal(await asked(), 2);
    await again(`${at}test`, await written('<p>without us</p>'));
    equal(await asked(), 3);
  });

  it('begins one import, and leads to it', async () => {
    const page = await api.create('importpage', { name: 'fair' });
    const file = { name: 'upload', filename: 'people.csv', content: 'email\nbob@example.org\n' };
    const drafted = await visitor.sendFile('/console/imports/', { _csrf: (await hiddenOf('/console/imports/'))['_csrf']! }, file);
    const at = String(drafted.headers.location);
    const sent = await hiddenOf(at);
    equal((await visitor.post(at, { ...sent, column: 'email', page: String(idIn(page)) })).headers.location, `${at}check/`);
    const before = (await api.read('/rest/v1/upload/')).meta.total_count;
    const led = await again(`${at}start`, sent);
    deepEqual(led, `/console/imports/${(await api.read('/rest/v1/upload/?order_by=-id')).objects[0].id}/`);
    equal((await api.read('/rest/v1/upload/')).meta.total_count, before + 1);
    const stranger = await enterAs(api, 'stranger', ['upload:write', 'list:read']);
    const _csrf = (await hiddenOf('/console/lists/', stranger))['_csrf']!;
    equal((await stranger.post(`${at}start`, { _csrf })).statusCode, 404);
  });

  it('makes one list, and one group, and leads to it', async () => {
    const sent = { ...(await hiddenOf('/console/lists/')), name: 'Runners', notes: '' };
    match(await again('/console/lists/', sent), /^\/console\/lists\/\d+\/\?done=made$/);
    const group = { ...(await hiddenOf('/console/accounts/groups/new')), name: 'Writers', grants: 'mailer:write' };
    match(await again('/console/accounts/groups/new', group), /^\/console\/accounts\/groups\/\d+\/\?saved=1$/);
    // Asked for by another page it is somebody else's wish, or a mistake.
    equal((await visitor.post('/console/lists/', { ...sent, ...(await hiddenOf('/console/lists/')) })).statusCode, 409);
  });

  it('makes one account, and shows its password until it has another one', async () => {
    const secretIn = ({ body }: { body: string }) => /class="secret">([^<]+)</.exec(body)?.[1];
    const passwords = async (url: string, sent: Record<string, string>) => {
      const first = secretIn(await visitor.post(url, sent));
      for (const answer of [await visitor.post(url, sent), ...(await Promise.all([1, 2].map(() => visitor.post(url, sent))))])
        deepEqual([answer.statusCode, secretIn(answer)], [200, first]);
      return first!;
    };
    const works = async (password: string) =>
      (await api.call('GET', '/rest/v1/user/', undefined, { authorization: basic({ username: 'fay', password }) })).statusCode;
    const sent = { ...(await hiddenOf('/console/accounts/new')), username: 'fay', is_active: '1', is_superuser: '1' };
    const made = await passwords('/console/accounts/new', sent);
    equal(await works(made), 200);
    const at = `/console/accounts/${(await api.read('/rest/v1/authuser/?username=fay')).objects[0].id}/`;
    const asked = await hiddenOf(at);
    const renewed = await passwords(`${at}password`, asked);
    deepEqual([await works(renewed), await works(made)], [200, 401]);
    const last = await passwords(`${at}password`, await hiddenOf(at));
    equal(new Set([made, renewed, last]).size, 3);
    // What was shown on a page before is not, once it is good for nothing, and is not made good again.
    for (const [url, form] of [
      ['/console/accounts/new', sent],
      [`${at}password`, asked],
    ] as const)
      deepEqual(outcome(await visitor.post(url, form)), [303, at]);
    equal(await works(last), 200);
    // Asked for by another page, or as something else, it is taken.
    for (const other of [await hiddenOf('/console/accounts/new'), { first_name: 'Fay' }])
      equal((await visitor.post('/console/accounts/new', { ...sent, ...other })).statusCode, 409);
  });

  it('merges, and takes off a list, with no word that it could not be done', async () => {
    const [stays, goes] = await Promise.all(['cy', 'dee'].map((who) => api.create('user', { email: `${who}@example.org` })));
    const person = `/console/people/${idIn(stays!)}/`;
    const list = await api.create('list', { name: 'Walkers' });
    await api.create('subscription', { user: stays, list });
    await again(`${person}unsubscribe`, { ...(await hiddenOf(person)), list: String(idIn(list)) });
    equal((await api.read(`/rest/v1/subscriptionhistory/?user=${idIn(stays!)}`)).meta.total_count, 2);
    const asked = `${person}merge/?with=${idIn(goes!)}`;
    const sent = await hiddenOf(asked);
    await again(`${person}merge/`, sent);
    const { objects } = await api.read('/rest/v1/usermerge/');
    equal(objects.length, 1);
    await runMerge({ pool: api.pool, log: api.app.log as never }, objects[0].id);
    deepEqual(outcome(await visitor.post(`${person}merge/`, sent)), [303, person]);
  });

  it('erases, and does not say then that nothing was erased', async () => {
    const person = `/console/people/${idIn(await api.create('user', { email: 'eve@example.org' }))}/`;
    const sent = { ...(await hiddenOf(`${person}erase/`)), typed: 'Eve@example.org' };
    const first = visitor.post(`${person}erase/`, sent);
    let job: { id: number } | undefined;
    while (!job) job = (await api.pool.query('select id from core_erasure')).rows[0];
    await runErasure({ pool: api.pool, env: api.env, log: api.app.log as never }, job.id);
    deepEqual(
      [outcome(await first), outcome(await visitor.post(`${person}erase/`, sent))],
      [
        [303, person],
        [303, person],
      ],
    );
    const other = await visitor.post(`${person}erase/`, { ...(await hiddenOf(`${person}erase/`)), typed: 'eve@example.org' });
    equal(other.statusCode, 400);
    match(other.body, /That is not their address: nothing was erased/);
  });

  it('… but is no word about another audience than the one that was agreed to', async () => {
    const uri = await makeReady(api);
    const confirm = `/console/mailings/${idIn(uri)}/confirm/queue`;
    const sent = await hiddenOf(confirm);
    equal((await visitor.post(confirm, sent)).statusCode, 303);
    equal((await visitor.post(confirm, { ...sent, targeting_version: '99' })).statusCode, 400);
    equal((await visitor.post(confirm, { ...sent, content: 'other words' })).statusCode, 400);
  });
});
