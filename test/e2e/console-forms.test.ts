import { equal } from 'node:assert/strict';
import { needsChromium, type VisitedPlatform, visitPlatform } from '../support/visited-console.ts';

describe('forms of the console, in a browser', function () {
  this.timeout(120_000);
  let here: VisitedPlatform;
  let base: string;

  before(async function () {
    needsChromium(this);
    here = await visitPlatform();
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
});
