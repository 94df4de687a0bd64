import { doesNotMatch, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn, READY } from '../support/mailings.ts';

const FEWER = /No more than 500 are offered here; the API takes any/g;

describe('what is longer than a page of the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const seen = async (url: string) => {
    const answer = await visitor.get(url);
    equal(answer.statusCode, 200, url);
    return text(answer.body);
  };

  it('says that there is more: of choices, snippets, custom fields, changes and confirmations', async () => {
    const at = `/console/mailings/${idIn(await api.create('mailer', READY))}/`;
    const person = idIn(await api.create('user', { email: 'ann@example.org' }));
    const urls = [`${at}edit/`, `${at}choose/`, `/console/people/${person}/`, `/console/people/${person}/mails/`];
    for (const url of urls) doesNotMatch(await seen(url), /No more than|and others, which|The last \d+/);
    for (const statement of [
      `insert into core_page (name, title, type) select 'page' || n, 'Page ' || n, 'signup' from generate_series(1, 510) n`,
      `insert into core_snippet (name, text) select 'snippet' || n, '' from generate_series(1, 51) n`,
      `insert into core_alloweduserfield (name) select 'field' || n from generate_series(1, 51) n`,
      `insert into core_list (name) select 'list' || n from generate_series(1, 510) n`,
      `insert into core_mailing (status) select 'model' from generate_series(1, 510) n`,
      `insert into core_subscriptionhistory (user_id, list_id, change) select ${person}, l.id, 'subscribe' from core_list l order by id limit 21`,
      `insert into core_transactionalmailing (user_id, subject, status) select ${person}, 'Thanks', 'sent' from generate_series(1, 21) n`,
    ])
      await api.pool.query(statement);
    const edit = await seen(`${at}edit/`);
    equal(edit.match(FEWER)?.length, 1);
    equal(edit.match(/and others, which are written by their names/g)?.length, 2);
    equal((await seen(`${at}choose/`)).match(FEWER)?.length, 1);
    const page = await seen(`/console/people/${person}/`);
    equal(page.match(FEWER)?.length, 1);
    match(page, /The last 20; the API has all of them/);
    match(await seen(`/console/people/${person}/mails/`), /The last 20\./);
  });
});
