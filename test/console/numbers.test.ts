import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs, text } from '../support/console-visitor.ts';
import { push } from '../support/donations.ts';
import { idIn } from '../support/mailings.ts';

describe('donations, whip counts and reports in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const seen = async (url: string, who = visitor) => {
    const answer = await who.get(url);
    equal(answer.statusCode, 200, `${url}: ${text(answer.body)}`);
    return text(answer.body);
  };
  const run = async (url: string, fields: Record<string, string>, who = visitor) =>
    who.post(url, { _csrf: who.token(await who.get('/console/reports/')), ...fields });

  it('adds up payments by page and month, those that were given back left out', async () => {
    match(await seen('/console/donations/?months=12'), /No payment came in within these 12 months/);
    const first = await push(api, { order: { amount: '10.00' } });
    match(await seen('/console/donations/'), /\$10\.00 in 1 payment Payments/);
    const second = await push(api, { donationpage: { name: 'other' }, order: { amount: '1234.50' } });
    const gone = await push(api, { order: { amount: '99.00' } });
    equal((await api.call('POST', `${gone.order.resource_uri}reverse/`)).statusCode, 202);
    const now = new Date();
    const month = (back: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 3)).toISOString().slice(0, 7);
    await api.pool.query('update core_transaction set created_at = $2 where order_id = $1', [
      idIn(second.order.resource_uri),
      `${month(2)}-03T00:00:00Z`,
    ]);
    const page = await seen('/console/donations/');
    match(page, /\$1,244\.50 in 2 payments/);
    match(page, new RegExp(`${month(0)} Page Payments Of them recurring Amount give 1 0 \\$10\\.00.*${month(2)}.*other 1 0 \\$1,234\\.50`));
    const csv = (await visitor.get('/console/donations.csv?months=12')).body.trim().split('\r\n');
    equal(csv[0], 'month,page_id,page,payments,recurring,amount_usd');
    match(csv[1]!, new RegExp(`^${month(0)},\\d+,give,1,0,10\\.00$`));
    equal(typeof first.order.resource_uri, 'string');
    equal((await (await enterAs(api, 'poor', ['mailer:read'])).get('/console/donations/')).statusCode, 403);
  });

  it('tells payments that are dated ahead apart from those that came in', async () => {
    const before = await seen('/console/donations/');
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 3)).toISOString().slice(0, 7);
    await push(api, { donationpage: { name: 'early' }, order: { amount: '2000.00', created_at: `${next}-03T00:00:00` } });
    const page = await seen('/console/donations/');
    const leads = /\$[\d,.]+ in \d+ payments?/;
    equal(leads.exec(page)![0], leads.exec(before)![0]);
    match(page, /Dated ahead: \$2,000\.00 in 1 payment, counted once the month has begun\./);
    match(page, new RegExp(`give 1 0 .*${next}, dated ahead Page Payments Of them recurring Amount early 1 0 \\$2,000\\.00 CSV`));
    match((await visitor.get('/console/donations.csv')).body, new RegExp(`^${next},\\d+,early,1,0,2000\\.00\r$`, 'm'));
    await api.pool.query(`update core_transaction set created_at = $1 where created_at < now()`, [`${next}-03T00:00:00Z`]);
    match(await seen('/console/donations/'), /No payment came in within these 3 months\..*Dated ahead/);
  });

  it('adds up what callers reported of each target, by the rules of the report', async () => {
    match(await seen('/console/whipcounts/'), /There is no whip count yet/);
    const targets: string[] = [];
    for (const last of ['Ames', 'Bode', 'Cole'])
      targets.push(await api.create('target', { type: 'senate', first: 'A', last, state: 'NY', title: 'Sen.', seat: `NY_${last}` }));
    const count = await api.create('whipcountpage', {
      name: 'call',
      title: 'Call <them>',
      whipcountform: { minimum_calls: 2, minimum_response_agreement: '0.60' },
    });
    const said = [
      ['supportive', 'Opposed', 'later'],
      ['supportive', 'opposed', ''],
      ['opposed', '', ''],
    ];
    for (const [n, responses] of said.entries()) {
      const answers = Object.fromEntries(responses.flatMap((each, t) => (each ? [[`response-${idIn(targets[t]!)}`, each]] : [])));
      const answer = await api.call('POST', '/rest/v1/action/', { page: 'call', email: `caller${n}@example.org`, ...answers });
      equal(answer.statusCode, 201, answer.body);
    }
    await api.create('whipcountoverride', { page: count, target: targets[2], stance: 'message' });
    const uncalled = await api.create('target', { type: 'senate', first: 'A', last: 'Zorn', state: 'NY', title: 'Sen.', seat: 'NY_Zorn' });
    await api.create('whipcountoverride', { page: count, target: uncalled, stance: 'opposed' });
    match(await seen('/console/whipcounts/'), /Call &lt;them&gt; 6 3 3/);
    const at = `/console/whipcounts/${idIn(count)}/`;
    const page = await seen(at);
    match(page, /6 calls reported, about 3 targets/);
    match(page, /Sen\. A Ames NY_Ames supportive 3 0 2 1 0 0/);
    match(page, /Sen\. A Bode NY_Bode opposed 2 0 0 2 0 0/);
    match(page, /Sen\. A Cole NY_Cole message by word of an administrator 1 0 0 0 0 1/);
    match(page, /Sen\. A Zorn NY_Zorn opposed by word of an administrator 0 0 0 0 0 0/);
    const lines = (await visitor.get(`${at}targets.csv`)).body
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','));
    const report = await api.read('/rest/v1/report/run/whipcount_stance_per_target/?page=call');
    deepEqual(
      lines.map((line) => [Number(line[0]), Number(line[5]), line.at(-1)]),
      report.map((row: unknown[]) => [row[0], row[3], row[6]]),
    );
    equal((await visitor.get('/console/whipcounts/99999/')).statusCode, 404);
  });

  it('keeps what callers say in words of their own short, and counts the rest of them together', async () => {
    const said = ['x'.repeat(5000), ...Array.from({ length: 14 }, (_, n) => `word ${n}`), 'word 13', '\u{1F600}'.repeat(100)];
    const targets: string[] = [];
    for (const [n] of said.entries())
      targets.push(await api.create('target', { type: 'other', last: n ? `Target ${n}` : '', seat: `${n + 10}` }));
    const count = await api.create('whipcountpage', { name: 'wordy', whipcountform: { minimum_calls: 1 } });
    const answers = Object.fromEntries(targets.map((target, n) => [`response-${idIn(target)}`, said[n]]));
    equal((await api.call('POST', '/rest/v1/action/', { page: 'wordy', email: 'wordy@example.org', ...answers })).statusCode, 201);
    const at = `/console/whipcounts/${idIn(count)}/`;
    const { body } = await visitor.get(at);
    const shown = text(body);
    const short = `${'x'.repeat(60)}…`;
    match(shown, new RegExp(` Target ${idIn(targets[0]!)} 10 ${short} 1 0 0 0 0 1 `), 'who has no name is called by number');
    match(shown, new RegExp(`${'\u{1F600}'.repeat(60)}… 1 0 0 0 0 1 `, 'u'));
    const cards = [...body.matchAll(/<dt>([^<]*)<\/dt><dd>(\d+)/g)].map(([, word, many]) => [word, Number(many)]);
    deepEqual(cards.slice(0, 3), [
      ['word 13', 2],
      [short, 1],
      ['word 0', 1],
    ]);
    equal(cards.length, 11);
    deepEqual(cards.at(-1), ['in other words', 6]);
    match((await visitor.get(`${at}targets.csv`)).body, new RegExp(`,${'x'.repeat(5000)}\r\n`));
  });

  it('names pages that are called the same, so that their numbers can be told apart', async () => {
    for (const name of ['spring', 'autumn']) {
      await api.create('donationpage', { name, title: 'Donate' });
      await push(api, { donationpage: { name }, order: { amount: name === 'spring' ? '3.00' : '4.00' } });
      await api.create('whipcountpage', { name: `${name}-calls`, title: 'Call them' });
    }
    await push(api, { order: { amount: '1.00' } });
    const donations = await seen('/console/donations/');
    match(donations, /Donate autumn 1 0 \$4\.00 Donate spring 1 0 \$3\.00/);
    match(donations, /\.00 give \d+ 0 /, 'others are as they were');
    match(await seen('/console/whipcounts/'), /Call them autumn-calls 0 0 0 Call them spring-calls 0 0 0/);
  });

  it('leads to every whip count, a page after the other', async () => {
    await api.pool.query(
      `insert into core_page (name, title, type, url) select 'count' || n, 'Count ' || n, 'whipcount', '' from generate_series(1, 120) n`,
    );
    const found: string[] = [];
    for (let url: string | undefined = '/console/whipcounts/'; url; ) {
      const { body } = await visitor.get(url);
      found.push(...[...body.matchAll(/">(Count \d+)<\/a>/g)].map(([, title]) => title!));
      const next = /href="([^"]*)" rel="next">/.exec(body)?.[1];
      url = next?.replaceAll('&amp;', '&');
    }
    equal(new Set(found).size, 120);
    match(await seen('/console/whipcounts/?before=1'), /There are no older ones/);
  });

  it('draws a report whose rows are of times, and no other', async () => {
    const drawn = async (query: string) => {
      const { body, statusCode } = await run('/console/reports/sql/', { query });
      equal(statusCode, 200, body);
      const [, json] = /data-drawn="([^"]*)"/.exec(body) ?? [];
      return json ? JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>')) : null;
    };
    deepEqual(
      await drawn(`select * from (values (date '2026-03-02', 5, null, 'x'), ('2026-03-01', -2.5, 4, 'y')) v(day, "<new>", gone, note)`),
      {
        times: [Date.UTC(2026, 2, 1) / 1000, Date.UTC(2026, 2, 2) / 1000],
        series: [
          { label: '<new>', tone: '--series-1', steps: false, values: [-2.5, 5] },
          { label: 'gone', tone: '--series-2', steps: false, values: [4, null] },
        ],
      },
    );
    equal(
      (await drawn(`select to_char(m, 'YYYY-MM'), 1 from generate_series(timestamp '2026-01-01', '2026-12-01', '1 month') m`)).times.length,
      12,
    );
    equal(
      (await drawn(`select m, 1 from generate_series(timestamptz '2026-01-01', '2026-01-03', '1 hour') m`)).times[1],
      Date.UTC(2026, 0, 1, 1) / 1000,
    );
    // As the database writes what is very small or very large: a share of one in twenty thousand, say.
    const shares = `select * from (values (date '2026-03-01', 1 / 20000::float8, 5), ('2026-03-02', -0.25, 6), ('2026-03-03', 1.5e21, 7)) v(day, share, n)`;
    deepEqual(
      (await drawn(shares)).series.map(({ label, values }: { label: string; values: number[] }) => [label, values]),
      [
        ['share', [0.00005, -0.25, 1.5e21]],
        ['n', [5, 6, 7]],
      ],
    );
    match((await run('/console/reports/sql/', { query: shares })).body, /<td class="n">5e-05<\/td>/);
    const said = async (query: string) => text((await run('/console/reports/sql/', { query })).body);
    const days = (many: number) =>
      `from generate_series(timestamp '2026-01-01', timestamp '2026-01-01' + interval '${many - 1} days', '1 day') m`;
    match(
      await said(`select m, 1 a, 2 b, 3 c, 4 d, 5 e, 6 f, 7 g, 'x' h ${days(3)}`),
      /Over time Of the first 6 columns of numbers; 1 more stands in the table below/,
    );
    match(await said(`select m, 1 ${days(201)}`), /Over time Of the first 200 rows\./);
    doesNotMatch(await said(`select m, 1 a, 2 b, 3 c, 4 d, 5 e, 6 f ${days(200)}`), /Of the first/);
    for (const none of [
      `select 'NY', 1 union select 'CA', 2`,
      `select date '2026-03-01', 1`,
      `select * from (values (date '2026-03-01', 1), ('2026-03-01', 2)) v`,
      `select * from (values (date '2026-03-01', 'a'), ('2026-03-02', 'b')) v`,
      `select * from (values ('2026-99-99', 1), ('2026-03-02', 2)) v`,
      'select 1 where false',
    ])
      equal(await drawn(none), null, none);
  });

  it('runs saved reports with their parameters, as a table and as a file', async () => {
    const sql = `select id, email from core_user where email in ({{ addresses }}) or state = {{ state }} order by id`;
    await api.create('queryreport', { name: 'Who <is> it', short_name: 'who', sql, description: 'By address' });
    match(await seen('/console/reports/'), /Who &lt;is&gt; it who By address/);
    const at = '/console/reports/who/';
    match((await visitor.get(at)).body, /name="p\.addresses".*name="p\.state"/s);
    const answer = await run(at, { 'p.addresses': 'caller0@example.org\r\ncaller1@example.org', 'p.state': 'ZZ' });
    equal(answer.statusCode, 200, text(answer.body));
    match(text(answer.body), /2 rows .*id email \d+ caller0@example\.org \d+ caller1@example\.org/);
    match(answer.body, />\ncaller0@example\.org\ncaller1@example\.org<\/textarea>/, 'what was typed stays');
    const file = await run(at, { 'p.addresses': 'caller0@example.org', 'p.state': 'ZZ', go: 'csv' });
    match(file.body, /^\uFEFFid,email\r\n\d+,caller0@example\.org\r\n$/);
    match(String(file.headers['content-disposition']), /filename="report-who\.csv"/);
    const missing = await run(at, { 'p.state': 'NY' });
    equal(missing.statusCode, 400);
    match(text(missing.body), /It was not run.*The parameter addresses is used in the SQL and was not given/);
    equal((await run('/console/reports/nothing/', {})).statusCode, 404);
  });

  it('runs a statement of one’s own, bounded and for reading only', async () => {
    const at = '/console/reports/sql/';
    const many = await run(at, {
      query: 'select n, n * 2 as twice from generate_series(1, {{ most }}::int) n',
      dialect: 'postgresql',
      'p.most': '300',
    });
    match(text(many.body), /The first 200 rows There are more.*n twice 1 2 2 4/);
    const asked = await run(at, { query: 'select {{ word }}::text as said', dialect: 'postgresql' });
    equal(asked.statusCode, 400);
    match(asked.body, /name="p\.word"/, 'asks for the parameters it has found');
    match(text((await run(at, { query: 'select {{ word }}::text as said', dialect: 'postgresql', 'p.word': '=1+1' })).body), /said '=1\+1/);
    for (const query of ['delete from core_user', 'select 1; select 2', 'select password from auth_user', 'selec', '']) {
      const refused = await run(at, { query, dialect: 'postgresql' });
      equal(refused.statusCode, 400, query);
      match(text(refused.body), /It was not run/);
    }
  });

  it('offers and does what the account may', async () => {
    const runner = await enterAs(api, 'runner', ['report:read']);
    match(await seen('/console/reports/', runner), /may run reports, not list them/);
    equal((await runner.get('/console/reports/sql/')).statusCode, 403);
    doesNotMatch((await runner.get('/console/reports/who/')).body, /Its SQL/);
    equal((await run('/console/reports/sql/', { query: 'select 1' }, runner)).statusCode, 403);
    equal((await run('/console/reports/who/', { 'p.addresses': 'x', 'p.state': 'y' }, runner)).statusCode, 200);
    const none = await enterAs(api, 'none', ['list:read']);
    equal((await none.get('/console/reports/')).statusCode, 403);
    doesNotMatch((await none.get('/console/')).body, /console\/(reports|donations|whipcounts)/);
  });
});
