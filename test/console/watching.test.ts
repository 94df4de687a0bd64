import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { LEDGER_STATE } from '../../domain/words.ts';
import type { SendProgress } from '../../workflows/contracts.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';
import { become, tally } from '../support/sending.ts';

describe('a send as its watchers see it', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let live: SendProgress | null = null;
  const at = (uri: string) => `/console/mailings/${idIn(uri)}/`;
  const seen = async (url: string) => {
    const answer = await visitor.get(url);
    equal(answer.statusCode, 200, text(answer.body));
    return text(answer.body);
  };

  before(async () => {
    api = await startApi();
    api.workflows.query = async () => live as never;
    const list = await api.create('list', { name: 'Everyone' });
    await api.create('signuppage', { name: 'join', list });
    for (const n of [1, 2, 3, 4]) await api.call('POST', '/rest/v1/action/', { page: 'join', email: `p${n}@example.org`, state: 'NY' });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  /** One that is being sent, by a run that began so many seconds ago, with so many accepted. */
  const sending = async (began: number, accepted: number, columns: Record<string, unknown> = {}) => {
    const uri = await makeReady(api);
    const id = idIn(uri);
    await setMailing(api, uri, { status: 'sending', started_at: new Date(Date.now() - 86_400_000), expected_send_count: 1000, ...columns });
    await api.pool.query(`insert into send_run (mailing_id, content, started_at) values ($1, '{}', now() - make_interval(secs => $2))`, [
      id,
      began,
    ]);
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, held_until) values ($1, 0, 1, 1000, 0, $2, now() + interval '1 h')`,
      [id, accepted],
    );
    return uri;
  };
  const shard = (uri: string, set: string) => api.pool.query(`update send_shard set ${set} where mailing_id = $1`, [idIn(uri)]);
  const working: SendProgress = { phase: 'sending', accepted: 0, pause: null };

  it('tells the rate of the last minute and the time left by it, not of the days before', async () => {
    live = working;
    const uri = await sending(20, 200);
    match(await seen(at(uri)), /\b(9\.\d|10) mails per second over the last minute, about (79|8\d) s left|about 1 min left/);
    const old = await sending(7200, 300);
    match(await seen(at(old)), /How fast it goes is being measured/);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await shard(old, 'accepted = 500');
    match(await seen(at(old)), /(1\d\d|200) mails per second over the last minute, about [2-5] s left/);
    match(JSON.stringify((await visitor.get(`${at(old)}live`)).json().regions.progress), /over the last minute/);
  });

  it('tells how fast it went on average, of little, too', async () => {
    const inAnHour = async (accepted: number) => {
      const ended = { status: 'completed', started_at: new Date(0), finished_at: new Date(3_600_000), expected_send_count: accepted };
      return seen(at(await sending(20, accepted, ended)));
    };
    match(await inAnHour(1440), /\b0\.4 mails per second on average/);
    match(await inAnHour(5040), /\b1\.4 mails per second on average/);
    match(await inAnHour(3600), /\b1 mail per second on average/);
    match(await inAnHour(45_000), /\b13 mails per second on average/);
  });

  it('tells whom a mailing is for in all, also once its audience was built anew for those who were left', async () => {
    const built = { status: 'stopped', expected_send_count: 3003, saved_count: 1841 };
    const uri = await sending(20, 1162, built);
    match(await seen(at(uri)), /Audience 3,003 people Built [^.]+: 1,841 people beside those it had dealt with\./);
    await setMailing(api, uri, { saved_count: 3003 });
    match(await seen(at(uri)), /Audience 3,003 people Built [^:]+:[^:]+\./);
    await setMailing(api, uri, { status: 'draft', started_at: null, expected_send_count: null, saved_count: 7 });
    match(await seen(at(uri)), /Audience 7 people Built /);
  });

  it('says that no worker answers instead of looking well', async () => {
    live = null;
    const uri = await sending(20, 200);
    const lease = api.env.SEND_LEASE_SECONDS;
    await shard(uri, `held_until = clock_timestamp() + make_interval(secs => ${lease - 12})`);
    match(await seen(at(uri)), /No worker answers for 1[23]\s*s/);
    api.workflows.isAway = true;
    match(await seen(at(uri)), /The workflow service does not answer for 1[234]\s*s/);
    api.workflows.isAway = false;
    // The workflow service may be away while somebody is at work.
    await shard(uri, `held_until = clock_timestamp() + make_interval(secs => ${lease})`);
    doesNotMatch(await seen(at(uri)), /No worker answers/);
    // Another worker may answer for the run while the one that holds its people hangs.
    live = working;
    await shard(uri, `held_until = clock_timestamp() - interval '3 s'`);
    match(await seen(at(uri)), new RegExp(`No worker answers for ${lease + 3}\\s*s`));
    await shard(uri, `held_until = clock_timestamp() + interval '1 h'`);
    doesNotMatch(await seen(at(uri)), /No worker answers/);
  });

  it('goes on saying that it is stopping until it has stopped, on every page about it', async () => {
    live = working;
    const uri = await sending(20, 200);
    await visitor.submit(at(uri), `${at(uri)}stop`);
    for (const page of ['', 'edit/', 'results/']) match(await seen(at(uri) + page), /Stopping/, page);
    match(await seen('/console/mailings/'), /Stopping/);
    doesNotMatch(await seen(at(uri)), /Stop now/);
    await setMailing(api, uri, { status: 'stopped', stop_requested: false });
    doesNotMatch(await seen(at(uri)), /Stopping/);
  });

  it('wears its pause as a badge, with the reason and the next try', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    live = { phase: 'paused', accepted: 0, pause: { reason: 'the relay is not taking mail: connect ECONNREFUSED', until } };
    const uri = await sending(20, 200);
    const page = await seen(at(uri));
    match(page, new RegExp(`Paused: the relay is not taking mail, next try \\d+ \\w+ \\d{4}, ${until.slice(11, 16)}`));
    match(page, /connect ECONNREFUSED/);
    doesNotMatch(page, /about \S+ \S+ left/);
    // As a time, which the script writes by the clocks of who looks.
    const { body } = await visitor.get(at(uri));
    match(
      body,
      new RegExp(`class="mark paused"><span>Paused: [^<]*<time datetime="${until.slice(0, 19)}Z" title="${until.slice(11, 19)} UTC">`),
    );
    const { said } = (await visitor.get(`${at(uri)}live`)).json();
    equal(said, 'Paused: the relay is not taking mail, 20 percent');
  });

  it('names the hours whole for which it rests', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    live = { phase: 'paused', accepted: 0, pause: { reason: 'outside the sending hours, 09:30-20:00 America/New_York', until } };
    match(await seen(at(await sending(20, 200))), /Paused: outside the sending hours, 09:30-20:00 America\/New_York, next try/);
  });

  const PAGES = ['', 'edit/', 'choose/', 'audience/', 'preview/', 'results/', 'recipients/uncertain/', 'schedule/', 'confirm/queue'];
  const paused = (): SendProgress => ({
    phase: 'paused',
    accepted: 0,
    pause: { reason: 'the relay is away', until: new Date(Date.now() + 3_600_000).toISOString() },
  });
  const head = async (url: string) => /class="title">(.*?)<\/div>/s.exec((await visitor.get(url)).body)![1]!;

  it('wears its condition on every page about it, and on every list', async () => {
    live = paused();
    const uri = await sending(20, 200);
    for (const page of PAGES) match(text(await head(at(uri) + page)), /Paused: the relay is away, next try/, page);
    for (const list of ['/console/', '/console/mailings/', '/console/mailings/?group=under-way'])
      match(await seen(list), /Paused: the relay is away, next try/, list);
    match((await visitor.get('/console/mailings/live')).json().said, /Hello: Paused: the relay is away, 20 percent/);
    live = null;
    await shard(uri, `held_until = clock_timestamp() - interval '3 s'`);
    for (const page of PAGES) match(text(await head(at(uri) + page)), /No worker answers for 1\d\s*s/, page);
    for (const list of ['/console/', '/console/mailings/']) match(await seen(list), /No worker answers for 1\d\s*s/, list);
    await setMailing(api, uri, { status: 'stopped' });
  });

  it('asks of nothing that no run is at work on', async () => {
    const asked: string[] = [];
    api.workflows.query = async (run) => {
      asked.push(run);
      return null;
    };
    const uri = await makeReady(api);
    for (const status of ['draft', 'scheduled', 'stopped', 'completed']) {
      await setMailing(api, uri, { status });
      await api.pool.query(`update core_mailing set status = 'stopped' where status = 'sending'`);
      for (const page of PAGES.slice(1)) await visitor.get(at(uri) + page);
      for (const list of ['/console/', '/console/mailings/']) await seen(list);
    }
    deepEqual(asked, []);
    api.workflows.query = async () => live as never;
  });

  it('waits little for runs that do not answer, and says meanwhile what is known', async () => {
    const never = await Promise.all([1, 2, 3, 4, 5].map(() => sending(20, 200)));
    const [uri, silent] = never as [string, string];
    await shard(silent, `held_until = clock_timestamp() - interval '3 s'`);
    live = paused();
    await head(at(uri));
    api.workflows.query = () => new Promise(() => {});
    try {
      const since = performance.now();
      match(text(await head(`${at(uri)}results/`)), /Paused: the relay is away/);
      match(text(await head(`${at(silent)}results/`)), /No worker answers for 1\d\s*s/);
      match(text(await head(`${at(never[2]!)}results/`)), /Sending/);
      match(await seen('/console/mailings/'), /No worker answers for 1\d\s*s.*Paused: the relay is away/);
      match(await seen('/console/'), /No worker answers for 1\d\s*s.*Paused: the relay is away/);
      // Five pages, which look at the same five runs; each of these would be waited for as long as a request may take.
      ok(performance.now() - since < 10_000, `${performance.now() - since} ms`);
    } finally {
      api.workflows.query = async () => live as never;
      await api.pool.query(`update core_mailing set status = 'stopped' where status = 'sending'`);
    }
  });

  it('has those of whom nobody knows as a task, and is not done beside them', async () => {
    const uri = await makeReady(api);
    await become(
      api.pool,
      idIn(uri),
      [1, 2, 3, 4].map((position) => ({ position, state: position > 2 ? LEDGER_STATE.uncertain : LEDGER_STATE.accepted, detail: 'gone' })),
    );
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, uncertain) values ($1, 0, 1, 4, 4, true, 2, 2)`,
      [idIn(uri)],
    );
    await tally(api.pool, idIn(uri));
    await setMailing(api, uri, { status: 'completed', started_at: new Date(), finished_at: new Date(), expected_send_count: 4 });
    const page = await seen(at(uri));
    match(page, /Sent, not settled/);
    match(page, /50%/);
    match(page, /2 people to settle/);
    doesNotMatch(page, /100%|nothing is left/);
    match(await seen('/console/mailings/?group=sent'), /Sent, not settled.*2 uncertain/);
    for (const tab of ['edit/', 'results/', 'recipients/uncertain/', 'confirm/uncertain-accept'])
      match(text(await head(at(uri) + tab)), /Sent, not settled/, tab);
    await visitor.submit(`${at(uri)}confirm/uncertain-accept`, `${at(uri)}confirm/uncertain-accept`);
    match(await seen(at(uri)), /100%.*nothing is left to do/);
  });
});
