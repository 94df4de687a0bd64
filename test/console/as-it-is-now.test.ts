import { doesNotMatch, match } from 'node:assert/strict';
import { eraseUser } from '../../core/people/erase.ts';
import { mergeUsers } from '../../core/people/merge.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';

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

  it('show a person as they are once they were merged or erased', async () => {
    const [ann, twin] = [await api.create('user', { email: 'a@example.org' }), await api.create('user', { email: 'b@example.org' })];
    await api.call('PATCH', twin, { first_name: 'Anna', address1: '1 Main Street', fields: {} });
    await api.create('signuppage', { name: 'act' });
    await api.call('POST', '/rest/v1/action/', { page: 'act', email: 'b@example.org' });
    const at = `/console/people/${idIn(ann)}/`;
    const wish = { primary_user: ann, users: [twin], address_user: twin, source_user: ann };
    const job = idIn(await api.create('usermerge', wish));
    const { body } = await visitor.get(at);
    match(text(body), /is being merged into this one.*Actions 0/);
    await inOneTransaction(api.pool, (sql) => mergeUsers(sql, job));
    match(await kept(body, `${at}live`), /was merged into this one.*Actions 1.*1 Main Street/);

    await api.call('POST', '/rest/v1/eraser/', { user_id: idIn(ann) });
    const { body: before } = await visitor.get(at);
    match(text(before), /being erased.*1 Main Street/);
    const { rows } = await api.pool.query('select id from core_erasure where user_id = $1', [idIn(ann)]);
    await inOneTransaction(api.pool, (sql) => eraseUser(sql, rows[0].id, 'secret'));
    const after = await kept(before, `${at}live`);
    match(after, /This person was erased/);
    doesNotMatch(after, /Main Street|a@example/);
  });

  it('offer whoever was changing a person nothing that is refused once they were erased', async () => {
    const person = await api.create('user', { email: 'leaving@example.org', first_name: 'Lea' });
    const edit = `/console/people/${idIn(person)}/edit/`;
    const opened = await visitor.get(edit);
    await api.call('POST', '/rest/v1/eraser/', { user_id: idIn(person) });
    const { rows } = await api.pool.query('select id from core_erasure where user_id = $1', [idIn(person)]);
    await inOneTransaction(api.pool, (sql) => eraseUser(sql, rows[0].id, 'secret'));
    const version = /name="version" value="([^"]*)"/.exec(opened.body)![1]!;
    const sent = { _csrf: visitor.token(opened), version, email: 'leaving@example.org', first_name: 'Leah' };
    for (const page of [await visitor.post(edit, sent), await visitor.get(edit)]) {
      match(text(page.body), /This person was erased: nothing about them can be changed any more/);
      doesNotMatch(page.body, /leaving@example|Leah|Save/);
    }
  });
});
