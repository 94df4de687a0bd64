import { equal } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

describe('a form of the console that waits in a tab while somebody else logs in, in a browser', () => {
  let api: TestApi;
  let here: Visit;
  let base: string;
  const bob = { username: 'bob', password: 'long-enough' };

  before(async function () {
    needsChromium(this);
    api = await startApi();
    const ann = await api.create('user', { email: 'ann@example.org' });
    await api.create('subscription', { user: ann, list: await api.create('list', { name: 'News' }) });
    await api.create('authuser', { ...bob, is_staff: true, is_superuser: true });
    base = `${await api.app.listen({ port: 0, host: '127.0.0.1' })}/console/`;
    here = await visit();
    await here.page.goto(base);
    await here.logIn(ADMIN);
  });
  after(async () => {
    await here?.context.close();
    await api?.close();
  });

  const logInAs = async ({ username, password }: typeof bob) => {
    const other = await here.context.newPage();
    await other.goto(base);
    await other.getByRole('button', { name: 'Log out' }).click();
    await other.getByLabel('User name').fill(username);
    await other.getByLabel('Password').fill(password);
    await other.keyboard.press('Enter');
    await other.locator('.who').getByText(username, { exact: true }).waitFor();
    await other.close();
  };
  it('is not sent as theirs before that was said', async () => {
    const { page, says } = here;
    await page.goto(`${base}lists/`);
    await page.evaluate('performance.now = () => 3_600_000');
    await page.getByLabel('Name').fill('Walkers');
    await logInAs(bob);
    await page.getByRole('button', { name: 'Make the list' }).click();
    await says('Not sent: bob is logged in by now. To send it as bob, press once more.');
    equal((await api.read('/rest/v1/list/?name=Walkers')).meta.total_count, 0);
    equal(await page.locator('.who span').textContent(), 'bob');
    await page.getByRole('button', { name: 'Make the list' }).click();
    await says('The list is made.');
  });

  it('… nor does what is written in a mailing save itself so', async () => {
    const { page, says } = here;
    const mailing = await api.create('mailer', { subjects: ['Walk'], html: '<p>Hello</p>' });
    await page.goto(`${base}mailings/${idIn(mailing)}/edit/`);
    await logInAs(ADMIN);
    await here.write('HTML', '<p>With us</p>');
    await says('Not sent: admin is logged in by now. To send it as admin, press once more.');
    equal((await api.read(mailing)).html, '<p>Hello</p>');
    equal(await page.locator('.who span').textContent(), 'bob');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.who').getByText('admin', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await says('Saved.');
    equal((await api.read(mailing)).html, '<p>With us</p>');
  });

  it('… nor is an audience counted as theirs; as oneself, logged in anew, it is', async () => {
    const { page, says } = here;
    const mailing = await api.create('mailer', { subjects: ['Walk'], html: '<p>Hello</p>' });
    await page.goto(`${base}mailings/${idIn(mailing)}/choose/`);
    await says(/ of 1 who can be mailed at all would get it\./);
    await logInAs(ADMIN);
    await page.getByLabel('People', { exact: true }).fill('5');
    await says(/ of 1 who can be mailed at all would get it\./);
    const people = page.getByLabel(/^Search: .*people/i).first();
    await page.getByText('People by name').first().click();
    await logInAs(ADMIN);
    await people.fill('nobody');
    await says('Nothing of that name.');
    await logInAs(bob);
    await page.getByLabel('People', { exact: true }).fill('6');
    await says('Not counted: bob is logged in by now. To send it as bob, press once more.');
    equal(await page.locator('.who span').textContent(), 'admin');
  });

  it('… and what is shown and marked beside a mailing is asked for anew', async () => {
    const { page, says } = here;
    const mailing = await api.create('mailer', { subjects: ['Walk'], html: '<p>Hello</p>' });
    await page.goto(`${base}mailings/${idIn(mailing)}/edit/`);
    await here.previews('Hello');
    const cookies = await here.context.cookies();
    await here.context.clearCookies();
    await here.write('HTML', '<p>Walk {{ user.first_nam }}</p>');
    await says('Not saved: you are logged out. Log in in another tab, and go on here.');
    const shown = page.locator('.previewed iframe').last().contentFrame();
    equal(await shown.locator('body').innerText(), 'You are logged out: log in in another tab, and go on here.');
    await here.context.addCookies(cookies);
    await logInAs(bob);
    await page.getByLabel('Notes').fill('Anew');
    await says(/^Not saved: line 1/);
    await shown.getByText('a user has no “first_nam”').waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
  });
});
