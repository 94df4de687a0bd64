import { match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { makeReady, setMailing } from '../support/mailings.ts';

const text = (body: string) => body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

describe('pages of the console that keep themselves up to date', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list });
    for (const name of ['ann', 'bob']) await api.call('POST', '/rest/v1/action/', { page: 'join', email: `${name}@example.org` });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  /** What a page has in it once its script has read what is new. */
  const kept = async (page: string, live: string) => {
    const { regions } = (await visitor.get(live)).json() as { regions: Record<string, string> };
    for (const name of Object.keys(regions)) match(page, new RegExp(`data-region="${name}"`));
    return text(Object.values(regions).join(' '));
  };

  it('count mailings by where they stand in the tabs as in the list', async () => {
    const uri = await makeReady(api);
    await setMailing(api, uri, { status: 'scheduled', scheduled_for: '2100-01-01' });
    const { body } = await visitor.get('/console/mailings/?group=under-way');
    match(text(body), /1 mailing .*Under way 1/);
    await setMailing(api, uri, { status: 'draft' });
    const now = await kept(body, '/console/mailings/live?group=under-way');
    match(now, /No mailing here/);
    match(now, /0 mailings/);
    match(now, /Under way 0 .*Drafts 1/);
  });
});
