import { deepEqual } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
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
});
