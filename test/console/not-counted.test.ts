import { deepEqual, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';
import { track } from '../support/tracking.ts';

describe('openings and clicks that are not counted, in the console', () => {
  const started: TestApi[] = [];
  after(async () => {
    for (const api of started) await api.close();
  });

  /** A mailing of two subjects that has ended. */
  async function ended(settings: Record<string, string>, tracking: object) {
    const api = await startApi(settings);
    started.push(api);
    const list = await api.create('list', { name: 'Everyone' });
    const person = await api.create('user', { email: 'ann@example.org' });
    await api.create('subscription', { user: person, list });
    const uri = await makeReady(api, { subjects: ['Silent', 'Quiet'], ...tracking });
    await setMailing(api, uri, { status: 'completed', started_at: new Date(), finished_at: new Date(), expected_send_count: 1 });
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    const read = async (url: string) => text((await visitor.get(url)).body);
    return {
      results: () => read(`/console/mailings/${idIn(uri)}/results/`),
      home: () => read('/console/'),
      async file() {
        const [head, line] = (await visitor.get(`/console/mailings/${idIn(uri)}/results/subjects.csv`)).body.trim().split('\r\n');
        const cells = line!.split(',');
        return Object.fromEntries(head!.split(',').map((name, n) => [name, cells[n]]));
      },
      opens: () => track(api.pool, { userId: idIn(person), mailingId: idIn(uri) }),
    };
  }

  it('are not said to be none', async () => {
    const { results, home, opens, file } = await ended({}, { track_opens: false });
    match(
      await results(),
      /Opened – not counted Clicked 0\.0% 0 people .*Nothing was opened or clicked yet\..*Silent 0 – 0\.0% 0\.0% .*All 0 – 0\.0%/,
    );
    match(await home(), /Silent \d[^%]* 0 – 0\.0% /);
    const { opens: some, total_raw_opens: all, clicks, total_clicks: times, actions } = await file();
    deepEqual([some, all, clicks, times, actions], ['', '', '0', '0', '0']);
    // Where some came they were counted, if not for everybody.
    await opens();
    match(await results(), /Opened 100\.0% 1 person Clicked 0\.0% 0 people/);
    match(await home(), /Silent \d[^%]* 0 100\.0% 0\.0% /);
  });

  it('are those of no mailing where none is tracked', async () => {
    const { results, home } = await ended({ TRACK_OPENS: 'false', TRACK_CLICKS: 'false' }, {});
    match(
      await results(),
      /Opened – not counted Clicked – not counted .*Opens and clicks over time .*Opens and clicks of it are not counted\./,
    );
    match(await home(), /Silent \d[^%]* 0 – – /);
  });
});
