import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { importUpload } from '../../core/people/import-upload.ts';
import { clearOld } from '../../core/retention.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn } from '../support/mailings.ts';
import { longestTurnMs } from '../support/processor-time.ts';

const FILE = [
  'E-Mail,First Name,Surname,ZIP code,Shoe size,Junk',
  'ann@example.org,Ann,Smith,10001,38,x',
  'bob@example.org,<Bob>,,94601,,y',
  'nobody,No,Body,,,',
  'ANN@example.org,Anna,,,,',
  'cy@example.org,Cy',
  'dee@example.org,Dee,Dee,,,',
  // As a spreadsheet writes rows in which nothing stands any more.
  ',,,,,',
  ' ,,,,, ',
].join('\r\n');

describe('importing people in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let list: string;

  before(async () => {
    api = await startApi({});
    list = await api.create('list', { name: 'News' });
    await api.create('user', { email: 'bob@example.org', first_name: 'Robert' });
    await api.create('user', { email: 'dee@example.org', first_name: 'Dee', last_name: 'Dee', source: 'web' });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const read = async (url: string) => {
    const answer = await visitor.get(url);
    equal(answer.statusCode, 200, `${url}: ${answer.statusCode} ${text(answer.body)}`);
    return answer;
  };
  const seen = async (url: string) => text((await read(url)).body);
  const token = async (who = visitor) => who.token(await who.get('/console/imports/'));
  const send = async (content: string | Buffer, filename = 'people.csv') =>
    visitor.sendFile('/console/imports/', { _csrf: await token() }, { name: 'upload', filename, content });
  const drafted = async (content: string) => {
    const answer = await send(content);
    equal(answer.statusCode, 303, text(answer.body));
    return String(answer.headers.location);
  };
  const choose = (at: string, column: string[], more: Record<string, string> = {}) =>
    token().then((_csrf) => visitor.post(at, { _csrf, column, ...more }));
  const guessed = (body: string) =>
    [...body.matchAll(/<select id="column-\d+" name="column">(.*?)<\/select>/gs)].map(
      ([, options]) => /<option value="([^"]*)" selected>/.exec(options!)?.[1],
    );
  const columns = ['email', 'first_name', 'last_name', 'zip', 'user_shoe_size', ''];

  it('guesses what the columns are, shows what would happen line by line, imports, and gives the errors as a file', async () => {
    match(await seen('/console/imports/'), /Nothing was imported yet\. Choose a file of people/);
    const at = await drafted(FILE);
    match(at, /^\/console\/imports\/draft\/\d+\/$/);
    const { body } = await read(at);
    deepEqual(guessed(body), ['email', 'first_name', 'last_name', 'zip', '', '']);
    match(text(body), /6 columns.*E-Mail ann@example\.org · bob@example\.org.*First Name Ann · &lt;Bob&gt;/);
    equal((await visitor.get(`${at}check/`)).headers.location, at, 'not before the columns are chosen');

    const chosen = await choose(at, columns, { new_page: 'Spring fair', list: String(idIn(list)), autocreate: '1' });
    equal(chosen.headers.location, `${at}check/`, text(chosen.body));
    const page = (await api.read('/rest/v1/importpage/?name=spring-fair')).objects[0];
    equal(page.list, list);
    const check = await seen(`${at}check/`);
    match(check, /4 lines of 6 can be imported/);
    match(check, /somebody new 1 known: changed 1 known: nothing new 1 again in the file 1 cannot be imported 2/);
    match(check, /4 cannot be imported email is not an email address\. 6 cannot be imported The line has 2 cells where the header has 6\./);
    match(check, /3 known: changed first_name, city, state, zip, country.*Everybody comes on the list News/);
    deepEqual((await read(`${at}check.csv`)).body.split('\r\n').slice(0, 3), [
      '\uFEFFline,what,detail',
      '2,somebody new,',
      '3,known: changed,"first_name, city, state, zip, country, source"',
    ]);
    equal((await api.read('/rest/v1/user/')).meta.total_count, 2, 'nothing was written');

    const started = await visitor.submit(`${at}check/`, `${at}start`);
    const upload = String(started.headers.location);
    match(upload, /^\/console\/imports\/\d+\/$/, text(started.body));
    equal(api.workflows.starts.at(-1)?.workflow, 'importUpload');
    equal((await visitor.get(at)).statusCode, 404, 'the draft is gone');
    equal((await api.pool.query('select 1 from core_uploaddraftpart')).rowCount, 0);
    match(await seen(upload), /waits .*0 of 6 lines imported.*None so far/);
    equal((await read(`${upload}live`)).json().busy, true);
    await importUpload(api, idIn(upload), () => true);
    match(await seen(upload), /done .*4 of 6 lines imported.*2 could not be\. .*4 email is not an email address/);
    equal((await read(`${upload}live`)).json().busy, false);
    const errors = await read(`${upload}errors.csv`);
    match(String(errors.headers['content-disposition']), /attachment; filename="import-\d+-errors\.csv"/);
    deepEqual(errors.body.split('\r\n'), [
      '\uFEFFline,error',
      '4,email is not an email address.',
      '6,The line has 2 cells where the header has 6.',
      '',
    ]);
    const [ann] = (await api.read('/rest/v1/user/?email=ann@example.org')).objects;
    deepEqual(
      [ann.first_name, ann.last_name, ann.zip, ann.fields, ann.subscription_status],
      ['Anna', 'Smith', '10001', { shoe_size: '38' }, 'subscribed'],
    );
    match(await seen('/console/imports/'), /people\.csv News 6 2 done/);
  });

  it('calls an import whose file had no name by its number, and says on every page how many are under way', async () => {
    const page = (await api.read('/rest/v1/importpage/?name=spring-fair')).objects[0];
    const [{ id }] = (
      await api.pool.query(
        `insert into core_upload (page_id, filename, columns, line_count) values ($1, '', '["email"]', 0) returning id`,
        [page.id],
      )
    ).rows;
    await api.pool.query(
      `insert into core_upload (page_id, filename, columns, line_count, status, finished_at)
       select $1, 'small.csv', '["email"]', 0, 'completed', now() from generate_series(1, 60)`,
      [page.id],
    );
    match(await seen('/console/imports/'), /1 import under way/);
    const older = await seen(`/console/imports/?before=${id + 5}`);
    match(older, /1 import under way/);
    match(older, new RegExp(`Import ${id} News`));
    await api.pool.query('delete from core_upload where id >= $1', [id]);
  });

  it('takes a page there is, says what is missing, and keeps what was chosen', async () => {
    const at = await drafted(FILE);
    const page = (await api.read('/rest/v1/importpage/?name=spring-fair')).objects[0];
    match(await seen(at), /Spring fair → News/);
    for (const [chosen, more, words] of [
      [['', ...columns.slice(1)], { page: String(page.id) }, /Choose which column is the email address/],
      [['email', 'email', '', '', '', ''], { page: String(page.id) }, /a column twice: email/],
      [['email', 'nonsense', '', '', '', ''], { page: String(page.id) }, /columns that mean nothing here: nonsense/],
      [['email'], { page: String(page.id) }, /The form is not whole/],
      [columns, {}, /Choose what they are imported to/],
      [columns, { page: '999999' }, /Choose what they are imported to/],
      [columns, { new_page: 'Spring fair' }, /already exists/],
      [columns, { new_page: 'x\0y' }, /must not hold a NUL/],
      [
        ['email', 'user_hue', 'user_gait', '', '', ''],
        { page: String(page.id) },
        /no custom field hue, gait yet: tick “Declare custom fields that/,
      ],
    ] as const) {
      const refused = await choose(at, [...chosen], more);
      equal(refused.statusCode, 400, String(words));
      match(text(refused.body), words);
    }
    // Declared while the columns were chosen, and no more.
    const declared = await api.create('alloweduserfield', { name: 'never_declared' });
    const chosen = await choose(at, ['email', '', '', '', 'user_never_declared', ''], { page: String(page.id) });
    equal(chosen.statusCode, 303);
    equal((await api.call('DELETE', declared)).statusCode, 204);
    const refused = await visitor.submit(`${at}check/`, `${at}start`);
    equal(refused.statusCode, 400);
    match(text(refused.body), /No custom user field is declared as never_declared/);
    match(refused.body, new RegExp(`<a href="${at}">Back</a>`));
    const dropped = await visitor.submit(at, `${at}drop`);
    equal(dropped.headers.location, '/console/imports/');
    equal((await visitor.get(at)).statusCode, 404);
  });

  it('keeps the list that was chosen, and makes one page when its button is pressed twice', async () => {
    const at = await drafted(FILE);
    const more = { new_page: 'Autumn fair', list: String(idIn(list)) };
    const refused = await choose(at, ['', ...columns.slice(1)], more);
    equal(refused.statusCode, 400);
    match(refused.body, new RegExp(`<option value="${idIn(list)}" selected>News</option>`));
    for (const answer of [await choose(at, columns, more), await choose(at, columns, more)])
      deepEqual([answer.statusCode, answer.headers.location], [303, `${at}check/`]);
    equal((await api.read('/rest/v1/importpage/?name=autumn-fair')).objects.length, 1);
    // One that puts them elsewhere is another page, and its name is taken.
    match(text((await choose(at, columns, { ...more, list: '' })).body), /already exists/);
    equal((await visitor.submit(at, `${at}drop`)).statusCode, 303);
  });

  it('takes a name in any script, each as a page of its own', async () => {
    const at = await drafted(FILE);
    for (const title of ['Весенняя ярмарка', 'Осенняя ярмарка', '東京 2026', '大阪 2026', 'مهرجان', '春のお祭り', 'पुणे']) {
      const made = await choose(at, columns, { new_page: title });
      equal(made.headers.location, `${at}check/`, `${title}: ${text(made.body)}`);
      match(await seen(`${at}check/`), new RegExp(title));
      const again = await choose(at, columns, { new_page: title });
      equal(again.headers.location, `${at}check/`, 'pressed twice');
      equal((await api.read(`/rest/v1/importpage/?title=${encodeURIComponent(title)}`)).objects.length, 1, title);
    }
    match(text((await choose(at, columns, { new_page: '!' })).body), /Give it a name with a letter or a number in it/);
    match(text((await choose(at, columns, { new_page: ' ' })).body), /Choose what they are imported to/);
    equal((await visitor.submit(at, `${at}drop`)).statusCode, 303);
  });

  it('takes no file that is none, and says so', async () => {
    for (const [content, words] of [
      ['', /The file is empty/],
      ['\n\n', /The file is empty/],
      ['email\n"a', /The file is no CSV/],
      [`email\n${'x'.repeat(1_100_000)}`, /The file is no CSV/],
      [`${'x'.repeat(1_100_000)}\n`, /The file is no CSV/],
      ['em\0ail\n', /characters that cannot be stored/],
      [`email${',a'.repeat(200)}\n`, /The file has more than 200 columns/],
    ] as const) {
      const answer = await send(content);
      // What is wrong further down may be told only where it is looked at.
      const told = answer.statusCode === 303 ? await visitor.get(String(answer.headers.location)) : answer;
      equal(told.statusCode, 400, content.slice(0, 20));
      match(text(told.body), words);
    }
    // What is shown of it beside its columns cannot be.
    const beside = await send(`email\n\na@example.org\nb\0@example.org\n`);
    equal(beside.statusCode, 400);
    match(text(beside.body), /characters that cannot be stored \(NUL\), first in line 4: save it as CSV in UTF-8/);
    const none = await visitor.sendFile('/console/imports/', { _csrf: await token() }, null);
    equal(none.statusCode, 400);
    match(text(none.body), /A file is required/);
    const unchosen = await send('', '');
    equal(unchosen.statusCode, 400);
    match(text(unchosen.body), /Choose a file first/);
    equal((await visitor.post('/console/imports/', { _csrf: await token() })).statusCode, 400);
  });

  it('lets others be answered while it looks through long lines', async () => {
    const at = await drafted(`email,user_a\n${Array.from({ length: 8 }, (_, n) => `q${n}@example.org${',x'.repeat(450_000)}\n`).join('')}`);
    const page = await choose(at, ['email', 'user_a'], { new_page: 'Long lines', autocreate: '1' });
    equal(page.headers.location, `${at}check/`, text(page.body));
    let longest = Number.POSITIVE_INFINITY;
    // Memory may be collected in the middle of it: that is not of these lines.
    for (let tries = 0; longest >= 150 && tries < 3; tries++) {
      longest = await longestTurnMs(async () => match(await seen(`${at}check/`), /0 lines of 8 can be imported/));
    }
    ok(longest < 150, `${longest} ms`);
  });

  it('says how many lines were imported of a file that ended the import', async () => {
    const page = (await api.read('/rest/v1/importpage/?name=spring-fair')).objects[0];
    const at = await drafted('email,first_name\nfine@example.org,A\nnobody,B\n');
    await choose(at, ['email', 'first_name'], { page: String(page.id) });
    const upload = String((await visitor.submit(`${at}check/`, `${at}start`)).headers.location);
    const later = `insert into core_uploadblock (upload_id, lane, nth, lines) select upload_id, lane, nth + 1, $2 from core_uploadblock where upload_id = $1`;
    // What no version of the front door lets in: a text that PostgreSQL cannot store.
    await api.pool.query(later, [idIn(upload), '[[4,"odd@example.org","A\\u0000"]]']);
    await api.pool.query('update core_upload set line_count = 3 where id = $1', [idIn(upload)]);
    await importUpload(api, idIn(upload), () => true);
    const shown = await seen(upload);
    match(shown, /died .*1 of 3 lines imported 1 could not be\..*3 email is not an email address\. 4 The import ended at this line/);
    const { status, has_errors, progress, error_count } = await api.read(`/rest/v1/upload/${idIn(upload)}/`);
    deepEqual([status, has_errors, progress, error_count], ['died', 2, 2, 1]);
    match(await seen('/console/imports/'), /people\.csv News 3 2 died/);
  });

  it('takes a file that names people by the id they have here', async () => {
    const bob = (await api.read('/rest/v1/user/?email=bob@example.org')).objects[0];
    await api.create('alloweduserfield', { name: 'ID' });
    const at = await drafted(`User_ID,Shoe size\n${bob.id},44\n999999,45\n`);
    const { body } = await read(at);
    deepEqual(guessed(body), ['user_id', '']);
    doesNotMatch(body, /Custom field ID/);
    await choose(at, ['user_id', 'user_shoe_size'], { new_page: 'By id', list: '', autocreate: '1' });
    match(
      await seen(`${at}check/`),
      /1 line of 2 can be imported .*3 cannot be imported user_id refers to nobody\. 2 known: changed (source, )?user_shoe_size/,
    );
  });

  it('says which list everybody comes on where the page they are imported to is hidden meanwhile', async () => {
    const page = await api.create('importpage', { name: 'hidden-fair', title: 'Hidden fair', list });
    const at = await drafted('email\nfay@example.org\n');
    await choose(at, ['email'], { page: String(idIn(page)) });
    equal((await api.call('PATCH', page, { hidden: true })).statusCode, 202);
    match(await seen(`${at}check/`), /Hidden fair .*Everybody comes on the list News, who left it before, too\./);
    await importUpload(api, idIn(String((await visitor.submit(`${at}check/`, `${at}start`)).headers.location)), () => true);
    equal((await api.read('/rest/v1/user/?email=fay@example.org')).objects[0].subscription_status, 'subscribed');
  });

  it('is no way around the token of forms', async () => {
    const before = (await api.pool.query('select 1 from core_uploaddraft')).rowCount;
    const file = { name: 'upload', filename: 'a.csv', content: 'email\na@example.org\n' };
    for (const fields of [{}, { _csrf: '' }, { _csrf: 'x'.repeat(80) }] as Record<string, string>[])
      equal((await visitor.sendFile('/console/imports/', fields, file)).statusCode, 403);
    const stranger = await new ConsoleVisitor(api.app).sendFile('/console/imports/', {}, file);
    equal(stranger.statusCode, 303);
    match(String(stranger.headers.location), /login/);
    equal((await api.pool.query('select 1 from core_uploaddraft')).rowCount, before);
  });

  it('begins one import when its button is pressed twice', async () => {
    const page = (await api.read('/rest/v1/importpage/?name=spring-fair')).objects[0];
    const at = await drafted(FILE);
    await choose(at, columns, { page: String(page.id), autocreate: '1' });
    const before = (await api.read('/rest/v1/upload/')).meta.total_count;
    const form = { _csrf: await token() };
    const answers = await Promise.all([1, 2, 3].map(() => visitor.post(`${at}start`, form)));
    deepEqual(
      [answers.map(({ statusCode }) => statusCode), new Set(answers.map(({ headers }) => headers.location)).size],
      [[303, 303, 303], 1],
    );
    equal((await api.read('/rest/v1/upload/')).meta.total_count, before + 1);
  });

  it('throws a file away once when that is pressed twice, and leads where the first press leads', async () => {
    const page = (await api.read('/rest/v1/importpage/?name=spring-fair')).objects[0];
    const form = { _csrf: await token() };
    const at = await drafted(FILE);
    const led = async (path: string) => (await visitor.post(path, form)).headers.location;
    deepEqual([await led(`${at}drop`), await led(`${at}drop`)], ['/console/imports/', '/console/imports/']);
    equal(await led(`${at}start`), '/console/imports/', 'the button beside it, in another tab');
    const begun = await drafted(FILE);
    await choose(begun, columns, { page: String(page.id), autocreate: '1' });
    const upload = await led(`${begun}start`);
    match(String(upload), /^\/console\/imports\/\d+\/$/);
    equal(await led(`${begun}drop`), upload);
  });

  it('stops an import, and lets nobody see or start what is another’s', async () => {
    const page = (await api.read('/rest/v1/importpage/?name=spring-fair')).objects[0];
    const at = await drafted(FILE);
    await choose(at, columns, { page: String(page.id), autocreate: '1' });
    const group = await api.create('authgroup', { name: 'some', grants: ['upload:read', 'upload:write'] });
    await api.create('authuser', { username: 'other', password: 'long-enough', is_staff: true, groups: [group] });
    const other = new ConsoleVisitor(api.app);
    await other.logIn({ username: 'other', password: 'long-enough' });
    const _csrf = await token(other);
    for (const path of [at, `${at}check/`, `${at}check.csv`]) equal((await other.get(path)).statusCode, 404, path);
    for (const path of [at, `${at}start`, `${at}drop`]) equal((await other.post(path, { _csrf })).statusCode, 404, path);

    const own = String(
      (await other.sendFile('/console/imports/', { _csrf }, { name: 'upload', filename: 'a.csv', content: FILE })).headers.location,
    );
    await other.post(own, { _csrf, column: columns, page: String(page.id) });
    const blind = await other.get(`${own}check/`);
    match(text(blind.body), /shown to accounts with the grant user:read/);
    doesNotMatch(text(blind.body), /known:|somebody new/);
    doesNotMatch((await other.get(`${own}check.csv`)).body, /known|somebody new/);
    equal((await other.post(own, { _csrf, column: columns, new_page: 'mine' })).statusCode, 403);

    const upload = String((await visitor.submit(`${at}check/`, `${at}start`)).headers.location);
    equal((await visitor.submit(upload, `${upload}stop`)).headers.location, upload);
    match(await seen(upload), /stopping/);
    await importUpload(api, idIn(upload), () => true);
    match(await seen(upload), /stopped/);
    equal((await visitor.post(`${upload}stop`, { _csrf: await token() })).headers.location, upload, 'pressed twice');

    await api.call('PATCH', group, { grants: ['upload:read'] });
    doesNotMatch((await other.get('/console/imports/')).body, /type="file"/);
    const refused = await other.sendFile('/console/imports/', { _csrf }, { name: 'upload', filename: 'a.csv', content: FILE });
    equal(refused.statusCode, 403);
    match(text(refused.body), /needs the grant upload:write/);
  });

  it('says by itself when it has ended, and offers no stop any more', async () => {
    const at = await drafted('email\nlive@example.org');
    await choose(at, ['email'], { new_page: 'Live', list: '' });
    const upload = String((await visitor.submit(`${at}check/`, `${at}start`)).headers.location);
    const page = (await read(upload)).body;
    match(text(page), /Ended – .*Stop What is imported stays/);
    await importUpload(api, idIn(upload), () => true);
    const { regions } = (await read(`${upload}live`)).json();
    const said = text(Object.values(regions).join(' '));
    match(said, /Began \d+ \w+ \d+, .* Ended \d+ \w+ \d+/);
    doesNotMatch(said, /Stop/);
    for (const name of Object.keys(regions)) match(page, new RegExp(`data-region="${name}"`));
  });

  it('looks at no more than it says, and forgets what nobody imported', async () => {
    const page = (await api.read('/rest/v1/importpage/?name=spring-fair')).objects[0];
    const lines = Array.from({ length: 20_500 }, (_, n) => `p${n}@example.org`);
    const at = await drafted(`email\n${lines.join('\n')}\n`);
    await choose(at, ['email'], { page: String(page.id) });
    const begun = Date.now();
    match(
      await seen(`${at}check/`),
      /20,000 lines of the first 20,000 can be imported .*Looked at the first 20,000 lines.* all of the first 20,000 lines are in the file below.* each of the first 20,000 lines.*Import 20,000 and more lines/,
    );
    ok(Date.now() - begun < 10_000);
    // One that ends there has no more.
    const whole = await drafted(`email\n${lines.slice(0, 20_000).join('\n')}\n\n`);
    await choose(whole, ['email'], { page: String(page.id) });
    const said = await seen(`${whole}check/`);
    match(said, /20,000 lines of 20,000 can be imported .* all of them are in the file below.* every line.*Import 20,000 lines/);
    doesNotMatch(said, /Looked at/);
    await api.pool.query(`update core_uploaddraft set created_at = now() - interval '25 hours'`);
    const cleared = await clearOld({ pool: api.pool, env: api.env, log: api.app.log as never });
    ok(cleared['uploadDrafts']! > 0);
    equal((await api.pool.query('select 1 from core_uploaddraftpart')).rowCount, 0);
    for (const nothing of ['999999/', '0/', '99999999999/', 'x/', 'draft/0/', 'draft/99999999999/check/', '999999/errors.csv'])
      equal((await visitor.get(`/console/imports/${nothing}`)).statusCode, 404, nothing);
  });
});
