import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadCrowd } from '../../tools/demo/crowd.ts';
import { findings } from '../support/axe.ts';
import { idIn } from '../support/mailings.ts';
import { needsChromium, type VisitedPlatform, visitPlatform } from '../support/visited-console.ts';

const PEOPLE = 800;
const RATE = 60;
const PICTURES = join(import.meta.dirname, '../../test-output/console');
/** Where those of the docs go, too: `npm run pictures`. */
const DOCS = process.env['CONSOLE_PICTURES'];
const IN_DOCS: Record<string, string> = {
  sending: 'mailing',
  choosing: 'audience',
  'light-preview': 'preview',
  'dark-results': 'results',
};

describe('the console in a browser', () => {
  let here: VisitedPlatform;
  let mailing: string;
  let draft: string;

  before(async function () {
    needsChromium(this);
    mkdirSync(PICTURES, { recursive: true });
    // One mail is on the wire for as long as its worker lives: when that is killed, nobody can know.
    here = await visitPlatform({ SEND_LEASE_SECONDS: '3' }, [{ at: 'message', match: 'person90@', next: 'stall', times: 1 }]);
    const { api, platform } = here;
    const list = await api.write('POST', '/rest/v1/list/', { name: 'News' });
    await loadCrowd(platform.databaseUrl, PEOPLE, idIn(list), ['NY', 'CA'], () => {});
    for (let n = 1; n < 60; n++) await api.write('POST', '/rest/v1/list/', { name: `Zone ${n}` });
    mailing = await api.write('POST', '/rest/v1/mailer/', {
      subjects: ['A vote on Thursday, {{ user.first_name }}', 'Your call counts'],
      html: '<p>Dear {{ user.first_name }}, there is a vote in {{ user.state }}. <a href="https://example.org/">Call</a></p>',
      fromline: '"River Alliance" <news@river.example>',
      mails_per_second: RATE,
      includes: { lists: ['News'] },
    });
  });
  after(() => here?.close());

  const at = (path = '') => `${here.platform.baseUrl}/console/mailings/${idIn(mailing)}/${path}`;
  const picture = async (name: string) => {
    await here.page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
    if (DOCS && IN_DOCS[name]) await here.page.screenshot({ path: join(DOCS, `console-${IN_DOCS[name]}.png`) });
  };

  it('is entered with the keyboard alone', async () => {
    const { platform, page, env } = here;
    await page.goto(`${platform.baseUrl}/console/`);
    assert.deepEqual(await findings(page), []);
    await page.keyboard.type(env.ADMIN_USERNAME);
    await page.keyboard.press('Tab');
    await page.keyboard.type(env.ADMIN_PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Needs somebody' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
  });

  it('builds the audience, shows the mail of a chosen person and sends proofs', async () => {
    const { page, got, says } = here;
    await page.goto(at());
    await page.getByRole('button', { name: 'Build the audience' }).click();
    // The page keeps itself up to date.
    await says(`${PEOPLE} people`);
    await page.getByRole('link', { name: 'Preview and proofs' }).click();
    await page.getByLabel('Email or id of a person').fill('person7@crowd.example');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.frameLocator('iframe').getByText('Dear Hiro, there is a vote in CA.').waitFor();
    await page.getByLabel('Reviewers').fill('reviewer@river.example');
    await page.getByRole('button', { name: 'Send proofs' }).click();
    await says(/1 reviewer, 1 sent/);
    assert.equal(got.get('reviewer@river.example'), 1);
  });

  it('sends after a confirmation, live, through the death of the worker, with nobody forgotten', async () => {
    const { platform, page, says } = here;
    await page.goto(at());
    await page.getByRole('link', { name: /Send or schedule/ }).click();
    assert.deepEqual(await findings(page), []);
    await picture('confirm');
    await page.getByRole('button', { name: `Send to ${PEOPLE} people` }).click();
    await page.getByRole('button', { name: 'Stop now' }).waitFor();
    const bar = page.getByRole('progressbar');
    const percent = async () => Number(await bar.getAttribute('aria-valuenow'));
    while ((await percent()) < 20) await page.waitForTimeout(100);
    assert.deepEqual(await findings(page), []);
    await picture('sending');
    process.kill(platform.supervisor.pid('worker-1')!, 'SIGKILL');
    await page.getByRole('link', { name: 'Who did not get it, and why' }).waitFor();
    await page.getByText('nobody knows whether they got it').waitFor();
    assert.ok((await percent()) < 100, 'not all of it while some are to be settled');
    await says('Sent, not settled');
  });

  it('lists who is uncertain, has them mailed again, and every sum is true', async () => {
    const { page, got, env } = here;
    await page.getByRole('link', { name: 'Who did not get it, and why' }).click();
    const uncertain = await page.locator('tbody tr').count();
    assert.ok(uncertain >= 1 && uncertain <= 2 * env.SMTP_CONNECTIONS, `${uncertain} uncertain`);
    const doubtful = await page.locator('tbody td:nth-child(2)').allInnerTexts();
    assert.deepEqual(await findings(page), []);
    await picture('uncertain');
    await page.getByRole('link', { name: 'Mail them again' }).click();
    await page.getByRole('button', { name: 'Let them wait for it again' }).click();
    await page.getByRole('link', { name: `Resume: ${uncertain} left` }).click();
    await page.getByRole('button', { name: /^Send to the \d+ pe(rson|ople) left$/ }).click();
    await page.getByText('It has been sent: nothing is left to do.').waitFor();
    assert.match(await page.locator('.big').first().innerText(), new RegExp(`^${PEOPLE} of ${PEOPLE} accepted`));
    got.delete('reviewer@river.example');
    assert.equal(got.size, PEOPLE);
    const twice = [...got].filter(([, times]) => times > 1).map(([address]) => address);
    const chosen = new Set(doubtful.map((cell) => cell.split(/\s/)[0]));
    assert.deepEqual(
      twice.filter((address) => !chosen.has(address)),
      [],
      'nobody but whom an operator chose to mail again',
    );
  });

  it('draws what came of it', async () => {
    const { platform, page } = here;
    await page.goto(at('results/'));
    await page.locator('canvas').first().waitFor();
    assert.deepEqual(await findings(page), []);
    const inked = await page.evaluate(`(() => {
      const canvas = document.querySelector('canvas');
      return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);
    })()`);
    assert.ok(inked);
    await page.getByText('As a table').first().click();
    const cells = await page.locator('details td:nth-child(2)').allInnerTexts();
    assert.equal(
      cells.reduce((sum, cell) => sum + Number(cell.replace(',', '')), 0),
      PEOPLE,
    );
    await picture('results');
    await page.goto(`${platform.baseUrl}/console/reports/sql/`);
    await page
      .getByLabel('SQL')
      .fill('select created_at::date + n as day, count(*) * n as people from core_user, generate_series(1, 9) n group by 1, n');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('canvas').waitFor();
    assert.deepEqual(await findings(page), []);
    await picture('report');
  });

  it('has a mailing written, aimed and scheduled by somebody who knows no API', async () => {
    const { platform, page, says, write } = here;
    await page.goto(`${platform.baseUrl}/console/`);
    await page.getByRole('link', { name: 'New mailing' }).click();
    await page.getByLabel('Subject 1').fill('Meet us on Sunday');
    await page.getByLabel('Subject 2').fill('On Sunday, {{ user.first_name }}?');
    await page.getByLabel('From').fill('"River Alliance" <news@river.example>');
    await write('HTML', '<p>Dear {{ user.first_nam }}</p>');
    await page.getByRole('button', { name: 'Save and choose the audience' }).click();
    await page.getByText('It was not saved.').waitFor();
    await page.locator('html.editing').waitFor();
    assert.equal(await page.getByLabel('HTML').getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await findings(page), []);
    await page.locator('.previewed iframe').first().contentFrame().getByText('line 1').first().waitFor();
    await write('HTML', '<p>Dear {{ user.first_name }}</p>');
    // It follows what is written, in a frame that can do nothing.
    await page.getByLabel('As', { exact: true }).fill('person7@crowd.example');
    await here.previews('Dear Hiro');
    await page.getByRole('button', { name: 'Save and choose the audience' }).click();
    const wanted = page.getByRole('region', { name: 'Who gets it' });
    await wanted.getByLabel('News').check();
    await wanted.getByText(`${PEOPLE} people`).first().waitFor();
    await page.getByText(`${PEOPLE} people of ${PEOPLE} who can be mailed at all would get it.`).waitFor();
    await wanted.getByText('Places').click();
    await wanted.getByLabel('States').fill('New');
    await page.getByText(/^Not counted: .*two-letter/).waitFor();
    // Found with the keyboard alone among more than are shown.
    await wanted.getByLabel('Search: On any of these lists').focus();
    await page.keyboard.type('zone 59');
    await page.keyboard.press('Enter');
    await wanted.getByText('1 found.').waitFor();
    // By way of the one that is chosen.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    assert.equal(await wanted.getByLabel('Zone 59').isChecked(), true);
    assert.equal(await wanted.getByLabel('News').isChecked(), true);
    // Offered while it is written, and taken with the keyboard.
    const states = wanted.getByRole('combobox', { name: 'States' });
    await states.fill('');
    await states.pressSequentially('new y');
    await wanted.getByRole('option', { name: 'NY · New York' }).waitFor();
    assert.equal(await states.getAttribute('aria-expanded'), 'true');
    assert.deepEqual(await findings(page), []);
    await page.keyboard.press('Escape');
    assert.equal(await states.getAttribute('aria-expanded'), 'false');
    await page.keyboard.type('o');
    await wanted.getByRole('option', { name: 'NY · New York' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal(await states.inputValue(), 'NY, ');
    await page.getByText(/^\d+ people of \d+ who can be mailed at all would get it\.$/).waitFor();
    const unwanted = page.getByRole('region', { name: 'But not' });
    for (const part of ['Places', 'People by name', 'Reports', 'SQL', 'Donations']) await unwanted.getByText(part, { exact: true }).click();
    await unwanted.getByLabel('Find a city').pressSequentially('albany, n');
    await unwanted.getByRole('option', { name: 'Albany, NY' }).click();
    assert.equal(await unwanted.getByLabel('Zips or cities', { exact: true }).inputValue(), 'Albany, NY');
    await unwanted.getByLabel('Search: Is one of these people').fill('person7@');
    await unwanted.getByLabel(/person7@crowd\.example/).check();
    await unwanted.getByText('1 person', { exact: true }).waitFor();
    await unwanted.getByLabel('SQL', { exact: true }).fill('select id from core_user where id < 0');
    await unwanted.getByText('0 people', { exact: true }).first().waitFor();
    // Another row for another statement.
    assert.equal(await unwanted.getByLabel('SQL', { exact: true }).count(), 2);
    await unwanted.getByLabel('SQL', { exact: true }).first().fill('');
    assert.deepEqual(await findings(page), []);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await here.sideways(), 0);
    await page.setViewportSize({ width: 1180, height: 800 });
    await page.getByText(/^\d+ people of \d+ who can be mailed at all would get it\.$/).waitFor();
    assert.deepEqual(await findings(page), []);
    await picture('choosing');
    await page.getByRole('button', { name: 'Save and build the audience' }).click();
    await says(/^\s*\d+ people/);
    await page.getByRole('link', { name: 'Time and speed …' }).click();
    const year = new Date().getUTCFullYear() + 2;
    await page.getByLabel('Goes out at').fill(`${year}-05-04T09:00`);
    await page.getByLabel('Time zone').fill('America/New_York');
    await page.getByRole('button', { name: 'Save, and go on to sending' }).click();
    await page.getByRole('button', { name: /^Schedule for \d+ people$/ }).click();
    await says('The mailing is scheduled.');
    await says(`4 May ${year}, 13:00`);
    draft = new URL(page.url()).pathname;
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByRole('link', { name: /Send or schedule/ }).waitFor();
  });

  it('leads to the run in the Temporal UI', async () => {
    const { page } = here;
    await page.goto(at());
    await page.getByRole('link', { name: 'The send in the Temporal UI' }).click();
    await page
      .getByText(`mailing-${idIn(mailing)}-send`)
      .first()
      .waitFor();
  });

  // console-every-page.test.ts looks at each page there is; here, at those of a mailing that was really sent.
  it('can be read by everybody on what the send left: in light and dark, and on a phone', async () => {
    const { page } = here;
    const paths = {
      list: '../',
      one: '',
      preview: 'preview/',
      results: 'results/',
      audience: 'audience/',
      failed: 'recipients/failed/',
      absent: '../0/',
      'draft-choose': `${draft}choose/`,
    };
    for (const [which, path] of Object.entries(paths)) {
      await page.setViewportSize({ width: 1180, height: 800 });
      await page.goto(new URL(path, at()).href);
      await page.locator('[aria-busy]').waitFor({ state: 'detached' });
      assert.deepEqual(await findings(page), [], which);
      await picture(`light-${which}`);
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await findings(page, 'color-contrast'), [], `${which} in the dark`);
      await picture(`dark-${which}`);
      await page.emulateMedia({ colorScheme: 'light' });
      for (const width of [1180, 360]) {
        await page.setViewportSize({ width, height: 800 });
        const over = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        assert.equal(over, 0, `${which} scrolls sideways at ${width}`);
      }
    }
  });

  it('logs out, and has had no trouble with scripts or policies', async () => {
    const { page, troubles } = here;
    await page.setViewportSize({ width: 1180, height: 800 });
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    assert.deepEqual(
      // Of a page that is not there and a form that is refused, both on purpose.
      troubles.filter((text) => !/status of 40[04]/.test(text)),
      [],
    );
  });
});
