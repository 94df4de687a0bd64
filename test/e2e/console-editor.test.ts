import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { findings } from '../support/axe.ts';
import { startBrowser } from '../support/browser.ts';
import { idIn } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

const PICTURES = join(import.meta.dirname, '../../test-output/console');
const HTML =
  '<h1 class="big">Walk</h1>\n{# of the week #}\n<p>Dear {{ user.first_name|default:"friend" }},</p>\n{% if user.city %}here{% endif %}';

describe('the editor of a mailing, in a browser', function () {
  this.timeout(60_000);
  let api: TestApi;
  let here: Visit;
  let base: string;
  let uri: string;
  let html: Locator;

  before(async function () {
    needsChromium(this);
    mkdirSync(PICTURES, { recursive: true });
    api = await startApi();
    base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 1, email: 'ada@example.org', lists: [1] }]);
    await api.call('PATCH', '/rest/v1/user/1/', { first_name: 'Ada' });
    uri = await api.create('mailer', { subjects: ['Walk'], html: HTML });
    here = await visit();
    html = here.page.getByRole('textbox', { name: 'HTML' });
    await here.page.goto(`${base}/console/mailings/${idIn(uri)}/edit/`);
    await here.logIn(ADMIN);
    await here.page.locator('html.editing').waitFor();
  });
  after(async () => {
    await here?.context.close();
    await api?.close();
  });

  /** What is sent, and what the script of the form reads. */
  const field = () => here.page.locator('textarea#html').inputValue();
  const found = () => here.page.locator('#html-found');
  const focused = () => here.page.evaluate('document.activeElement.closest(".cm-editor")?.dataset.field ?? document.activeElement.id');

  it('colours the language of templates and the HTML around it', async () => {
    const { page, troubles } = here;
    equal(await page.locator('textarea#html').isVisible(), false);
    deepEqual(await page.locator('.tpl-filter').allInnerTexts(), ['|default']);
    deepEqual(await page.locator('.tpl-tag').allInnerTexts(), ['if', 'endif']);
    deepEqual(await page.locator('.tpl-text').allInnerTexts(), ['"friend"']);
    deepEqual(await page.locator('.tpl-note').allInnerTexts(), ['{# of the week #}']);
    ok((await page.locator('.cm-editor .tok-typeName').allInnerTexts()).includes('h1'));
    // By the policy of the page: its styles are there.
    equal(await page.evaluate('getComputedStyle(document.querySelector(".cm-editor .cm-content")).whiteSpaceCollapse'), 'break-spaces');
    deepEqual(await findings(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    deepEqual(await findings(page, 'color-contrast'), []);
    await page.screenshot({ path: join(PICTURES, 'dark-editor.png') });
    await page.emulateMedia({ colorScheme: 'light' });
    deepEqual(troubles, []);
  });

  it('is entered, written in and left with the keyboard alone', async () => {
    const { page } = here;
    await html.focus();
    const described = (await html.getAttribute('aria-describedby'))!.split(' ').map((id) => page.locator(`#${id}`).innerText());
    match((await Promise.all(described)).join(' '), /Escape, then Tab, leaves/);
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('<b>Ada</b>');
    equal(await field(), `${HTML}\n  <b>Ada</b>`);
    equal(await focused(), 'html');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    equal(await focused(), 'text');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+Tab');
    equal(await focused(), 'html');
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText(/^Saved at /).waitFor();
  });

  it('marks what the server finds wrong at its line and column, and what comes of it is saved by itself', async () => {
    const { page } = here;
    await html.fill('<p>one</p>\n<p>Dear {{ user.first_nam }}</p>');
    await page.locator('.cm-lint-marker-error').waitFor();
    equal((await page.locator('.cm-lintRange-error').allInnerTexts()).join(''), '{{ user.first_nam }}');
    match(await found().innerText(), /^line 2, column 9, .*a user has no “first_nam”/);
    equal(await html.getAttribute('aria-invalid'), 'true');
    await page.getByText(/^Not saved: /).waitFor();
    deepEqual(await findings(page), []);
    await page.screenshot({ path: join(PICTURES, 'editor-problem.png') });
    // With the keyboard: there, and what it is.
    await html.focus();
    await page.keyboard.press('F8');
    equal(await page.evaluate('getSelection().toString()'), '{{ user.first_nam }}');
    await page.keyboard.type('{{ user.first_name }}');
    await page.locator('.cm-lint-marker-error').waitFor({ state: 'hidden' });
    equal(await found().innerText(), '');
    equal(await html.getAttribute('aria-invalid'), 'false');
    await page.locator('.previewed iframe').first().contentFrame().frameLocator('iframe').getByText('Dear Ada').waitFor();
    for (let waited = 0; (await api.read(uri)).html !== '<p>one</p>\n<p>Dear {{ user.first_name }}</p>'; waited += 50) {
      ok(waited < 10_000, 'it is not saved');
      await page.waitForTimeout(50);
    }
  });

  it('takes what is picked at its cursor, also in the text version', async () => {
    const { page } = here;
    await html.fill('<p></p>');
    await page.keyboard.press('ControlOrMeta+Home');
    for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight');
    await page.getByText('What can stand in it').click();
    await page.getByRole('button', { name: '{{ user.city }}' }).click();
    equal(await field(), '<p>{{ user.city }}</p>');
    equal(await focused(), 'html');
    await page.getByRole('textbox', { name: 'Text version' }).focus();
    await page.getByRole('button', { name: '{{ user.zip }}' }).click();
    equal(await page.locator('textarea#text').inputValue(), '{{ user.zip }}');
  });

  it('tells of who was there meanwhile, and keeps what was written', async () => {
    const { page } = here;
    await page.getByText(/^Saved at /).waitFor();
    await api.call('PATCH', uri, { html: '<p>theirs</p>' });
    await html.fill('<p>ours</p>');
    await page.getByText(/^Not saved: Somebody else has changed this mailing/).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Somebody else has changed this mailing since you opened it.').waitFor();
    await page.locator('html.editing').waitFor();
    equal(await html.innerText(), '<p>ours</p>');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    equal((await api.read(uri)).html, '<p>ours</p>');
  });

  it('stands among times by the clocks of who looks, with UTC behind each', async () => {
    const { context } = here;
    const elsewhere = await (await startBrowser()).newContext({
      timezoneId: 'America/New_York',
      storageState: await context.storageState(),
    });
    const other = await elsewhere.newPage();
    await api.call('PATCH', uri, { scheduled_for: '2031-05-04T02:30:15' });
    await other.goto(`${base}/console/mailings/${idIn(uri)}/`);
    const time = other.locator('time', { hasText: '2031' });
    equal(await time.innerText(), '3 May 2031, 22:30');
    equal(await time.getAttribute('title'), '4 May 2031, 02:30:15 UTC');
    await other.getByText('Times are those of America/New_York').waitFor();
    // The page brings itself up to date with what the server says.
    await api.call('PATCH', uri, { scheduled_for: '2031-07-01T00:00:00' });
    await other.getByText('30 Jun 2031, 20:00').waitFor();
    await elsewhere.close();
  });

  it('fits a phone, and is a plain field without scripts', async () => {
    const { page, context } = here;
    await page.setViewportSize({ width: 360, height: 800 });
    await html.fill(`<p>${'x'.repeat(400)}</p>`);
    equal(await here.sideways(), 0);
    await page.getByText(/^Saved at /).waitFor();
    const plain = await (await startBrowser()).newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
    const other = await plain.newPage();
    await other.goto(page.url());
    await other.getByLabel('HTML').fill('<p>by hand</p>');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByText('Saved.', { exact: true }).waitFor();
    await plain.close();
    equal((await api.read(uri)).html, '<p>by hand</p>');
    deepEqual(
      // Of what was refused because somebody else was there.
      here.troubles.filter((text) => !/status of 40[09]/.test(text)),
      [],
    );
  });
});
