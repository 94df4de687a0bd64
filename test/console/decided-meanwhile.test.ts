import { deepEqual, equal, match } from 'node:assert/strict';
import { LEDGER_STATE } from '../../domain/words.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs, text } from '../support/console-visitor.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';
import { become, tally } from '../support/sending.ts';

describe('what is decided in two tabs of the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let other: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    const list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list });
    for (const n of [1, 2, 3]) await api.call('POST', '/rest/v1/action/', { page: 'join', email: `ann${n}@example.org` });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    other = await enterAs(api, 'other', ['mailer:read', 'mailer:send', 'mailer:write']);
  });
  after(() => api.close());

  const hiddenOf = async (url: string, who = visitor) =>
    Object.fromEntries(
      [...(await who.get(url)).body.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    );
  const outcome = ({ statusCode, headers }: { statusCode: number; headers: Record<string, unknown> }) => [statusCode, headers['location']];
  const at = (uri: string) => `/console/mailings/${idIn(uri)}/`;

  /** As its run ends it. */
  const ended = (uri: string, status: string) =>
    setMailing(api, uri, { status, stop_requested: false, started_at: new Date(), finished_at: new Date(), expected_send_count: 3 });

  it('sends a mailing once, and leads to it, also where its button is pressed again after it has gone out', async () => {
    const uri = await makeReady(api);
    const confirm = `${at(uri)}confirm/queue`;
    const sent = await hiddenOf(confirm);
    equal((await visitor.post(confirm, sent)).statusCode, 303);
    const starts = api.workflows.starts.length;
    await ended(uri, 'completed');
    const again = await visitor.post(confirm, sent);
    deepEqual(outcome(again), [303, `${at(uri)}?done=queued`], text(again.body));
    equal(api.workflows.starts.length, starts);
    equal((await api.read(uri)).status, 'completed');
  });

  it('sends nothing that was taken back, or stopped, since it was asked', async () => {
    const uri = await makeReady(api, { scheduled_for: '2100-01-01T00:00:00' });
    const confirm = `${at(uri)}confirm/queue`;
    const [sent, opened] = [await hiddenOf(confirm), await hiddenOf(confirm, other)];
    equal((await visitor.post(confirm, sent)).statusCode, 303);
    equal((await other.post(`${at(uri)}stop`, { _csrf: opened['_csrf']! })).statusCode, 303);
    await setMailing(api, uri, { status: 'draft', stop_requested: false });
    for (const [who, form] of [
      [visitor, sent],
      [other, opened],
    ] as const) {
      const late = await who.post(confirm, form);
      equal(late.statusCode, 400);
      match(text(late.body), /It was sent or scheduled, and stopped, since you looked at it: look at it again/);
      equal((await api.read(uri)).status, 'draft');
    }
    const resumable = await makeReady(api);
    await ended(resumable, 'stopped');
    await setMailing(api, resumable, { queued_at: new Date(0) });
    const resume = `${at(resumable)}confirm/queue`;
    const left = await hiddenOf(resume, other);
    equal((await visitor.post(resume, await hiddenOf(resume))).statusCode, 303);
    await ended(resumable, 'stopped');
    match(text((await other.post(resume, left)).body), /It was sent or scheduled, and stopped, since you looked at it/);
    equal((await other.post(resume, await hiddenOf(resume, other))).statusCode, 303);
  });

  /** Sent to three: one got it, of two nobody knows. */
  const unsettled = async () => {
    const uri = await makeReady(api);
    const states = ['accepted', 'uncertain', 'uncertain'] as const;
    await become(
      api.pool,
      idIn(uri),
      states.map((state, index) => ({ position: index + 1, state: LEDGER_STATE[state] })),
    );
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, uncertain) values ($1, 0, 1, 3, 3, true, 1, 2)`,
      [idIn(uri)],
    );
    await tally(api.pool, idIn(uri));
    await ended(uri, 'completed');
    return uri;
  };

  it('settles the uncertain once, and says of another choice that they are settled already', async () => {
    for (const [first, second] of [
      ['accept', 'resend'],
      ['resend', 'accept'],
    ] as const) {
      const uri = await unsettled();
      const form = (choice: string) => `${at(uri)}confirm/uncertain-${choice}`;
      const sent = await hiddenOf(form(first));
      const opened = await hiddenOf(form(second), other);
      const led = [303, `${at(uri)}?done=${first}`];
      const presses = [1, 2].map(() => visitor.post(form(first), sent));
      for (const answer of [...(await Promise.all(presses)), await visitor.post(form(first), sent)]) deepEqual(outcome(answer), led);
      const { status, progress } = await api.read(uri);
      const late = await other.post(form(second), opened);
      deepEqual([late.statusCode, /settled already: look at them again/.test(text(late.body))], [400, true], text(late.body));
      const now = await api.read(uri);
      deepEqual([now.status, now.progress], [status, progress]);
      // It goes on meanwhile.
      if (first === 'resend') await setMailing(api, uri, { status: 'sending' });
      deepEqual(outcome(await visitor.post(form(first), sent)), led);
      // Of those since, whom the page does not know, nothing is said to be done.
      await api.pool.query('update send_shard set uncertain = 1 where mailing_id = $1', [idIn(uri)]);
      await tally(api.pool, idIn(uri));
      match(text((await visitor.post(form(first), sent)).body), /There are others than those you were asked about/);
    }
  });
});
