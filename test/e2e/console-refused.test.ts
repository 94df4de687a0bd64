import { deepEqual, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { findings } from '../support/axe.ts';
import { idIn } from '../support/mailings.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

const FOCUSED = `(({ id, ariaInvalid, ariaDescribedByElements: words }) => [id, ariaInvalid, words.some((each) => each.querySelector('.wrong') ?? each.role === 'alert')])(document.activeElement)`;

describe('a form of the console that is refused, in a browser', () => {
  let api: TestApi;
  let here: Visit;
  let base: string;

  before(async function () {
    needsChromium(this);
    api = await startApi();
    base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    here = await visit();
    await here.page.goto(`${base}/console/`);
    await here.logIn(ADMIN);
  });
  after(async () => {
    await here?.context.close();
    await api?.close();
  });

  it('has the focus in the first field that something is wrong with, which says what', async () => {
    const { page } = here;
    await api.create('list', { name: 'Walkers' });
    const mailing = `mailings/${idIn(await api.create('mailer', { subjects: ['Walk'], html: '<p>Hello</p>' }))}`;
    const person = `people/${idIn(await api.create('user', { email: 'ann@example.org' }))}`;
    const cases: [path: string, fields: Record<string, string>, wrong: string, words: RegExp][] = [
      ['lists/', { name: 'Walkers' }, 'name', /There is a list of this name/],
      [`${mailing}/schedule/`, { zone: 'America/New_York', at: '2100-03-14T02:30' }, 'at', /shown by no clock there/],
      [`${mailing}/edit/`, { preview_text: '{{ user.nobody }}' }, 'preview-0', /nobody/],
      [`${person}/edit/`, { phone: 'none', email: 'none' }, 'email', /not an email address/],
      [`${person}/erase/`, { typed: 'bob@example.org' }, 'typed', /not their address/],
      [`${person}/merge/`, { who: 'bob@example.org' }, 'who', /./],
      [`${mailing}/preview/`, { who: 'bob@example.org' }, 'who', /no such person/],
      [`${person}/edit/`, { phone: 'none' }, 'phone-0', /not a phone number/],
    ];
    for (const [path, fields, wrong, words] of cases) {
      await page.goto(`${base}/console/${path}`);
      for (const [name, text] of Object.entries(fields)) await page.locator(`[name="${name}"]`).first().fill(text);
      await page
        .locator(`[name="${Object.keys(fields).at(-1)}"]`)
        .first()
        .press('Enter');
      await page.locator('.wrong, [role=alert]').getByText(words).first().waitFor();
      await page.locator('[autofocus]:focus').waitFor();
      deepEqual(await page.evaluate(FOCUSED), [wrong, 'true', true], path);
    }
  });

  it('has it in the group of boxes that something is wrong with, too', async () => {
    const { page } = here;
    const made = (name: string, path: string, more: object = {}) =>
      Promise.all([1, 2].map((n) => api.create(path, { name: `${name} ${n}`, ...more })));
    const [group] = await made('Editors', 'authgroup', { grants: [] });
    const account = await api.create('authuser', { username: 'ben', password: 'long-enough' });
    const [list] = await made('Swimmers', 'list');
    const mailing = await api.create('mailer', { subjects: ['Swim'], html: '<p>Hello</p>' });
    const cases: [path: string, box: string, gone: string, button: string, words: RegExp][] = [
      [`accounts/${idIn(account)}/`, 'Editors 1', group!, 'Save', /^Groups\s+It refers to nothing/],
      [`mailings/${idIn(mailing)}/choose/`, 'Swimmers 1', list!, 'Save and build the audience', /On any of these lists/],
    ];
    for (const [path, box, gone, button, words] of cases) {
      await page.goto(`${base}/console/${path}`);
      await page.getByLabel(box).first().check();
      await api.call('DELETE', gone);
      await page.getByRole('button', { name: button }).first().click();
      await page.locator('fieldset[autofocus]:focus').waitFor();
      const said = `(({ tagName, ariaDescribedByElements: words }) => [tagName, words.length, words.every((each) => each.querySelector('.wrong'))])(document.activeElement)`;
      deepEqual(await page.evaluate(said), ['FIELDSET', 1, true], path);
      match(await page.locator('fieldset:focus').innerText(), words);
      deepEqual(await findings(page), [], path);
    }
  });
});
