import { doesNotMatch, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { buildSet, idIn, makeReady } from '../support/mailings.ts';

describe('what forms of the console are refused for', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let at: string;
  /** Sends the form of a page, with its hidden fields. */
  const refused = async (page: string, form: string, fields: Record<string, string>, code = 400) => {
    const { body } = await visitor.get(page);
    const hidden = [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
    const answer = await visitor.post(form, { ...Object.fromEntries(hidden.reverse()), ...fields });
    equal(answer.statusCode, code, answer.body);
    return answer.body;
  };

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'Everyone' });
    await api.create('signuppage', { name: 'join', list });
    await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'ann@example.org' });
    const uri = await makeReady(api, { subjects: ['One'] });
    await buildSet(api, uri);
    at = `/console/mailings/${idIn(uri)}/`;
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  it('is said beside a field without the name it has in the API', async () => {
    const long = 'x'.repeat(300);
    for (const [page, fields, words] of [
      [`${at}schedule/`, { at: '', rate: '0' }, 'It must be above zero.'],
      [`${at}choose/`, { limit: '0' }, 'It must be at least 1.'],
      ['/console/lists/', { name: long }, 'It must have at most 255 characters.'],
      ['/console/accounts/new', { username: '' }, 'It must not be blank.'],
      ['/console/accounts/groups/new', { name: 'g', others: 'fly' }, 'It must hold grants like user:read, or \\*.'],
      ['/console/people/1/edit/', { email: 'nobody' }, 'It is not an email address.'],
      ['/console/mailings/new', { subject: '' }, 'A subject is missing.'],
    ] as const) {
      const body = await refused(page, page, { ...fields });
      match(body, new RegExp(`<strong class="wrong">${words}</strong>`), page);
      doesNotMatch(text(body), /mails_per_second|\blimit must|\b(name|username|email|subjects) (must|is not)/, page);
    }
  });

  it('is said of a part that is away as the API says it: whether anything was changed, and nothing of our inside', async () => {
    for (const [message, code, words] of [
      ['canceling statement due to user request', '57014', /The database did not do this in time; nothing was changed/],
      ['could not extend file "base/16384/16390"', '53100', /There is no room left on the disk of the database; nothing was changed/],
    ] as const) {
      await api.pool.query(
        `create or replace function away() returns trigger language plpgsql as $$ begin raise exception '${message}' using errcode = '${code}'; end $$;
         create or replace trigger away before update on core_list for each row execute function away()`,
      );
      const said = text(await refused('/console/lists/1/', '/console/lists/1/', { name: 'Away' }, 503));
      match(said, words);
      doesNotMatch(said, /canceling|extend/);
    }
    await api.pool.query('drop function away cascade');
  });

  it('is said elsewhere by what the field is called on the page', async () => {
    const miles = { 'includes.zip_radius': '5' };
    match(
      text(await refused(`${at}choose/`, `${at}choose/`, miles)),
      /Who gets it: “Miles around the zips or cities” says nothing without zips\./,
    );
    match(await refused(`${at}choose/`, `${at}choose/counts`, miles), /Who gets it: “Miles around the zips or cities” says nothing/);
    const lost = { subject: 'One', notes: 'x'.repeat(200_000), autosave: '1' };
    match(await refused(`${at}edit/`, `${at}edit/`, lost), /“Notes” must have at most/);
    const preview = await visitor.post(`${at}edit/preview`, {
      _csrf: visitor.token(await visitor.get(`${at}edit/`)),
      subject: 'One',
      from: 'nobody',
    });
    match(text(preview.body), /From : “nobody” is not of the form/);
  });

  it('keeps what was asked for of proofs, with what is wrong at its form', async () => {
    match(
      text(await refused(`${at}preview/`, `${at}proofs`, { reviewers: '', proofs: '1' })),
      /No proofs were sent\. Say who reviews them: nobody has before\./,
    );
    const asked = { reviewers: 'nobody', proofs: '2', date: '2030-05-01' };
    const body = await refused(`${at}preview/`, `${at}proofs`, asked);
    doesNotMatch(body, /data-live/);
    match(text(body), /Proofs .*No proofs were sent\. “Reviewers” must hold email addresses\./);
    match(body, /<textarea id="reviewers"[^>]*>\nnobody<\/textarea>.*name="proofs"[^>]* value="2".*name="date"[^>]* value="2030-05-01"/s);
    match(
      text(await refused(`${at}preview/`, `${at}proofs`, { ...asked, reviewers: 'ann@example.org', proofs: '0' })),
      /“Proofs for each” must be from 1 to 100\./,
    );
  });

  it('is said of a file of which no column names anybody', async () => {
    const { headers } = await visitor.sendFile(
      '/console/imports/',
      { _csrf: visitor.token(await visitor.get('/console/imports/')) },
      { name: 'upload', filename: 'a.csv', content: 'Shoe size\n38\n' },
    );
    const draft = String(headers.location);
    match(
      text(await refused(draft, draft, { column: '', new_page: 'Fair' })),
      /Choose which column is the email address, or the id or akid people have here\./,
    );
  });
});
