import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';
import { become, tally } from '../support/sending.ts';
import { track } from '../support/tracking.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

describe('charts of the console, in a browser', () => {
  let api: TestApi;
  let here: Visit;
  let results: string;

  before(async function () {
    needsChromium(this);
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
    const list = await api.create('list', { name: 'Everyone' });
    await api.create('signuppage', { name: 'join', list });
    const people: number[] = [];
    for (let n = 0; n < 7; n++)
      people.push(idIn((await api.call('POST', '/rest/v1/action/', { page: 'join', email: `p${n}@example.org` })).json().user));
    const uri = await makeReady(api, { subjects: ['=One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'] });
    const id = idIn(uri);
    await become(
      api.pool,
      id,
      people.map((_, n) => ({ position: n + 1, state: LEDGER_STATE.accepted })),
    );
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, failed) values ($1, 0, 1, 7, 7, true, 7, 0)`,
      [id],
    );
    await tally(api.pool, id);
    await setMailing(api, uri, { status: 'completed', started_at: new Date(), finished_at: new Date(), expected_send_count: 7 });
    await track(api.pool, { userId: people[0]!, mailingId: id }, { userId: people[1]!, mailingId: id });
    const base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    results = `${base}/console/mailings/${id}/results/`;
    here = await visit();
    await here.page.goto(results);
    await here.logIn(ADMIN);
  });
  after(async () => {
    await here?.context.close();
    await api?.close();
  });

  it('can each be had as one file: from the server, or the rows that are shown', async () => {
    const { page, says } = here;
    await page.goto(results);
    await says('The first 6 of 7 subjects.');
    const figure = page.locator('figure', { hasText: 'Opened, by subject' });
    await figure.getByText('As a table').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      figure.getByRole('button', { name: 'CSV of these rows' }).click(),
    ]);
    equal(download.suggestedFilename(), 'Opened, by subject as a table.csv');
    const [head, ...rows] = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    equal(head, 'Time,1: =One,2: Two,3: Three,4: Four,5: Five,6: Six');
    ok(rows.length > 0);
    match(rows[0]!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ,/);
    deepEqual(rows.at(-1)!.split(',').slice(1), ['0.0%', '100.0%', '100.0%', '0.0%', '0.0%', '0.0%']);
    const sends = page.locator('figure', { hasText: 'Mails over time' });
    await sends.getByText('As a table').click();
    equal(await sends.getByText('CSV').count(), 1);
    // A minute may have ended in between.
    const counts = await sends.locator('details td.n').allInnerTexts();
    equal(
      counts.reduce((sum, each) => sum + Number(each), 0),
      7,
    );
  });

  it('tell times by the clocks of who looks, with UTC behind them', async () => {
    // Half an hour beside the full ones, so that no other clocks show the same minute.
    const there = await visit('Asia/Kolkata');
    try {
      const { page } = there;
      await page.goto(results);
      await there.logIn(ADMIN);
      const figure = page.locator('figure', { hasText: 'Mails over time' });
      await figure.getByText('As a table').click();
      const time = figure.locator('td time').first();
      const [utc, shown, behind] = [await time.getAttribute('datetime'), await time.innerText(), await time.getAttribute('title')];
      equal(shown, new Date(Date.parse(utc!) + 330 * 60_000).toISOString().slice(0, 19).replace('T', ' '));
      equal(behind, `${utc!.slice(0, 19).replace('T', ' ')} UTC`);
      const zone = await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone');
      equal(await figure.locator('.u-legend th').first().innerText(), zone);
      // Days are whole ones of the server.
      await page.goto(new URL('/console/', results).href);
      const growth = page.locator('figure[data-chart="growth"]');
      equal(await growth.locator('.u-legend th').first().innerText(), 'UTC');
      await growth.getByText('As a table').click();
      match(await growth.locator('details tbody td').first().innerText(), /^\d{4}-\d\d-\d\d 00:00:00$/);
    } finally {
      await there.context.close();
    }
  });

  it('say of a report what its numbers are, however small', async () => {
    const { page } = here;
    await page.goto(new URL('/console/reports/sql/', results).href);
    await page
      .getByLabel('SQL', { exact: true })
      .fill(`select * from (values (date '2026-03-01', 1 / 20000::float8), ('2026-03-02', 1 / 20000::float8)) v(day, share)`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const figure = page.locator('figure', { hasText: 'Over time' });
    await figure.locator('.u-over').hover();
    equal(await figure.locator('.u-legend .u-value').last().innerText(), '0.00005');
  });

  it('have what stands at their axes written whole, however large or small the numbers are', async () => {
    const page = await here.context.newPage();
    await page.addInitScript(`
      const write = CanvasRenderingContext2D.prototype.fillText;
      window.lettering = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const { width } = this.measureText(text);
        const left = x - { right: width, center: width / 2 }[this.textAlign];
        lettering.push({ text, cut: left < 0 || left + width > this.canvas.width });
        return write.call(this, text, x, y);
      };`);
    await page.setViewportSize({ width: 360, height: 640 });
    const atAxes = async (amount: string) => {
      await page.goto(new URL('/console/reports/sql/', results).href);
      const days = `generate_series(date '2026-01-01', '2026-01-20', '1 day') day`;
      await page.getByLabel('SQL', { exact: true }).fill(`select day, ${amount} * extract(day from day) as amount from ${days}`);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.locator('.plot canvas').waitFor();
      return page.evaluate<{ text: string; cut: boolean }[]>('lettering');
    };
    try {
      for (const [amount, line] of [
        ['100000', '1,000,000'],
        ['-100000', '-1,000,000'],
        ['1000000000', '10B'],
        ['1e20', '1e+21'],
        ['0.001', '0.01'],
      ] as const) {
        const words = await atAxes(amount);
        const texts = words.map(({ text }) => text);
        ok(texts.includes(line), `${line} is not among ${texts}`);
        deepEqual(
          words.filter(({ cut }) => cut),
          [],
          amount,
        );
      }
    } finally {
      await page.close();
    }
  });

  it('are where whoever ran a report is led, and a report that was refused leads to what is wrong', async () => {
    const page = await here.context.newPage();
    await page.setViewportSize({ width: 360, height: 640 });
    const at = async () => {
      await page.waitForLoadState();
      return page.evaluate<[string, boolean]>(
        `[document.activeElement.id, document.activeElement.getBoundingClientRect().top < innerHeight / 2]`,
      );
    };
    const run = async (query: string) => {
      await page.getByLabel('SQL', { exact: true }).fill(query);
      await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Run', exact: true }).press('Enter')]);
      return at();
    };
    try {
      await page.goto(new URL('/console/reports/sql/', results).href);
      deepEqual(await run('select n from generate_series(1, 100) n'), ['result', true]);
      deepEqual(await run('select two'), ['query', true]);
      deepEqual(await run('select n from generate_series(1, 90) n'), ['result', true]);
      equal(await page.getByRole('group', { name: '90 rows' }).first().getAttribute('id'), 'result');
    } finally {
      await page.close();
    }
  });
});
