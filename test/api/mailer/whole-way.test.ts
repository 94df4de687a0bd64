import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporalWorkflows } from '../../../api/plugins/workflows.ts';
import { MOMENTS_MS } from '../../../core/mailings/stop-mailing.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { type SmtpSink, startSmtpSink } from '../../../embedded/smtp-sink.ts';
import { workflowId } from '../../../workflows/contracts.ts';
import { basic, startApi, type TestApi } from '../../support/api.ts';
import { idIn, READY } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';
import { createNamespace, type TestNamespace } from '../../support/temporal.ts';
import { runWorker } from '../../support/worker.ts';

const PEOPLE = 300;

describe('a mailing from draft to inbox, over HTTP alone', () => {
  let place: TestNamespace;
  let api: TestApi;
  let sink: SmtpSink;
  let settings: Record<string, string>;

  before(async () => {
    place = await createNamespace();
    sink = await startSmtpSink({ keep: 1000 });
    api = await startApi({}, undefined, temporalWorkflows(place.client));
    await ensureReportRole(api.pool, api.env);
    await api.create('list', { name: 'News' });
    await insertPeople(
      api.pool,
      Array.from({ length: PEOPLE }, (_, index) => ({
        id: index + 1,
        email: `p${index + 1}@example.org`,
        state: index % 3 ? 'NY' : 'CA',
        lists: [1],
      })),
    );
    settings = { DATABASE_URL: api.databaseUrl, SMTP_URL: sink.url, SMTP_CONNECTIONS: '4', SEND_LEASE_SECONDS: '3', SEND_SHARD_SIZE: '70' };
    await runWorker(place, settings);
  });
  after(async () => {
    await api?.close();
    await sink?.close();
  });
  beforeEach(() => sink.reset());

  async function post(url: string, body?: unknown, code = 201): Promise<string> {
    const answer = await api.call('POST', url, body);
    assert.equal(answer.statusCode, code, answer.body);
    return String(answer.headers.location).slice(api.env.BASE_URL.length);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  async function watch(url: string, done: (document: any) => boolean = ({ finished }) => finished): Promise<any> {
    for (let waited = 0; waited < 200_000; waited += 100) {
      const document = await api.read(url);
      if (done(document)) return document;
      await sleep(100);
    }
    throw new Error(`${url} never got there: ${JSON.stringify(await api.read(url))}`);
  }

  /** Reads the results over and over: at every moment what became of people adds up to all of them, by subject and in all, and nobody is taken back. */
  function watchResults(uri: string) {
    let going = true;
    let polls = 0;
    // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
    let last: any;
    const watching = (async () => {
      for (; going; polls++) {
        const before = last?.totals.recipients ?? 0;
        last = await api.read(`${uri}results/`);
        const { totals, subjects } = last;
        for (const { targeted, pending, recipients, failed, skipped, uncertain } of [totals, ...subjects]) {
          assert.equal(pending + recipients + failed + skipped + uncertain, targeted, JSON.stringify(last));
        }
        assert.ok(totals.recipients >= before && totals.targeted >= PEOPLE - 1, JSON.stringify(totals));
        await sleep(20);
      }
    })();
    watching.catch(() => {});
    return {
      end: async () => {
        await sleep(100);
        going = false;
        await watching;
        last = await api.read(`${uri}results/`);
        return { polls, last };
      },
    };
  }

  const rebuild = async (uri: string) => watch(await post(`${uri}rebuild/`));

  it('shows no members in proofs to an account that may not read users', async () => {
    await api.pool.query(`insert into core_alloweduserfield (name) values ('shirt')`);
    await api.pool.query(`insert into core_userfield (parent_id, name, value) select id, 'shirt', 'SECRET' from core_user`);
    const group = await api.create('authgroup', { name: 'senders', grants: ['mailer:read', 'mailer:write', 'mailer:send'] });
    await api.create('authuser', { username: 'sender', password: 'sender-password', email: 'P5@example.org', groups: [group] });
    const sender = { authorization: basic({ username: 'sender', password: 'sender-password' }) };
    const html = '<p>{{ user.email }} {{ user.first_name }} {{ user.state }} {{ user.fields.shirt }} {{ user.location.us_district }}</p>';
    // Whoever made the mailing may have named people: that gives the sender nothing.
    const uri = await api.create('mailer', { ...READY, html, proof_users: ['/rest/v1/user/1/'], includes: { states: ['CA'] } });
    await rebuild(uri);
    const ask = (body: object) => api.call('POST', `${uri}proofs/`, { reviewers: ['boss@example.org'], ...body }, sender);
    const shown = async (body: object) => {
      sink.reset();
      const answer = await ask(body);
      assert.equal(answer.statusCode, 201, answer.body);
      const done = await watch(String(answer.headers.location).slice(api.env.BASE_URL.length));
      assert.deepEqual([done.success, done.errors], [true, []]);
      return sink.inbox.list('boss@example.org').map(({ content }) => content.toString());
    };
    const mails = await shown({ proofs: 2 });
    assert.equal(mails.length, 2);
    for (const mail of mails) {
      assert.match(mail, /sample\d@example\.org/);
      assert.match(mail, /\[shirt\]/);
      assert.doesNotMatch(mail, /\bp\d+@example\.org|SECRET/);
    }
    for (const own of ['p5@example.org', '/rest/v1/user/5/', 5]) {
      const [mine] = await shown({ proofs: 1, proof_users: [own] });
      assert.match(mine!, /p5@example\.org/);
    }
    for (const other of ['p1@example.org', '/rest/v1/user/1/', 1, 'nobody@example.org', 999_999]) {
      const refused = await ask({ proofs: 1, proof_users: [5, other] });
      assert.equal(refused.statusCode, 403, 'known or not, the answer is the same');
      assert.match(refused.body, /user:read/);
    }
    sink.reset();
    const reader = await watch(await post(`${uri}proofs/`, { proofs: 1, reviewers: ['boss@example.org'] }));
    assert.equal(reader.success, true);
    assert.match(String(sink.inbox.list('boss@example.org')[0]!.content), /p1@example\.org/, 'who may read users sees those named');

    // Queueing shows no more: the final proof goes to whomever the sender names as a reviewer.
    const final = async (headers: Record<string, string>) => {
      sink.reset();
      const mailing = await api.create('mailer', { ...READY, html, reviewers: ['/rest/v1/user/2/'], includes: { states: ['CA'] } });
      await rebuild(mailing);
      assert.equal((await api.call('POST', `${mailing}queue/`, undefined, headers)).statusCode, 201);
      for (let turn = 0; turn < 3000; turn++) {
        const [mail] = sink.inbox.list('p2@example.org').map(({ content }) => content.toString());
        if (mail) return mail;
        await sleep(100);
      }
      throw new Error('no final proof came');
    };
    assert.doesNotMatch(await final(sender), /SECRET/);
    assert.match(await final({}), /SECRET/);
    sink.reset();

    // Nor can the sender have those of somebody who reads users: neither as a reviewer, nor as whoever had the last ones, nor as the submitter.
    const own = await api.create('mailer', { ...READY, html, includes: { states: ['CA'] } });
    await rebuild(own);
    assert.equal((await api.call('PATCH', own, { reviewers: ['/rest/v1/user/5/'] }, sender)).statusCode, 403);
    const shownTo = async (address: string) => {
      sink.reset();
      assert.equal((await watch(await post(`${own}proofs/`, { proofs: 1 }))).success, true);
      return String(sink.inbox.list(address)[0]?.content);
    };
    const submitter = `/rest/v1/authuser/${(await api.pool.query("select id from auth_user where username = 'sender'")).rows[0].id}/`;
    assert.equal((await api.call('PATCH', own, { submitter }, sender)).statusCode, 202);
    assert.doesNotMatch(await shownTo('p5@example.org'), /SECRET/);
    await api.call('PATCH', own, { reviewers: ['/rest/v1/user/2/'] });
    await watch(
      String((await api.call('POST', `${own}proofs/`, { proofs: 1, reviewers: ['thief@example.org'] }, sender)).headers.location).slice(
        api.env.BASE_URL.length,
      ),
    );
    assert.match(await shownTo('p2@example.org'), /SECRET/);
    assert.equal(sink.inbox.list('thief@example.org').length, 0);
    sink.reset();
  });

  it('tells an account that may not read users about nobody: known or not, the answer is the same', async () => {
    const group = await api.create('authgroup', { name: 'writers', grants: ['mailer:read', 'mailer:write'] });
    await api.create('authuser', { username: 'writer', password: 'writer-password', groups: [group] });
    const writer = { authorization: basic({ username: 'writer', password: 'writer-password' }) };
    const uri = await api.create('mailer', { ...READY, reviewers: [1], proof_users: [2], includes: { users: ['/rest/v1/user/3/'] } });
    const email = (await api.pool.query('select email from core_user where id = 4')).rows[0].email;
    for (const member of [4, '/rest/v1/user/4/', email, 999_999, 'nobody@example.org']) {
      const bodies = [{ proof_users: [2, member] }, { includes: { users: [member] } }, { excludes: { users: [member] } }];
      if (member !== email && member !== 'nobody@example.org') bodies.push({ reviewers: [1, member] } as never);
      for (const body of bodies) {
        const patched = await api.call('PATCH', uri, body, writer);
        const made = await api.call('POST', '/rest/v1/mailer/', { ...READY, ...body }, writer);
        const low = await api.call('POST', '/rest/v1/mailing/', { ...READY, ...body }, writer);
        for (const answer of [patched, made, low]) assert.equal(answer.statusCode, 403, `${JSON.stringify(body)} ${answer.body}`);
        assert.match(patched.body, /user:read/);
      }
    }
    // Whoever sends back what was read changes nothing, and may take away.
    const { reviewers, proof_users, includes } = await api.read(uri);
    const again = await api.call('PATCH', uri, { reviewers, proof_users, includes, notes: 'seen' }, writer);
    assert.equal(again.statusCode, 202, again.body);
    assert.equal((await api.call('PATCH', uri, { reviewers: [], includes: { users: [] } }, writer)).statusCode, 202);
  });

  it('is targeted, proofed, sent, and its numbers agree with the relay', async () => {
    const uri = await api.create('mailer', { ...READY, includes: { states: ['CA'] } });
    const built = await rebuild(uri);
    assert.deepEqual([built.success, built.results, built.errors], [true, 100, []]);
    const proofs = await watch(await post(`${uri}proofs/`, { proofs: 2, reviewers: ['boss@example.org'] }));
    assert.deepEqual([proofs.success, proofs.sent], [true, 2]);
    assert.equal(sink.inbox.list('boss@example.org').length, 2);
    sink.reset();

    const progress = await watch(await post(`${uri}queue/`));
    assert.deepEqual([progress.status, progress.progress, progress.expected_send_count, progress.failed], ['completed', 100, 100, 0]);
    assert.equal(sink.counts().received, 100);
    assert.deepEqual(await api.read(`${uri}status/`), { status: 'completed', error: null, count: 100 });
    const { totals } = await api.read(`${uri}results/`);
    assert.deepEqual([totals.recipients, totals.failed, totals.skipped, totals.uncertain], [100, 0, 0, 0]);

    const others = await api.create('mailer', { ...READY, excludes: { mailings: [uri] } });
    assert.equal((await rebuild(others)).results, 200);
    const again = await api.create('mailer', {
      ...READY,
      includes: { mailings: [uri], states: ['CA', 'NY'] },
      limit: 30,
      sort_by: 'random',
    });
    assert.equal((await rebuild(again)).results, 30);
  });

  it('is stopped in the middle, changed, and goes on with exactly those who were not mailed', async () => {
    const uri = await api.create('mailer', { ...READY, subjects: ['A', 'B', 'C'], mails_per_second: 20 });
    await rebuild(uri);
    const results = watchResults(uri);
    const at = await post(`${uri}queue/`);
    const sending = await watch(at, ({ progress, phase }) => progress > 20 && phase !== null);
    assert.deepEqual([sending.finished, sending.status, sending.phase], [false, 'sending', 'sending']);
    await post(`${uri}stop/`, undefined, 202);
    const stopped = await watch(at);
    assert.deepEqual([stopped.status, stopped.uncertain], ['stopped', 0]);
    assert.ok(stopped.progress < PEOPLE);
    assert.equal(stopped.progress, sink.counts().received);

    // Whose mail had which subject is known by how many there are.
    const fewer = await api.call('PATCH', uri, { subjects: ['A', 'B'] });
    assert.deepEqual([fewer.statusCode, Object.keys(fewer.json().errors)], [400, ['subjects']]);
    assert.equal((await api.call('PATCH', uri, { subjects: ['A', 'B', 'Third'] })).statusCode, 202);
    // The audience shrinks by one who has not been mailed and one who has.
    const rows = async (state: number) =>
      (await api.pool.query('select user_id from send_record where mailing_id = $1 and state = $2', [idIn(uri), state])).rows;
    const [mailed] = await rows(2);
    const [waiting] = await rows(0);
    assert.equal(
      (await api.call('PATCH', uri, { excludes: { users: [mailed.user_id, waiting.user_id] }, mails_per_second: null })).statusCode,
      202,
    );
    assert.equal((await api.call('POST', `${uri}queue/`)).statusCode, 400);
    assert.equal((await rebuild(uri)).results, PEOPLE - stopped.progress - 1);
    // So many it goes to in all is told before it goes on: who resumes it says yes to that.
    assert.equal((await api.read(`${uri}progress/`)).expected_send_count, PEOPLE - 1);
    const done = await watch(await post(`${uri}queue/`));
    assert.deepEqual([done.status, done.errors, done.progress, done.expected_send_count], ['completed', [], PEOPLE - 1, PEOPLE - 1]);
    const addresses = sink.inbox.list().flatMap(({ to }) => to);
    assert.equal(addresses.length, PEOPLE - 1);
    assert.equal(new Set(addresses).size, PEOPLE - 1);

    const { polls, last } = await results.end();
    assert.ok(polls > 20, `${polls} polls`);
    const { rows: ledger } = await api.pool.query(
      'select count(*)::int as targeted, count(*) filter (where state = 2)::int as recipients from send_record where mailing_id = $1 group by position % 3 order by position % 3',
      [idIn(uri)],
    );
    const told = last.subjects.map(({ targeted, recipients }: Record<string, number>) => ({ targeted, recipients }));
    assert.deepEqual(told, ledger);
    assert.deepEqual([last.totals.recipients, last.totals.pending], [PEOPLE - 1, 0]);
  });

  it('is scheduled, moved, and stopped before its time', async () => {
    const uri = await api.create('mailer', { ...READY, includes: { users: [1] }, scheduled_for: '2040-01-01T00:00:00' });
    await rebuild(uri);
    const at = await post(`${uri}queue/`);
    assert.equal((await api.read(at)).status, 'scheduled');
    await watch(at, ({ phase }) => phase === 'waiting');
    await post(`${uri}stop/`, undefined, 202);
    assert.equal((await watch(at)).status, 'draft');
    await post(`${uri}queue/`);
    await watch(at, ({ phase }) => phase === 'waiting');
    const soon = new Date(Date.now() + 1500).toISOString();
    assert.equal((await api.call('PATCH', uri, { scheduled_for: soon })).statusCode, 202);
    const sent = await watch(at);
    assert.deepEqual([sent.status, sent.progress], ['completed', 1]);
  });

  it('is a draft as soon as its stop is answered, where it waits', async () => {
    const uri = await api.create('mailer', { ...READY, includes: { users: [1] }, scheduled_for: '2040-01-01T00:00:00' });
    await rebuild(uri);
    for (let round = 0; round < 5; round += 1) {
      await post(`${uri}queue/`);
      const began = performance.now();
      await post(`${uri}stop/`, undefined, 202);
      // Of a run that has not answered by then it was not waited for, on a machine that is far behind.
      if (performance.now() - began > MOMENTS_MS) while ((await api.read(uri)).status !== 'draft') await sleep(50);
      assert.equal((await api.read(uri)).status, 'draft', `round ${round}`);
    }
    assert.equal((await api.call('PATCH', uri, { scheduled_for: null })).statusCode, 202);
  });

  it('builds its set right before sending when asked to', async () => {
    const uri = await api.create('mailer', {
      ...READY,
      includes: { raw_sql: ['select id from core_user where id <= 5'] },
      rebuild_query_at_send: true,
    });
    const sent = await watch(await post(`${uri}queue/`));
    assert.deepEqual([sent.status, sent.progress, sent.expected_send_count], ['completed', 5, 5]);
    const shown = await api.read(uri);
    assert.deepEqual([shown.query_status, shown.targeting_version_saved, shown.expected_sent_count], ['saved', 1, 5]);
  });

  it('says why a rebuild failed', async () => {
    const uri = await api.create('mailer', { ...READY, includes: { raw_sql: ['select 1 / (id - id) from core_user'] } });
    const built = await rebuild(uri);
    assert.deepEqual([built.success, built.results], [false, null]);
    assert.match(built.errors[0], /division by zero/);
    assert.equal((await api.read(uri)).query_status, 'failed');
    const at = await api.call('POST', `${uri}queue/`);
    assert.equal(at.statusCode, 400);
  });

  it('ends the statement of a rebuild that is cancelled in the operator’s view', async () => {
    const uri = await api.create('mailer', {
      ...READY,
      includes: { raw_sql: ['select id from core_user, generate_series(1, 2000000000) g'] },
    });
    const poll = await post(`${uri}rebuild/`);
    await watch(poll, ({ started_at }) => started_at !== null);
    assert.equal((await api.read(`${uri}status/`)).status, 'rebuilding');
    await sleep(500);
    const began = Date.now();
    await place.client.workflow.getHandle(workflowId.rebuildTargets(idIn(uri), idIn(poll))).cancel();
    const document = await watch(poll);
    assert.deepEqual([document.success, document.errors], [false, ['The rebuild was cancelled.']]);
    assert.ok(Date.now() - began < 30_000);
  });
});
