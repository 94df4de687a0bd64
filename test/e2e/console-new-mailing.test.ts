import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { findings } from '../support/axe.ts';
import { insertPeople } from '../support/people.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

describe('a new mailing, in a browser', () => {
  let api: TestApi;
  let here: Visit;
  let base: string;

  before(async function () {
    needsChromium(this);
    api = await startApi();
    base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    await insertPeople(api.pool, [{ id: 1, email: 'ada@example.org' }]);
    here = await visit();
    await here.page.goto(`${base}/console/mailings/new`);
    await here.logIn(ADMIN);
  });
  after(async () => {
    await here?.context.close();
    await api?.close();
  });

  const open = async () => {
    await here.page.goto(`${base}/console/mailings/new`);
    await here.page.locator('html.editing').waitFor();
  };
  const drafts = async () => (await api.pool.query('select id, html from core_mailing order by id')).rows as { id: number; html: string }[];
  const html = () => here.page.getByRole('textbox', { name: 'HTML' });
  const saved = () => here.page.getByText(/^Saved at /).waitFor();

  it('becomes a draft once it has a subject, and its page goes on as that of the draft', async () => {
    const { page, troubles } = here;
    await open();
    await html().fill('<p>walk</p>');
    await page.getByText('Not saved yet: it needs a subject.').waitFor();
    deepEqual(await drafts(), []);
    await page.getByLabel('Subject 1').fill('Walk');
    await saved();
    const [made] = await drafts();
    match(page.url(), new RegExp(`/console/mailings/${made!.id}/edit/$`));
    equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Walk');
    match(await page.title(), new RegExp(`^Edit – mailing ${made!.id} `));
    deepEqual(await findings(page), []);
    // Goes on: what is wrong, the preview, the links, the next save are those of the draft.
    await html().fill('<p>{{ user.first_nam }}</p>');
    await page.locator('.cm-lint-marker-error').waitFor();
    await page.getByText(/^Not saved: /).waitFor();
    await html().fill('<p>run</p>');
    await here.previews('run');
    await saved();
    deepEqual(await drafts(), [{ id: made!.id, html: '<p>run</p>' }]);
    await page.getByLabel('Subject 1').fill('Run');
    await page.getByRole('heading', { level: 1, name: 'Run' }).waitFor();
    await page.getByRole('button', { name: 'Save and ask its links' }).click();
    await page.getByText('There is no link that is the same for everybody').waitFor();
    await page.goBack();
    await page.reload();
    equal(await page.locator('textarea#html').inputValue(), '<p>run</p>');
    equal((await drafts()).length, 1);
    deepEqual(
      troubles.filter((text) => !/status of 400/.test(text)),
      [],
    );
  });

  it('is one where the button is pressed while the first save is under way, and twice', async () => {
    const { page } = here;
    const before = (await drafts()).length;
    await open();
    const held: (() => void)[] = [];
    await page.route('**/mailings/new', async (route, request) => {
      if (request.method() === 'POST') await new Promise<void>((go) => held.push(go));
      await route.continue();
    });
    await page.getByLabel('Subject 1').fill('Held');
    for (let waited = 0; held.length < 1; waited += 50) {
      ok(waited < 100_000, 'nothing is saved');
      await page.waitForTimeout(50);
    }
    await html().fill('<p>pressed</p>');
    await page.getByRole('button', { name: 'Save and choose the audience' }).dblclick();
    await page.getByText('Saving …').waitFor();
    held[0]!();
    await page.waitForURL('**/choose/');
    await page.unroute('**/mailings/new');
    const all = await drafts();
    deepEqual([all.length, all.at(-1)!.html, held.length], [before + 1, '<p>pressed</p>', 1]);
  });

  it('is one where the answer of its first save was lost, and nothing of it is', async () => {
    const { page } = here;
    const before = (await drafts()).length;
    await open();
    await page.route('**/mailings/new', async (route, request) => {
      if (request.method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByLabel('Subject 1').fill('Lost');
    await page.getByText('Not saved: the console cannot be reached.').waitFor();
    await page.unroute('**/mailings/new');
    equal((await drafts()).length, before + 1);
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    equal((await drafts()).length, before + 1);
  });

  it('is saved by its buttons without scripts', async () => {
    const { page } = here;
    const before = (await drafts()).length;
    const plain = await page
      .context()
      .browser()!
      .newContext({ javaScriptEnabled: false, storageState: await here.context.storageState() });
    const other = await plain.newPage();
    await other.goto(`${base}/console/mailings/new`);
    await other.getByLabel('Subject 1').fill('Plain');
    equal(await other.getByText('Before it is sent').isVisible(), false);
    await other.getByRole('button', { name: 'Save', exact: true }).last().click();
    await other.getByText('Saved.', { exact: true }).waitFor();
    equal((await drafts()).length, before + 1);
    await plain.close();
  });
});
