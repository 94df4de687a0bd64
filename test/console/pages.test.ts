import assert from 'node:assert/strict';
import { LEDGER_STATE } from '../../domain/words.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs, text } from '../support/console-visitor.ts';
import { buildSet, idIn, makeReady, setMailing } from '../support/mailings.ts';
import { become, tally } from '../support/sending.ts';
import { track } from '../support/tracking.ts';

describe('the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let list: string;
  const people: string[] = [];
  const at = (uri: string) => `/console/mailings/${idIn(uri)}/`;
  const status = async (uri: string) => (await api.read(uri)).status;

  before(async () => {
    api = await startApi({ TEMPORAL_UI_URL: 'http://temporal.test' });
    list = await api.create('list', { name: 'Everyone <&> all' });
    await api.create('signuppage', { name: 'join', list });
    for (const [first_name, state] of [
      ['Ada', 'NY'],
      ['Ben', 'CA'],
      ['<i>Cy</i>', 'NY'],
    ]) {
      const email = `person${people.length + 1}@example.org`;
      const answer = await api.call('POST', '/rest/v1/action/', { page: 'join', email, first_name, state });
      people.push(answer.json().user);
    }
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const read = async (url: string) => {
    const answer = await visitor.get(url);
    assert.equal(answer.statusCode, 200, `${url}: ${answer.statusCode} ${text(answer.body)}`);
    return answer;
  };
  const seen = async (url: string) => text((await read(url)).body);
  /** What a page's form sends along. */
  const hiddenOf = async (url: string) =>
    Object.fromEntries(
      [...(await read(url)).body.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    );

  /** A mailing that was sent to all three, as the ledger says. */
  const sent = async (states: (keyof typeof LEDGER_STATE)[], columns: Record<string, unknown> = {}, times: string[] = []) => {
    const uri = await makeReady(api);
    const id = idIn(uri);
    await become(
      api.pool,
      id,
      states.map((state, index) => ({
        position: index + 1,
        state: LEDGER_STATE[state],
        detail: state === 'accepted' ? null : `because ${state}`,
        at: times[index] ?? new Date(),
      })),
    );
    const many = (state: string) => states.filter((each) => each === state).length;
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, failed, skipped, uncertain) values ($1, 0, 1, 3, 3, true, $2, $3, $4, $5)`,
      [id, many('accepted'), many('failed'), many('skipped'), many('uncertain')],
    );
    await tally(api.pool, id);
    await setMailing(api, uri, {
      status: 'completed',
      started_at: new Date(),
      finished_at: new Date(),
      expected_send_count: 3,
      ...columns,
    });
    return uri;
  };

  it('lists mailings by where they stand, and finds them by words', async () => {
    const draft = await api.create('mailer', { subjects: ['About <script>alert(1)</script> dams'], html: 'x', notes: 'first try' });
    const stopped = await sent(['accepted', 'uncertain', 'pending'], { status: 'stopped' });
    const { body } = await read('/console/mailings/');
    assert.match(body, /About &lt;script&gt;alert\(1\)&lt;\/script&gt; dams/);
    assert.match(text(body), /Stopped or died.*33% · 1 of 3 1 uncertain.*Drafts.*About/);
    assert.match(await seen('/console/mailings/?group=halted'), /Stopped or died/);
    assert.doesNotMatch(await seen('/console/mailings/?group=halted'), /dams/);
    for (const words of ['DAMS', 'First', String(idIn(draft))]) assert.match(await seen(`/console/mailings/?q=${words}`), /dams/);
    assert.match(await seen('/console/mailings/?q=%25'), /No mailing here/);
    const live = (await read('/console/mailings/live')).json();
    assert.match(live.regions.list, new RegExp(`/console/mailings/${idIn(stopped)}/`));
    assert.equal(live.busy, false);
    for (const odd of ['?group=toString', '?group=a&group=b', '?page=0', '?page=99999999999', '?q=%00', '?q=a&q=b'])
      await read(`/console/mailings/${odd}`);
  });

  it('says whom a mailing is for, in words', async () => {
    const uri = await makeReady(api, {
      includes: { lists: [list], states: ['NY', 'CA'] },
      excludes: { users: [people[1]] },
      limit: 100,
      sort_by: 'random',
    });
    const page = await seen(at(uri));
    assert.match(page, /2 people/);
    assert.match(
      page,
      /Everybody subscribed who is on the list Everyone &lt;&amp;&gt; all lives in the state NY or CA but nobody who is one person named/,
    );
    assert.match(page, /At most 100 people of them, picked at random/);
    assert.match(await seen(`${at(uri)}audience/`), /counted now Counting … Count Each line alone/);
    for (const counted of ['audience/?counted=1', 'audience/counts'])
      assert.match(
        await seen(`${at(uri)}${counted}`),
        /who can be mailed at all 3 100\.0%.*who lives in the state NY or CA 3 .*left out by that 1 .*at most 100 2 66\.7%/,
      );
    await api.call('PATCH', uri, { includes: { has_donated: true } });
    assert.match(await seen(at(uri)), /2 people.*Targeting changed since: build it again.*has donated/);
  });

  it('builds the audience, as the API does', async () => {
    const uri = await api.create('mailer', { subjects: ['x'], html: 'x' });
    const answer = await visitor.submit(at(uri), `${at(uri)}rebuild`);
    assert.equal(answer.headers.location, `${at(uri)}?done=rebuilding`);
    assert.equal((await api.read(uri)).query_status, 'queued');
    assert.equal(api.workflows.starts.at(-1)?.workflow, 'rebuildTargets');
    assert.equal((await read(`${at(uri)}live`)).json().busy, true);
  });

  it('says what was just done for as long as it is so', async () => {
    const uri = await api.create('mailer', { subjects: ['x'], html: 'x' });
    await visitor.submit(at(uri), `${at(uri)}rebuild`);
    const said = async () => (await read(`${at(uri)}live?done=rebuilding`)).json().regions.done;
    assert.match(await seen(`${at(uri)}?done=rebuilding`), /The audience is being built\./);
    assert.match(await said(), /The audience is being built\./);
    await buildSet(api, uri);
    assert.equal(await said(), '');
    assert.doesNotMatch(await seen(`${at(uri)}?done=rebuilding`), /is being built\./);
    for (const nothing of ['nonsense', 'constructor']) assert.equal((await read(`${at(uri)}?done=${nothing}`)).statusCode, 200);
  });

  it('links to the run of a send only when there was one', async () => {
    const uri = await makeReady(api);
    assert.doesNotMatch(await seen(at(uri)), /The send in the Temporal UI/);
    await visitor.submit(`${at(uri)}confirm/queue`, `${at(uri)}confirm/queue`);
    assert.match(await seen(at(uri)), /The send in the Temporal UI/);
  });

  it('sends only after a confirmation that shows the number, and only to that audience', async () => {
    const uri = await makeReady(api);
    const confirm = `${at(uri)}confirm/queue`;
    assert.match(await seen(confirm), /Send this mailing\? 3 people.*Subject Hello From &quot;Ann&quot;.*Send to 3 people/);
    assert.equal(await status(uri), 'draft');

    const stale = visitor.copy();
    const hidden = await hiddenOf(confirm);
    await api.call('PATCH', uri, { includes: { states: ['NY'] } });
    await buildSet(api, uri);
    const refused = await stale.post(confirm, hidden);
    assert.equal(refused.statusCode, 400);
    assert.match(text(refused.body), /audience has changed since you looked at it/);
    assert.equal(await status(uri), 'draft');

    const answer = await visitor.submit(confirm, confirm);
    assert.equal(answer.headers.location, `${at(uri)}?done=queued`);
    assert.equal(await status(uri), 'queued');
    assert.equal(api.workflows.starts.at(-1)?.workflow, 'sendMailing');
    const { queued_by } = await api.read(uri);
    assert.match(queued_by, /authuser/);
  });

  it('sends nothing at another time, or with other words, than the confirmation showed', async () => {
    const uri = await makeReady(api, { scheduled_for: '2100-01-01T00:00:00' });
    const confirm = `${at(uri)}confirm/queue`;
    const refused = async (change: Record<string, unknown>, why: RegExp) => {
      const stale = visitor.copy();
      const hidden = await hiddenOf(confirm);
      assert.equal((await api.call('PATCH', uri, change)).statusCode, 202);
      const answer = await stale.post(confirm, hidden);
      assert.equal(answer.statusCode, 400);
      assert.match(text(answer.body), why);
      assert.equal(await status(uri), 'draft');
    };
    await refused({ scheduled_for: null }, /would begin at another time than you were told/);
    await refused({ scheduled_for: '2100-01-02T00:00:00' }, /would begin at another time/);
    await refused({ html: '<p>Other words</p>' }, /content has changed since you looked at it/);
    assert.equal((await visitor.submit(confirm, confirm)).statusCode, 303);
    assert.equal(await status(uri), 'scheduled');
  });

  it('schedules, and takes it back', async () => {
    const uri = await makeReady(api, { scheduled_for: '2100-01-01T00:00:00' });
    assert.match(await seen(`${at(uri)}confirm/queue`), /Begins 1 Jan 2100, 00:00.*Schedule for 3 people/);
    const answer = await visitor.submit(`${at(uri)}confirm/queue`, `${at(uri)}confirm/queue`);
    assert.equal(answer.headers.location, `${at(uri)}?done=scheduled`);
    await visitor.submit(at(uri), `${at(uri)}stop`);
    assert.equal(api.workflows.signals.at(-1)?.message, 'stop');
  });

  it('says what is in the way instead of offering to send', async () => {
    const uri = await api.create('mailer', { subjects: ['x'], html: '' });
    const page = await seen(`${at(uri)}confirm/queue`);
    assert.match(page, /The HTML is missing\. A from line is missing\. The audience is not built yet: build it, or have that done/);
    assert.match(await seen(`${at(uri)}preview/`), /The audience is not built as it is chosen now: build it first\./);
    assert.doesNotMatch(page, /Send to/);
  });

  it('shows the number that is left when it resumes, and of the uncertain, who are not among them', async () => {
    const uri = await sent(['accepted', 'uncertain', 'pending'], { status: 'stopped' });
    assert.match(await seen(at(uri)), /Resume: 1 left/);
    assert.match(
      await seen(`${at(uri)}confirm/queue`),
      /1 person of 3 still waiting 1 person uncertain: they are not mailed again.*Send to the 1 person left/,
    );
    await setMailing(api, uri, { rebuild_query_at_send: true });
    assert.match(await seen(`${at(uri)}confirm/queue`), /The audience is built anew right before sending/);
  });

  it('lists who is uncertain, failed and skipped, and settles them as the API does', async () => {
    const uri = await sent(['uncertain', 'failed', 'skipped']);
    for (const state of ['uncertain', 'failed', 'skipped']) {
      assert.match(
        await seen(`${at(uri)}recipients/${state}/`),
        new RegExp(`1 person ${state}.*person\\d@example.org \\d+ because ${state}`),
      );
    }
    assert.match(await seen(`${at(uri)}recipients/failed/?page=9`), /Page 9 of 1/);
    const accept = `${at(uri)}confirm/uncertain-accept`;
    assert.match(await seen(accept), /Take the uncertain for accepted\? 1 person/);
    await visitor.submit(accept, accept);
    assert.match(await seen(`${at(uri)}recipients/uncertain/`), /0 people uncertain.*Nobody/);
    assert.equal((await api.read(`${uri}results/`)).totals.recipients, 1);
    const retry = `${at(uri)}confirm/failed-resend`;
    await visitor.submit(retry, retry);
    assert.equal(await status(uri), 'stopped');
    assert.match(await seen(at(uri)), /Resume: 1 left/);
  });

  it('settles, and goes on to, nobody but those that were asked about', async () => {
    const uri = await sent(['accepted', 'uncertain', 'failed']);
    const id = idIn(uri);
    const accept = `${at(uri)}confirm/uncertain-accept`;
    const hidden = async (url: string) =>
      Object.fromEntries(
        [...(await read(url)).body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, n, v]) => [n, v]),
      );
    const stale = await hidden(accept);
    // Of another send since: one person is uncertain, and it is not who was.
    await api.pool.query(`update core_mailing set queued_at = now() where id = $1`, [id]);
    const refused = await visitor.post(accept, stale);
    assert.equal(refused.statusCode, 400);
    assert.match(text(refused.body), /There are others than those you were asked about: look at them again/);
    assert.match(await seen(`${at(uri)}recipients/uncertain/`), /1 person uncertain/);
    await visitor.submit(accept, accept);
    assert.match(await seen(`${at(uri)}recipients/uncertain/`), /0 people uncertain/);

    const retry = `${at(uri)}confirm/failed-resend`;
    await visitor.submit(retry, retry);
    const confirm = `${at(uri)}confirm/queue`;
    const one = await hidden(confirm);
    await api.pool.query('update core_mailing set expected_send_count = 4 where id = $1', [id]);
    const again = await visitor.post(confirm, one);
    assert.equal(again.statusCode, 400);
    assert.match(text(again.body), /Others are left than there were when you looked at it/);
    assert.equal(await status(uri), 'stopped');
    assert.equal((await visitor.post(confirm, await hidden(confirm))).statusCode, 303);
  });

  it('shows the mail as one person gets it, in a frame that can do nothing', async () => {
    const html = '<p>Dear {{ user.first_name|capfirst }}, see <a href="https://example.org/">us</a></p><script>alert(1)</script>';
    const uri = await makeReady(api, { html, subjects: ['One', 'Two {{ user.state }}'] });
    const first = await read(`${at(uri)}preview/`);
    assert.match(first.body, /<iframe sandbox src="\/console\/mailings\/\d+\/mail\?n=1"/);
    assert.match(await seen(`${at(uri)}preview/?n=2`), /No\. 2 in the audience/);
    const mail = await read(`${at(uri)}mail?n=1`);
    assert.match(mail.body, /Dear Ada/);
    assert.match(String(mail.headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'self'.*sandbox/);
    assert.doesNotMatch(mail.body, /akid=\d+\.\d+\.[\w-]{6}\b/, 'its links name nobody');
    const found = await visitor.submit(`${at(uri)}preview/`, `${at(uri)}preview/find`, { who: 'PERSON3@example.org' });
    assert.equal(found.headers.location, `${at(uri)}preview/?user=${idIn(people[2]!)}`);
    assert.match((await read(`${at(uri)}mail?user=${idIn(people[2]!)}`)).body, /Dear &lt;i&gt;Cy/);
    const nobody = await visitor.submit(`${at(uri)}preview/`, `${at(uri)}preview/find`, { who: 'no\0body' });
    assert.match(await seen(String(nobody.headers.location)), /There is no such person/);
    const { query } = api.pool;
    api.pool.query = ((given: string, ...more: unknown[]) =>
      /from core_user where/.test(given)
        ? Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
        : (query as (...asked: unknown[]) => unknown).call(api.pool, given, ...more)) as typeof query;
    try {
      const away = await visitor.submit(`${at(uri)}preview/`, `${at(uri)}preview/find`, { who: 'PERSON3@example.org' });
      assert.equal(away.statusCode, 503, 'that the database is away says nothing of who there is');
    } finally {
      api.pool.query = query;
    }
    const { rows } = await api.pool.query('select count(*)::int as n from core_open');
    assert.equal(rows[0].n, 0);
  });

  it('goes through the audience to its end, and says that it is the end', async () => {
    const uri = await makeReady(api);
    const preview = `${at(uri)}preview/`;
    assert.match(await seen(`${preview}?n=2`), /Before No\. 2 in the audience Next/);
    const last = await seen(`${preview}?n=3`);
    assert.match(last, /Before No\. 3 in the audience/);
    assert.doesNotMatch(last, /Next/);
    assert.match(await seen(`${preview}?n=4`), /So many are not in the audience\. Show the first/);
    assert.match(await seen(`${preview}?user=999999`), /There is no such person/);
    const empty = await api.create('mailer', { subjects: ['x'], html: 'x' });
    assert.match(await seen(`${at(empty)}preview/?n=4`), /The audience is empty or not built yet/);
  });

  it('says why somebody would be skipped', async () => {
    const uri = await makeReady(api, { html: '{{ user.city|required }}' });
    const page = await seen(`${at(uri)}preview/`);
    assert.match(page, /person1@example\.org : This person would be skipped: user\.city is missing/);
  });

  it('sends proofs, as the API does', async () => {
    const uri = await makeReady(api);
    const send = (fields: Record<string, string>) => visitor.submit(`${at(uri)}preview/`, `${at(uri)}proofs`, { date: '', ...fields });
    const answer = await send({ proofs: '2', reviewers: 'a@example.org, b@example.org' });
    assert.equal(answer.headers.location, `${at(uri)}preview/#proofs`);
    const { rows } = await api.pool.query('select reviewers, proofs from core_mailingproof where mailing_id = $1', [idIn(uri)]);
    assert.deepEqual(rows, [{ reviewers: ['a@example.org', 'b@example.org'], proofs: 2 }]);
    assert.match(await seen(`${at(uri)}preview/`), /2 reviewers, being sent/);
    const wrongs: Record<string, string>[] = [
      { proofs: '0', reviewers: 'a@example.org' },
      { proofs: 'x', reviewers: 'a@example.org' },
      { proofs: '1', reviewers: 'nobody' },
      { proofs: '1', reviewers: '', date: '2020-02-31' },
    ];
    for (const wrong of wrongs) {
      assert.equal((await send(wrong)).statusCode, 400);
    }
  });

  it('offers proofs to the own address of who may send, where it is one', async () => {
    const uri = await makeReady(api);
    const group = await api.create('authgroup', { name: 'provers', grants: ['mailer:read', 'mailer:send'] });
    const field = /<textarea id="reviewers"[^>]*>\n([^<]*)<\/textarea>/;
    for (const [username, email, offered] of [
      ['pam', 'pam@example.org', 'pam@example.org'],
      ['pat', 'nobody, <pat>', ''],
      ['pip', '', ''],
    ] as const) {
      await api.create('authuser', { username, email, password: 'long-enough', is_staff: true, groups: [group] });
      const who = new ConsoleVisitor(api.app);
      await who.logIn({ username, password: 'long-enough' });
      assert.equal(field.exec((await who.get(`${at(uri)}preview/`)).body)![1], offered);
    }
  });

  it('has the results in numbers and as points of charts', async () => {
    const uri = await sent(['accepted', 'accepted', 'failed']);
    for (const machine of [true, false]) await track(api.pool, { userId: idIn(people[0]!), mailingId: idIn(uri), machine });
    assert.match(await seen(`${at(uri)}results/`), /Accepted 2 by the relay.*Not accepted 1 1 failed, 0 skipped.*By subject.*Hello 2/);
    const { sends, opens } = (await read(`${at(uri)}charts`)).json();
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    assert.equal(sum(sends.series[0].values), 2);
    assert.deepEqual(
      opens.series.map(({ values }: { values: number[] }) => sum(values)),
      [1, 0],
    );
    const { times } = sends;
    assert.equal(new Set(times.slice(1).map((time: number, index: number) => time - times[index])).size, 1, 'even steps');
  });

  it('says in a sentence that there is nothing to draw yet, with and without scripts', async () => {
    const draft = await makeReady(api);
    const { body } = await read(`${at(draft)}results/`);
    assert.match(
      text(body),
      /Mails over time .*No mail was accepted yet\. .*Opens and clicks over time .*Nothing was opened or clicked yet\./,
    );
    assert.doesNotMatch(body, /class="plot"|data-chart=|<noscript>/);
    const drawn = (await read(`${at(await sent(['accepted', 'accepted', 'failed']))}results/`)).body;
    assert.match(drawn, /data-chart="sends".*<noscript>.*It takes JavaScript to draw this\./s);
    assert.doesNotMatch(drawn, /data-chart="opens"|No mail was accepted yet/);
    assert.match(drawn, /Nothing was opened or clicked yet\./);
  });

  it('counts each moment into the step it falls into', async () => {
    const uri = await sent(
      ['accepted', 'accepted', 'accepted'],
      { started_at: '2026-03-01T10:00:00Z', finished_at: '2026-03-01T13:00:00Z' },
      ['10:01:59', '10:02:00', '12:59:59'].map((at) => `2026-03-01T${at}Z`),
    );
    const id = idIn(uri);
    for (const day of ['02', '03', '30'])
      await track(api.pool, { userId: idIn(people[0]!), mailingId: id, at: new Date(`2026-03-${day}T00:00:00Z`) });
    const charts = (await read(`${at(uri)}charts`)).json();
    const points = ({ times, series }: { times: number[]; series: { values: number[] }[] }) =>
      times.flatMap((time, index) => (series[0]!.values[index] ? [[new Date(time * 1000).toISOString(), series[0]!.values[index]]] : []));
    assert.deepEqual(points(charts.sends), [
      ['2026-03-01T10:00:00.000Z', 1],
      ['2026-03-01T10:02:00.000Z', 1],
      ['2026-03-01T12:58:00.000Z', 1],
    ]);
    assert.equal(charts.sends.series[0].label, 'Accepted per 2 minutes');
    assert.deepEqual(points(charts.opens), [
      ['2026-03-02T00:00:00.000Z', 1],
      ['2026-03-03T00:00:00.000Z', 1],
      ['2026-03-30T00:00:00.000Z', 1],
    ]);
  });

  it('names the speed in the same words everywhere', async () => {
    const uri = await makeReady(api, { mails_per_second: null });
    const words = 'as fast as the workers and the relay allow';
    assert.match(await seen(at(uri)), new RegExp(`Speed ${words}`));
    assert.match(await seen(`${at(uri)}confirm/queue`), new RegExp(`Speed ${words}`));
    assert.match((await api.call('GET', '/rest/v1/openapi.json')).body, new RegExp(words));
    await setMailing(api, uri, { mails_per_second: 2 });
    assert.match(await seen(at(uri)), /Speed 2 mails per second/);
    assert.match(await seen(`${at(uri)}confirm/queue`), /Speed 2 mails per second: 2 s in all/);
    for (const rate of [0.04, 0.25, 1.75, 12.345]) {
      await setMailing(api, uri, { mails_per_second: rate });
      for (const page of ['', 'confirm/queue'])
        assert.match(await seen(at(uri) + page), new RegExp(`Speed ${String(rate).replace('.', '\\.')} mails per second`));
    }
  });

  it('says of a mailing under way whose targeting was changed to whom and how fast it goes, and offers no build', async () => {
    const uri = await makeReady(api, { mails_per_second: 2 });
    const saved = (await api.read(uri)).targeting_version_saved;
    await api.pool.query(`insert into send_run (mailing_id, content, rate, accepted_before) values ($1, '{}', 2, 0)`, [idIn(uri)]);
    await setMailing(api, uri, { status: 'sending', started_at: new Date(), expected_send_count: 3 });
    const changed = /The targeting or the speed was changed after the audience was built, here or in a mailing that it names: /;
    assert.doesNotMatch(await seen(at(uri)), changed);
    assert.equal((await api.call('PATCH', uri, { limit: 1, mails_per_second: 9 })).statusCode, 202);
    for (const [status, words] of [
      ['sending', 'the mail goes to the audience as it was built'],
      ['completed', 'the mail went to the audience as it was built'],
      ['queued', 'it will not be sent'],
    ]) {
      await setMailing(api, uri, { status });
      const page = await seen(at(uri));
      assert.match(page, new RegExp(changed.source + words));
      assert.doesNotMatch(page, /build it again|Build the audience/i);
      assert.match(page, status === 'sending' ? /Speed 2 mails per second/ : /Speed 9 mails per second/);
    }
    await setMailing(api, uri, { rebuild_query_at_send: true, started_at: null });
    assert.doesNotMatch(await seen(at(uri)), /will not be sent|build it again/);
    assert.match(await seen('/console/mailings/?group=under-way'), /targeting changed since/);
    assert.doesNotMatch(await seen(`${at(uri)}confirm/queue`), /build it anew/);
    assert.equal((await api.read(uri)).targeting_version_saved, saved);
  });

  it('says that a radius has nothing it is around, and offers to send to nobody', async () => {
    const uri = await makeReady(api, { rebuild_query_at_send: true });
    assert.equal((await api.call('PATCH', uri, { includes: { zip_radius: 5 } })).statusCode, 202);
    assert.match(
      await seen(at(uri)),
      /Everybody subscribed to at least one list\. Who gets it: “Miles around the zips or cities” says nothing without zips\./,
    );
    const page = await read(`${at(uri)}confirm/queue`);
    assert.match(text(page.body), /“Miles around the zips or cities” says nothing without zips/);
    assert.doesNotMatch(page.body, /name="saved_count"/);
  });

  it('does not change the audience or speed of a mailing that was queued since its form was opened', async () => {
    const uri = await makeReady(api);
    const form = await read(`${at(uri)}choose/`);
    const time = await read(`${at(uri)}schedule/`);
    const hidden = (page: typeof form, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.body)![1]!;
    await setMailing(api, uri, { status: 'queued' });
    const chosen = await visitor.post(`${at(uri)}choose/`, {
      _csrf: visitor.token(form),
      targeting_version: hidden(form, 'targeting_version'),
      limit: '1',
    });
    assert.equal(chosen.statusCode, 400);
    assert.match(text(chosen.body), /The audience cannot be changed while the mailing is queued/);
    const timed = await visitor.post(`${at(uri)}schedule/`, { _csrf: visitor.token(time), version: hidden(time, 'version'), rate: '7' });
    assert.equal(timed.statusCode, 400);
    assert.match(text(timed.body), /Its time and speed cannot be changed any more/);
    const { limit, mails_per_second, query_status } = await api.read(uri);
    assert.deepEqual([limit, mails_per_second, query_status], [null, null, 'saved']);
  });

  it('offers only what the account may do, and does no more', async () => {
    const uri = await makeReady(api);
    const looker = await enterAs(api, 'looker', ['mailer:read']);
    const page = await looker.get(at(uri));
    assert.match(text(page.body), /Nothing you can do here now/);
    assert.match(text((await looker.get(`${at(uri)}preview/`)).body), /needs the grant user:read/);
    assert.equal((await looker.get(`${at(uri)}mail?n=1`)).statusCode, 403);
    assert.equal((await looker.get(`${at(uri)}confirm/queue`)).statusCode, 403);
    const _csrf = looker.token(page);
    for (const action of ['stop', 'rebuild', 'proofs', 'confirm/queue', 'confirm/failed-resend', 'preview/find']) {
      assert.equal((await looker.post(`${at(uri)}${action}`, { _csrf })).statusCode, 403, action);
    }
    const failed = await sent(['failed', 'failed', 'failed']);
    const rows = text((await looker.get(`${at(failed)}recipients/failed/`)).body);
    assert.doesNotMatch(rows, /@example\.org|Try them again/);
  });

  it('answers with a page whatever is wrong', async () => {
    for (const url of [
      '/console/mailings/999999/',
      '/console/mailings/0/',
      '/console/mailings/99999999999/results/',
      '/console/nothing',
      '/console/mailings/x/live',
      '/console/people/%ff/',
      '/console/people/1%/?x=%ff',
    ]) {
      const answer = await visitor.get(url);
      assert.equal(answer.statusCode, 404, url);
      assert.match(answer.body, /Not found/);
    }
    const uri = await sent(['accepted', 'accepted', 'accepted']);
    const { body } = await visitor.get('/console/');
    const refused = await visitor.post(`${at(uri)}stop`, { _csrf: visitor.token({ body } as never) });
    assert.equal(refused.statusCode, 400);
    assert.match(text(refused.body), /there is nothing to stop/);
  });
});
