import { deepEqual, equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { READY } from '../support/mailings.ts';
import { sharedServers } from '../support/shared-servers.ts';
import { needsChromium, type VisitedPlatform, visitPlatform } from '../support/visited-console.ts';

describe('forms of the console, in a browser', () => {
  let here: VisitedPlatform;
  let base: string;

  before(async function () {
    needsChromium(this);
    here = await visitPlatform(await sharedServers());
    base = `${here.platform.baseUrl}/console/`;
    await here.page.goto(base);
    await here.logIn(here.login);
  });
  after(() => here?.close());

  it('are good for as long as the session, also after the console was opened by a link elsewhere', async () => {
    const { page, context } = here;
    await page.goto(`${base}lists/`);
    await page.getByLabel('Name').fill('Walkers');
    const chat = await context.newPage();
    await chat.setContent(`<a href="${base}people/">Look at this</a>`);
    await chat.getByRole('link', { name: 'Look at this' }).click();
    await chat.getByRole('heading', { name: 'People', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Make the list' }).click();
    await page
      .getByText(/The list is made|Not allowed/)
      .first()
      .waitFor();
    equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Walkers');
    await chat.close();
    equal((await here.api.read<{ objects: unknown[] }>('/rest/v1/list/?name=Walkers')).objects.length, 1);
  });

  it('leave whoever uses the keyboard where they are when what can be done with a mailing changes', async () => {
    const { page, api, says } = here;
    await api.write('POST', '/rest/v1/user/', { email: 'ann@example.org' });
    const news = await api.write('POST', '/rest/v1/list/', { name: 'News' });
    await api.write('POST', '/rest/v1/subscription/', { user: '/rest/v1/user/1/', list: news });
    const mailing = await api.write('POST', '/rest/v1/mailer/', {
      ...READY,
      includes: { lists: ['News'] },
      scheduled_for: '2100-01-01T00:00:00',
    });
    const at = `${base}mailings/${String(mailing).split('/').at(-2)}/`;
    await page.goto(at);
    await page.getByRole('button', { name: 'Build the audience' }).click();
    await says(/^Built/);
    await page.getByRole('button', { name: 'Make a copy' }).focus();
    await api.write('POST', `${mailing}queue/`, {});
    await page.getByRole('button', { name: 'Take it back' }).waitFor();
    const focused = () =>
      page.evaluate('document.activeElement.id || document.activeElement.dataset.region || document.activeElement.tagName');
    equal(await focused(), 'do-copy');
    await page.getByRole('button', { name: 'Take it back' }).focus();
    await api.write('POST', `${mailing}stop/`, {});
    await page.getByRole('link', { name: /Send or schedule/ }).waitFor();
    equal(await focused(), 'actions');
  });

  it('are sent once, though their button is pressed twice', async () => {
    const { page, says } = here;
    const posts: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && posts.push(request.url())));
    await page.route('**/console/lists/', async (route) => {
      await sleep(route.request().method() === 'POST' ? 1_000 : 0);
      await route.continue();
    });
    await page.goto(`${base}lists/`);
    await page.getByLabel('Name').fill('Runners');
    const press = `document.querySelector('form[action="/console/lists/"] button').click()`;
    await page.evaluate(`${press}; setTimeout(() => ${press}, 200); undefined`);
    await says(/The list is made|There is a list of this name already/);
    equal(posts.length, 1);
  });

  it('give the rows that are shown as a file in which texts stay what they are, and numbers are whole', async () => {
    const { page } = here;
    await page.goto(`${base}reports/sql/`);
    const statement = `select d as day, '3,5,7' as ids, '12,5' as share, '1,234' as code, 1234567 as many
      from (values ('2026-01-01'), ('2026-01-02')) days (d)`;
    await page.getByLabel('SQL').fill(statement);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('td', { hasText: '3,5,7' }).first().waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV of these rows' }).click()]);
    const rows = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    const row = (day: string) => `${day},"3,5,7","12,5","1,234",1234567`;
    deepEqual(rows, ['\uFEFFday,ids,share,code,many', row('2026-01-01'), row('2026-01-02')]);
  });

  it('keep an audience where Enter is pressed in the field of its name, and save nothing else', async () => {
    const { page, api, says } = here;
    const mailing = String(await api.write('POST', '/rest/v1/mailer/', { ...READY, includes: { states: ['NY'] } }));
    await page.goto(`${base}mailings/${mailing.split('/').at(-2)}/choose/`);
    await page.getByLabel('People', { exact: true }).fill('7');
    await page.getByText('Keep it, or begin with one').click();
    await page.getByLabel('Keep what is stored, as').fill('New Yorkers');
    await page.getByLabel('Keep what is stored, as').press('Enter');
    await says(/It is kept, among the models|being built/);
    const { limit, query_status } = await api.read<{ limit: number | null; query_status: string }>(mailing);
    deepEqual({ limit, query_status }, { limit: null, query_status: 'none' });
    await page.getByText('Keep it, or begin with one').click();
    await page.getByLabel('Take that of the model').selectOption({ label: (await page.locator('#take_from option').textContent())! });
    await page.getByRole('button', { name: 'Take it in place of this one' }).click();
    await says('This is its audience now');
    deepEqual((await api.read<{ includes: object }>(mailing)).includes, { states: ['NY'] });
  });

  it('keep what was typed where the login has ended meanwhile, and go on after another', async () => {
    const { page, context, says, api } = here;
    const hourPasses = () => page.evaluate('performance.now = () => 3_600_000');
    await page.goto(`${base}people/1/edit/`);
    await hourPasses();
    await page.getByLabel('First name').fill('Ann');
    await page.getByLabel('Street', { exact: true }).fill('A long way 12');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    await says('Not sent: you are logged out. Log in in another tab, and go on here.');
    equal(await page.getByLabel('Street', { exact: true }).inputValue(), 'A long way 12');
    const other = await context.newPage();
    await other.goto(base);
    await other.getByLabel('User name').fill(here.login.username);
    await other.getByLabel('Password').fill(here.login.password);
    await other.keyboard.press('Enter');
    await other.getByRole('button', { name: 'Log out' }).waitFor();
    await other.close();
    await page.getByRole('button', { name: 'Save' }).click();
    await says('Saved.');
    const { first_name, address1 } = await api.read<Record<string, string>>('/rest/v1/user/1/');
    deepEqual([first_name, address1], ['Ann', 'A long way 12']);

    await page.goto(`${base}lists/`);
    await hourPasses();
    await page.getByLabel('Name').fill('Swimmers');
    await page.route('**/console/lists/', (route) => route.abort());
    await page.getByRole('button', { name: 'Make the list' }).click();
    await says('Not sent: the console cannot be reached.');
    await page.unroute('**/console/lists/');
    await page.getByRole('button', { name: 'Make the list' }).click();
    await says('The list is made.');
  });

  it('… whatever form it is', async () => {
    const { page, context, says, api } = here;
    const mailing = String(await api.write('POST', '/rest/v1/mailer/', READY));
    const mailingAt = `${base}mailings/${mailing.split('/').at(-2)}/`;
    const cookies = await context.cookies();
    const lost = async (path: string, label: string, fill: () => Promise<void>, button: string) => {
      await context.addCookies(cookies);
      await page.goto(path);
      await page.evaluate('performance.now = () => 3_600_000');
      await fill();
      await context.clearCookies();
      await page.getByRole('button', { name: button, exact: true }).click();
      await says('Not sent: you are logged out. Log in in another tab, and go on here.');
      return page.getByLabel(label).inputValue();
    };
    await api.write('POST', `${mailing}rebuild/`, {});
    await page.goto(mailingAt);
    await says(/^Built/);
    const type = (label: string, words: string) => () => page.getByLabel(label).fill(words);
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('email\nann@example.org') };
    const reviewers = 'one@example.org, two@example.org';
    equal(await lost(`${mailingAt}preview/`, 'Reviewers', type('Reviewers', reviewers), 'Send proofs'), reviewers);
    // What keeps the page up to date finds nobody logged in, either.
    await says(/^You are logged out: log in in another tab, and go on here\. What stands here is of /);
    equal(await page.getByLabel('Reviewers').inputValue(), reviewers);
    deepEqual(
      [
        await lost(
          `${mailingAt}choose/`,
          'Keep what is stored, as',
          async () => {
            await page.getByText('Keep it, or begin with one').click();
            await page.getByLabel('Keep what is stored, as').fill('Walkers of New York');
          },
          'Keep it',
        ),
        await lost(`${base}imports/`, 'A CSV file', () => page.getByLabel('A CSV file').setInputFiles(file), 'Go on'),
        await lost(`${base}people/1/erase/`, 'Type their address', type('Type their address', 'ann@example.org'), 'Erase for good'),
      ],
      ['Walkers of New York', 'C:\\fakepath\\people.csv', 'ann@example.org'],
    );
    await context.addCookies(cookies);
  });

  it('… also on a page that is the answer to what was refused before', async () => {
    const { page, context, says, api } = here;
    const mailing = String(await api.write('POST', '/rest/v1/mailer/', READY));
    await page.goto(`${base}mailings/${mailing.split('/').at(-2)}/schedule/`);
    await page.getByLabel('By the clocks of').fill('Nowhere/Land');
    await page.getByRole('button', { name: 'Let it recur' }).click();
    await page
      .getByText(/time ?zone/i)
      .first()
      .waitFor();
    equal(new URL(page.url()).pathname.split('/').at(-1), 'recurring');
    await page.evaluate('performance.now = () => 3_600_000');
    await page.getByLabel('By the clocks of').fill('Europe/Berlin');
    const cookies = await context.cookies();
    await context.clearCookies();
    await page.getByRole('button', { name: 'Let it recur' }).click();
    await says('Not sent: you are logged out. Log in in another tab, and go on here.');
    equal(await page.getByLabel('By the clocks of').inputValue(), 'Europe/Berlin');
    await context.addCookies(cookies);
    await page.getByRole('button', { name: 'Let it recur' }).click();
    await says('It recurs from now on.');
  });

  it('lead to where something is wrong, with what was typed', async () => {
    const { page, says, api } = here;
    const mailing = String(await api.write('POST', '/rest/v1/mailer/', READY));
    await api.write('POST', `${mailing}rebuild/`, {});
    await page.goto(`${base}mailings/${mailing.split('/').at(-2)}/`);
    await says(/^Built/);
    await page.goto(`${base}mailings/${mailing.split('/').at(-2)}/preview/`);
    await page.getByLabel('Reviewers').fill('one@example.org\nnobody');
    await page.getByRole('button', { name: 'Send proofs' }).click();
    await says('“Reviewers” must hold email addresses.');
    equal(await page.locator(':focus').inputValue(), 'one@example.org\nnobody');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('one@example.org');
    await page.getByRole('button', { name: 'Send proofs' }).click();
    await says(/1 reviewer, /);
  });

  it('save what was written after a test mail of it was refused', async () => {
    const { page, write, says, api } = here;
    const mailing = String(await api.write('POST', '/rest/v1/mailer/', READY));
    await page.goto(`${base}mailings/${mailing.split('/').at(-2)}/edit/`);
    await write('HTML', '<p>{% if %}</p>');
    await page.getByRole('button', { name: 'Save and send me a test mail' }).click();
    await says('It was not saved.');
    await write('HTML', '<p>Mended</p>');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.waitForURL('**/edit/?saved=1');
    equal((await api.read<{ html: string }>(mailing)).html, '<p>Mended</p>');
  });
});
