import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { everyTurnMs } from '../support/processor-time.ts';

describe('reports of a size nobody writes, in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  /** The answer, for which others had to wait no longer than they may. */
  const quick = async (what: string, call: () => ReturnType<ConsoleVisitor['get']>) => {
    let answer = await call();
    const held = await everyTurnMs(100, async () => {
      answer = await call();
    });
    ok(held < 100, `${what} held the others for ${Math.round(held)} ms`);
    return answer;
  };
  const run = async (query: string, more = {}) => {
    const _csrf = visitor.token(await visitor.get('/console/reports/'));
    return quick(query.slice(0, 40), () => visitor.post('/console/reports/sql/', { _csrf, query, dialect: 'postgresql', ...more }));
  };

  it('show as many rows as make a page, however many columns they have', async () => {
    const columns = Array(1600).fill('1').join(',');
    const { statusCode, body } = await run(`select ${columns} from generate_series(1, 300)`);
    equal(statusCode, 200);
    match(text(body), /The first 13 rows There are more/);
    equal(body.match(/<td/g)?.length, 13 * 1600);
    match(text((await run(`select ${columns} from generate_series(1, 13)`)).body), /13 rows/);
  });

  it('show as much as makes a page, however long a value is, and whatever lines it has', async () => {
    const long = await run(`select string_agg(repeat('x', 1000000), '') as x from generate_series(1, 3)`);
    equal(long.statusCode, 200, text(long.body));
    ok(long.body.length < 700_000, `${long.body.length}`);
    match(text(long.body), /There are more: the CSV has all of them/);
    const lines = await run(String.raw`select n, repeat(E'a line\r\n', 1000) from generate_series(1, 150) n`);
    equal(lines.statusCode, 200, text(lines.body));
    match(text(lines.body), /The first \d+ rows/);
    equal(
      text((await run(`select n, repeat('x', 4000) from generate_series(1, 150) n`)).body)
        .match(/x{3999,}/g)!
        .every((cell) => cell.length === 4000),
      true,
    );
  });

  it('have a field for each parameter as far as somebody could fill them in', async () => {
    const asked = (many: number) => run(`select ${Array.from({ length: many }, (_, n) => `{{ p${n} }}`).join(', ')}`);
    const fields = (body: string) => body.match(/name="p\.p\d+"/g)?.length ?? 0;
    equal(fields((await asked(200)).body), 200);
    const many = await asked(9000);
    equal(many.statusCode, 400);
    equal(fields(many.body), 0);
    match(text(many.body), /It was not run\. The parameter p0 is used in the SQL and was not given/);
    equal(text(many.body).match(/was not given/g)?.length, 20);
  });

  it('are listed, and offered for an audience, while others have their turn', async () => {
    const places = Array.from({ length: 9000 }, (_, n) => `{p${n}}`).join(',');
    await api.pool.query(
      `insert into reports_queryreport (name, short_name, sql, dialect, description)
       select 'Large ' || n, 'large' || n, $1, 'mysql', repeat('d', 100000) from generate_series(1, 200) n`,
      [`select ${places}`],
    );
    const list = await quick('the list', () => visitor.get('/console/reports/'));
    match(list.body, />Large 200</);
    ok(list.body.length < 300_000, `${list.body.length}`);
    const { found, more } = (await quick('the choices', () => visitor.get('/console/choices/query_reports?q=large'))).json();
    equal(found.length, 40);
    equal(more, true);
  });

  it('are all listed, page by page, with how many there are', async () => {
    await api.pool.query('delete from reports_queryreport');
    await api.pool.query(
      `insert into reports_queryreport (name, short_name, sql, hidden) select 'Report ' || n / 2, 'r' || n, 'select 1', n > 1200 from generate_series(1, 1201) n`,
    );
    const found: string[] = [];
    let pages = 0;
    for (let at: string | undefined = '/console/reports/'; at; pages++) {
      const { body } = await visitor.get(at);
      match(text(body), / 1,200 reports /);
      found.push(...[...body.matchAll(/<a href="\/console\/reports\/(r\d+)\/">/g)].map(([, name]) => name!));
      at = /<a href="([^"]*)" rel="next">/.exec(body)?.[1]?.replaceAll('&amp;', '&').replace(/^\?/, '/console/reports/?');
    }
    equal(pages, 3);
    deepEqual([found.length, new Set(found).size, found.includes('r1201')], [1200, 1200, false]);
    equal((await visitor.get('/console/reports/?after=nonsense')).statusCode, 200);
    const gone = (await api.pool.query('delete from reports_queryreport where short_name = $1 returning id', [found[499]])).rows[0].id;
    // The last one of the first page was deleted while somebody looked at it.
    ok((await visitor.get(`/console/reports/?after=${gone}`)).body.includes(`/console/reports/${found[0]}/"`));
  });
});
