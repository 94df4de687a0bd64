import { deepEqual } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { insertPeople } from '../support/people.ts';
import { needsChromium, type Visit, visit } from '../support/visited-console.ts';

/** One word, as a browser breaks none of itself. */
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsversammlung';

describe('long names in the console, on a small phone', function () {
  this.timeout(60_000);
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
});
