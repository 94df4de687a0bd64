import { deepEqual, equal } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs } from '../support/console-visitor.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';

const PEOPLE = { name: 'upload', filename: 'people.csv', content: 'email\nbob@example.org\n' };

describe('a button of the console that ends something, pressed twice', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const formOf = async (url: string, who = visitor) => ({ _csrf: who.token(await who.get(url)) });
  const outcome = ({ statusCode, headers }: { statusCode: number; headers: Record<string, unknown> }) => [statusCode, headers['location']];

  it('stops a mailing, or an import, with no word that there was nothing to stop', async () => {
    for (const [status, becomes] of [
      ['sending', 'stopped'],
      ['scheduled', 'draft'],
    ] as const) {
      const uri = await makeReady(api);
      const at = `/console/mailings/${idIn(uri)}/`;
      const form = await formOf(at);
      await setMailing(api, uri, { status });
      const first = await visitor.post(`${at}stop`, form);
      await setMailing(api, uri, { status: becomes });
      deepEqual([first.statusCode, outcome(await visitor.post(`${at}stop`, form))], [303, outcome(first)]);
      // It went out: that it could not be stopped any more is what there is to say.
      await setMailing(api, uri, { status: 'completed' });
      equal((await visitor.post(`${at}stop`, form)).statusCode, 400);
    }
    const page = await api.create('importpage', { name: 'fair' });
    const drafted = await visitor.sendFile('/console/imports/', await formOf('/console/imports/'), PEOPLE);
    const draft = String(drafted.headers.location);
    await visitor.post(draft, { ...(await formOf(draft)), column: 'email', page: String(idIn(page)) });
    const at = String((await visitor.post(`${draft}start`, await formOf(`${draft}check/`))).headers.location);
    const form = await formOf('/console/imports/');
    const first = await visitor.post(`${at}stop`, form);
    await api.pool.query(`update core_upload set status = 'stopped', finished_at = now() where id = $1`, [idIn(at)]);
    deepEqual(outcome(await visitor.post(`${at}stop`, form)), outcome(first));
    await api.pool.query(`update core_upload set status = 'completed' where id = $1`, [idIn(at)]);
    const late = await visitor.post(`${at}stop`, form);
    deepEqual([late.statusCode, /This import is over/.test(late.body)], [400, true]);
  });

  it('logs out, with no word that the form is too old', async () => {
    const leaver = await enterAs(api, 'leaver', ['mailer:read']);
    const out = await formOf('/console/', leaver);
    for (const press of [1, 2]) deepEqual(outcome(await leaver.post('/console/logout', out)), [303, '/console/login'], `press ${press}`);
    equal((await visitor.post('/console/logout', { _csrf: 'made elsewhere' })).statusCode, 403);
    equal((await visitor.get('/console/')).statusCode, 200);
  });
});
