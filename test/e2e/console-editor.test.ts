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

describe('the editor of a mailing, in a browser', () => {
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
  const stored = async (text: string) => {
    for (let waited = 0; (await api.read(uri)).html !== text; waited += 50) {
      ok(waited < 100_000, 'it is not saved');
      await here.page.waitForTimeout(50);
    }
  };
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
    await here.previews('Dear Ada');
    await stored('<p>one</p>\n<p>Dear {{ user.first_name }}</p>');
  });

  it('marks what was hidden by what is wrong with another field, once that is mended', async () => {
    const { page } = here;
    const from = page.getByLabel('From');
    const before = await from.inputValue();
    await from.fill('nobody');
    await html.fill('<p>Dear {{ user.first_nam }}</p>');
    await page.getByText(/^Not saved: “nobody”/).waitFor();
    equal(await page.locator('.cm-lint-marker-error').count(), 0);
    await from.fill(before);
    await page.getByLabel('Notes').focus();
    await page.locator('.cm-lint-marker-error').waitFor();
    match(await found().innerText(), /a user has no “first_nam”/);
    await html.fill(HTML);
    await page.locator('.cm-lint-marker-error').waitFor({ state: 'hidden' });
    await stored(HTML);
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

  /** What comes in a save by itself is let through one by one. */
  const heldSaves = async () => {
    const held: (() => Promise<void>)[] = [];
    await here.page.route('**/edit/', async (route, request) => {
      if (!request.postData()?.includes('autosave=1')) return route.continue();
      await new Promise<void>((go) => {
        held.push(async () => go());
      });
      await route.continue();
    });
    return {
      held,
      async next(many: number) {
        for (let waited = 0; held.length < many; waited += 50) {
          ok(waited < 100_000, `there were ${held.length} saves`);
          await here.page.waitForTimeout(50);
        }
      },
    };
  };

  it('saves one at a time, with what is written meanwhile after it', async () => {
    const { page } = here;
    const { held, next } = await heldSaves();
    await html.fill('<p>first</p>');
    await next(1);
    await html.fill('<p>second</p>');
    await page.waitForTimeout(4000);
    equal(held.length, 1);
    await held[0]!();
    await next(2);
    equal((await api.read(uri)).html, '<p>first</p>');
    await held[1]!();
    await page.getByText(/^Saved at /).waitFor();
    await stored('<p>second</p>');
    // Nothing is lost without a word that was written after a save began and before it ended.
    await html.fill('<p>third</p>');
    await next(3);
    await html.fill('<p>fourth</p>');
    const [answer] = await Promise.all([page.waitForResponse((each) => each.url().endsWith('/edit/')), held[2]!()]);
    equal(answer.status(), 200);
    const asked = page.waitForEvent('dialog');
    const left = page.goto(base).catch(() => null);
    await (await asked).dismiss();
    await left;
    await next(4);
    await held[3]!();
    await stored('<p>fourth</p>');
    await page.unroute('**/edit/');
  });

  it('waits for the save under way before the button saves, or asks the links', async () => {
    const { page } = here;
    for (const [button, then, text] of [
      ['Save', 'Saved.', 'pressed'],
      ['Save and ask its links', 'There is no link that is the same for everybody', 'asked'],
    ] as const) {
      await page.goto(`${base}/console/mailings/${idIn(uri)}/edit/`);
      await page.locator('html.editing').waitFor();
      const { held, next } = await heldSaves();
      await html.fill(`<p>before ${text}</p>`);
      await next(1);
      await html.fill(`<p>${text}</p>`);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByText('Saving …').waitFor();
      await held[0]!();
      await page.getByText(then, { exact: true }).waitFor();
      equal((await api.read(uri)).html, `<p>${text}</p>`);
      await page.unroute('**/edit/');
    }
  });

  it('previews a subject as soon as there is one', async () => {
    const { page } = here;
    await page.goto(`${base}/console/mailings/${idIn(uri)}/edit/`);
    await page.locator('html.editing').waitFor();
    const picker = page.getByLabel('Subject', { exact: true });
    deepEqual(await picker.locator('option').allInnerTexts(), ['1']);
    await page.getByLabel('Subject 2').fill('Run');
    deepEqual(await picker.locator('option').allInnerTexts(), ['1', '2']);
    await picker.selectOption('2');
    const shown = page.locator('.previewed iframe').last().contentFrame();
    await shown.getByText('Run').waitFor();
    // What was typed before may be saved already, and be on the page as that: a save still to come would be in the way of whoever writes next.
    const saved = page.waitForResponse((answer) => {
      const sent = answer.request().postData() ?? '';
      return sent.includes('autosave=1') && !sent.includes('=Run');
    });
    await page.getByLabel('Subject 2').fill('');
    deepEqual([await picker.locator('option').allInnerTexts(), await picker.inputValue()], [['1'], '0']);
    equal((await saved).status(), 200);
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
    // When it was saved, too.
    const writing = await elsewhere.newPage();
    await writing.goto(`${base}/console/mailings/${idIn(uri)}/edit/`);
    await writing.getByLabel('Notes').fill('from afar');
    const saved = writing.locator('#autosaved time');
    await saved.waitFor();
    const moment = new Date((await saved.getAttribute('datetime'))!);
    const there = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23', timeZone: 'America/New_York' }).format(moment);
    deepEqual([await saved.innerText(), await saved.getAttribute('title')], [there, `${moment.toISOString().slice(11, 19)} UTC`]);
    await other.getByText('Times are those of America/New_York').waitFor();
    // Who has set no time yet means their own clocks.
    const free = await api.create('mailer', { subjects: ['Later'], html: HTML });
    await writing.goto(`${base}/console/mailings/${idIn(free)}/schedule/`);
    equal(await writing.getByLabel('Time zone').inputValue(), 'America/New_York');
    equal(await writing.getByLabel('By the clocks of').inputValue(), 'America/New_York');
    // The page brings itself up to date with what the server says.
    await api.call('PATCH', uri, { scheduled_for: '2031-07-01T00:00:00' });
    await other.getByText('30 Jun 2031, 20:00').waitFor();
    await elsewhere.close();
  });

  it('loses nothing where the login ends meanwhile: who logs in elsewhere goes on', async () => {
    const { page, context } = here;
    const own = await api.create('mailer', { subjects: ['Long in the writing'], html: HTML });
    const edit = `${base}/console/mailings/${idIn(own)}/edit/`;
    await page.goto(edit);
    await api.pool.query('delete from auth_consolesession');
    await page.getByLabel('Notes').fill('written after it');
    const loggedOut = page.getByText('Not saved: you are logged out.');
    await loggedOut.waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await loggedOut.waitFor();
    equal(page.url(), edit);
    const other = await context.newPage();
    await other.goto(`${base}/console/login`);
    await other.getByLabel('User name').fill(ADMIN.username);
    await other.getByLabel('Password').fill(ADMIN.password);
    await other.keyboard.press('Enter');
    await other.getByRole('button', { name: 'Log out' }).waitFor();
    await other.close();
    await page.getByLabel('Notes').fill('written after it, and more');
    await page.getByText(/^Saved at /).waitFor();
    equal((await api.read(own)).notes, 'written after it, and more');
    await page.getByLabel('Notes').fill('by the button');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    equal((await api.read(own)).notes, 'by the button');
  });

  it('says so on a page that keeps itself up to date when nothing is heard any more', async () => {
    const { page } = here;
    await page.goto(`${base}/console/mailings/${idIn(uri)}/`);
    await page.route('**/live*', (route) => route.abort());
    const note = page.getByText(/^The console has not answered since .*: what stands here is of then\.$/);
    await note.waitFor();
    await page.unroute('**/live*');
    await note.waitFor({ state: 'hidden' });
    await page.goto(`${base}/console/mailings/${idIn(uri)}/edit/`);
    await page.locator('html.editing').waitFor();
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
      // Of what was refused because somebody else was there, or nobody was logged in, and of what was held up.
      here.troubles.filter((text) => !/status of 40[0139]|ERR_FAILED|^Framing /.test(text)),
      [],
    );
  });
});
