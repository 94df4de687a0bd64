import { deepEqual } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

/** One word, as a browser breaks none of itself. */
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsversammlung';

/** Whether the last sign of what stands first in an element is to the left of its first one, as in what runs from right to left. */
const RUNS_LEFT = `(element) => {
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
  const left = (at) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().left;
  };
  return left(text.data.length - 1) < left(0);
}`;

describe('long names in the console, on a small phone', () => {
  let api: TestApi;
  let here: Visit;

  before(async function () {
    needsChromium(this);
    api = await startApi();
    await insertPeople(api.pool, [{ id: 1, email: `${'a'.repeat(60)}@${'b'.repeat(60)}.example.org` }]);
    await api.call('PATCH', '/rest/v1/user/1/', { first_name: LONG, last_name: 'محمد', city: LONG, fields: { [LONG]: LONG } });
    here = await visit();
  });
  after(async () => {
    await here?.context.close();
    await api?.close();
  });

  it('let no page of somebody scroll sideways', async () => {
    const base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    await here.page.setViewportSize({ width: 320, height: 640 });
    await here.page.goto(`${base}/console/`);
    await here.logIn(ADMIN);
    const wide: [string, number][] = [];
    for (const path of ['', 'edit/', 'merge/', 'erase/', 'changes/']) {
      await here.page.goto(`${base}/console/people/1/${path}`);
      wide.push([path, await here.sideways()]);
    }
    deepEqual(
      wide.filter(([, pixels]) => pixels > 0),
      [],
    );
  });

  it('run from right to left where their script does, to the sign at their end', async () => {
    const { page } = here;
    const list = await api.create('list', { name: 'قائمة الأخبار!' });
    const mailing = `mailings/${idIn(await api.create('mailer', { subjects: ['مرحبا بكم!', 'שלום!'], html: '<p>Hello</p>' }))}/`;
    const base = `${new URL(page.url()).origin}/console/`;
    for (const [path, selector] of [
      ['mailings/', '.what a'],
      [mailing, 'h1'],
      [`${mailing}results/`, 'tbody th'],
      [`lists/`, 'tbody td a'],
      [`lists/${idIn(list)}/`, 'h1'],
    ] as const) {
      await page.goto(base + path);
      await page.locator(selector).first().waitFor();
      deepEqual([path, await page.evaluate(`(${RUNS_LEFT})(document.querySelector('${selector}'))`)], [path, true]);
    }
  });
});
