import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureFirstSuperuser } from '../../../core/accounts/first-superuser.ts';
import { failRebuild } from '../../../core/targeting/rebuild-job.ts';
import { newConnection } from '../../../db/driver.ts';
import { UnavailableError } from '../../../domain/errors.ts';
import type { SendProgress } from '../../../workflows/contracts.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, makeReady, openJob, READY, setMailing } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';
import { become, tally } from '../../support/sending.ts';
import { endSessions } from '../../support/sessions.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
const away = new UnavailableError('away');

describe('watching a mailing', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await insertPeople(
      api.pool,
      Array.from({ length: 8 }, (_, index) => ({ id: index + 1, email: `p${index + 1}@example.org`, lists: [1] })),
    );
  });
  after(() => api.close());
  beforeEach(() => {
    api.workflows.starts = [];
    api.workflows.failure = null;
  });

  const statusOf = (uri: string) => api.read(`${uri}status/`);
  const relative = (location: unknown) => String(location).slice(api.env.BASE_URL.length);

  async function refused(answer: ReturnType<TestApi['call']>, field: string, message: RegExp): Promise<void> {
    const { statusCode, body } = await answer;
    assert.equal(statusCode, 400, body);
    assert.match(String(JSON.parse(body).errors[field]), message);
  }

  it('rebuilds when asked, says where to watch, and reads rebuilding meanwhile', async () => {
    const uri = await api.create('mailer', READY);
    assert.deepEqual(await statusOf(uri), {
      status: 'draft',
      error: null,
      query_status: 'none',
      query_previous_runtime: null,
      count: null,
    });
    const answer = await api.call('POST', `${uri}rebuild/`);
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.body, '');
    const poll = relative(answer.headers.location);
    assert.match(poll, new RegExp(`^/rest/v1/mailer/${idIn(uri)}/rebuild/status/\\d+/$`));
    assert.deepEqual(await api.read(poll), {
      finished: false,
      success: false,
      started_at: null,
      finished_at: null,
      results: null,
      errors: [],
    });
    assert.deepEqual(api.workflows.starts, [
      {
        workflow: 'rebuildTargets',
        workflowId: `mailing-${idIn(uri)}-rebuild-${idIn(poll)}`,
        taskQueue: 'campaign',
        input: { mailingId: idIn(uri), jobId: idIn(poll) },
        summary: `Rebuild the users of mailing ${idIn(uri)}`,
        searchAttributes: { MailingId: idIn(uri), JobKind: 'rebuild' },
      },
    ]);
    const waiting = await statusOf(uri);
    assert.deepEqual([waiting.status, waiting.query_status, waiting.query_started_at], ['rebuilding', 'queued', null]);
    assert.match(waiting.query_queued_at, TIME);

    await buildSet(api, uri);
    const done = await api.read(poll);
    assert.deepEqual([done.finished, done.success, done.results, done.errors], [true, true, 8, []]);
    assert.match(done.started_at, TIME);
    assert.match(done.finished_at, TIME);
    const after = await statusOf(uri);
    assert.deepEqual([after.status, after.query_status, after.count], ['draft', 'saved', 8]);
    assert.equal(typeof after.query_previous_runtime, 'number');
    const shown = await api.read(uri);
    assert.deepEqual([shown.query_status, shown.targeting_version_saved], ['saved', 1]);
  });

  it('joins a build that is under way', async () => {
    const uri = await api.create('mailer', READY);
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.call('POST', `${uri}rebuild/`, { fast_rebuild: 1 })));
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [201]);
    assert.equal(new Set(answers.map(({ headers }) => headers.location)).size, 1);
    const { rows } = await api.pool.query('select fast from core_mailingrebuild where mailing_id = $1', [idIn(uri)]);
    assert.deepEqual(rows, [{ fast: true }]);
    await buildSet(api, uri);
    const next = await api.call('POST', `${uri}rebuild/?fast_rebuild=1`);
    assert.notEqual(next.headers.location, answers[0]!.headers.location);
    await buildSet(api, uri);
    const said = await Promise.all([answers[0]!, next].map(({ headers }) => api.read(relative(headers.location))));
    assert.deepEqual(
      said.map(({ fast }) => fast),
      [false, true],
      'there was nothing to start from; then there was',
    );
  });

  it('shows why a build failed', async () => {
    const uri = await api.create('mailer', READY);
    const { headers } = await api.call('POST', `${uri}rebuild/`);
    const jobId = await openJob(api, idIn(uri));
    await failRebuild(api.pool, { mailingId: idIn(uri), jobId, errors: ['The statement failed.'] });
    const document = await api.read(relative(headers.location));
    assert.deepEqual([document.finished, document.success, document.results], [true, false, null]);
    assert.deepEqual(document.errors, ['The statement failed.']);
    assert.equal((await api.read(uri)).query_status, 'failed');
    const { status, query_status, error } = await api.read(`${uri}status/`);
    assert.deepEqual([status, query_status, error], ['draft', 'failed', ['The statement failed.']]);
  });

  it('leaves nothing behind of a rebuild that cannot be started', async () => {
    const uri = await makeReady(api);
    const before = await api.read(uri);
    api.workflows.failure = away;
    assert.equal((await api.call('POST', `${uri}rebuild/`)).statusCode, 503);
    assert.deepEqual(await api.read(uri), before);
    const { rows } = await api.pool.query('select 1 from core_mailingrebuild where mailing_id = $1 and not finished', [idIn(uri)]);
    assert.deepEqual(rows, []);
  });

  it('does not rebuild what is being sent or was', async () => {
    const uri = await makeReady(api);
    for (const status of ['queued', 'rebuilding_at_send', 'sending', 'completed', 'recurring']) {
      await setMailing(api, uri, { status });
      await refused(api.call('POST', `${uri}rebuild/`), 'status', new RegExp(status));
    }
    await setMailing(api, uri, { status: 'draft' });
    await refused(api.call('POST', `${uri}rebuild/`, { fast: 1 }), 'fast', /not taken/);
    await refused(api.call('POST', `${uri}rebuild/`, { fast_rebuild: 'maybe' }), 'fast_rebuild', /0 or 1/);
  });

  it('shows the job of another mailing to nobody', async () => {
    const [one, other] = [await api.create('mailer', READY), await api.create('mailer', READY)];
    const { headers } = await api.call('POST', `${one}rebuild/`);
    const job = idIn(relative(headers.location));
    assert.equal((await api.call('GET', `${other}rebuild/status/${job}/`)).statusCode, 404);
    assert.equal((await api.call('GET', `${one}rebuild/status/x/`)).statusCode, 404);
  });

  it('sends proofs of a draft with a saved set', async () => {
    const uri = await makeReady(api);
    const answer = await api.call('POST', `${uri}proofs/`, {
      proofs: 3,
      reviewers: ['a@example.org', 'b@example.org', 'a@example.org'],
      proof_users: ['/rest/v1/user/2/', 'p3@example.org'],
      date: '2031-02-03',
    });
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.body, '');
    const poll = relative(answer.headers.location);
    assert.match(poll, new RegExp(`^/rest/v1/mailer/${idIn(uri)}/proofs/status/\\d+/$`));
    assert.deepEqual(await api.read(poll), {
      finished: false,
      success: false,
      sent: 0,
      started_at: null,
      finished_at: null,
      pause: null,
      errors: [],
    });
    const { rows } = await api.pool.query(
      'select reviewers, proofs, proof_users, pretend_date::text from core_mailingproof where id = $1',
      [idIn(poll)],
    );
    assert.deepEqual(rows, [{ reviewers: ['a@example.org', 'b@example.org'], proofs: 3, proof_users: [2, 3], pretend_date: '2031-02-03' }]);
    assert.equal(api.workflows.starts[0]!.workflowId, `mailing-${idIn(uri)}-proofs-${idIn(poll)}`);
    assert.deepEqual(api.workflows.starts[0]!.input, { mailingId: idIn(uri), jobId: idIn(poll) });
    assert.ok(!JSON.stringify(api.workflows.starts).includes('@'));
  });

  it('sends proofs to the last reviewers, those of the mailing, or its submitter', async () => {
    const reviewersOf = async (uri: string, body: object) => {
      const answer = await api.call('POST', `${uri}proofs/`, body);
      assert.equal(answer.statusCode, 201, answer.body);
      const job = idIn(relative(answer.headers.location));
      return (await api.pool.query('select reviewers from core_mailingproof where id = $1', [job])).rows[0].reviewers;
    };
    const uri = await makeReady(api);
    await refused(api.call('POST', `${uri}proofs/`, { proofs: 1 }), 'reviewers', /submitter/);
    const submitter = await api.create('authuser', { username: 'boss', password: 'a-long-password', email: 'boss@example.org' });
    await api.call('PATCH', uri, { submitter });
    assert.deepEqual(await reviewersOf(uri, { proofs: 1 }), ['boss@example.org']);
    const second = await makeReady(api, { submitter, reviewers: ['/rest/v1/user/1/'] });
    assert.deepEqual(await reviewersOf(second, { proofs: 1 }), ['p1@example.org']);
    assert.deepEqual(await reviewersOf(second, { proofs: 1, reviewers: ['c@example.org'] }), ['c@example.org']);
    assert.deepEqual(await reviewersOf(second, { proofs: '2' }), ['c@example.org']);
  });

  it('sends proofs to the first superuser as the submitter, and refuses them for one without an address', async () => {
    await ensureFirstSuperuser(api.orm, { ...api.env, ADMIN_USERNAME: 'first', ADMIN_EMAIL: 'first@example.org' });
    await ensureFirstSuperuser(api.orm, { ...api.env, ADMIN_USERNAME: 'second', DEFAULT_FROM: 'Campaign <from@example.org>' });
    await api.create('authuser', { username: 'nowhere', password: 'a-long-password' });
    const proofsFor = async (username: string) => {
      const { objects } = await api.read(`/rest/v1/authuser/?username=${username}`);
      const uri = await makeReady(api, { submitter: objects[0].resource_uri });
      const answer = await api.call('POST', `${uri}proofs/`, { proofs: 1 });
      if (answer.statusCode !== 201) return answer.body;
      return (await api.pool.query('select reviewers from core_mailingproof where mailing_id = $1', [idIn(uri)])).rows[0].reviewers;
    };
    assert.deepEqual(await proofsFor('first'), ['first@example.org']);
    assert.deepEqual(await proofsFor('second'), ['from@example.org']);
    assert.match(await proofsFor('nowhere'), /needs reviewers, or the mailing a submitter with an email address/);
  });

  const wrongProofs: [body: unknown, field: string, message: RegExp][] = [
    [{}, 'proofs', /required/],
    [{ proofs: 0 }, 'proofs', /from 1 to 100/],
    [{ proofs: 101 }, 'proofs', /from 1 to 100/],
    [{ proofs: 'x' }, 'proofs', /whole/],
    [{ proofs: 1, reviewers: ['nobody'] }, 'reviewers', /email/],
    [{ proofs: 1, reviewers: 'a@example.org' }, 'reviewers', /list/],
    [{ proofs: 1, reviewers: ['a@example.org\r\nRCPT TO:<b@example.org>'] }, 'reviewers', /email/],
    [{ proofs: 1, reviewers: ['a@example.org'], date: 'x' }, 'date', /day/],
    [{ proofs: 1, reviewers: ['a@example.org'], proof_users: [999_999] }, 'proof_users', /nothing/],
    [{ proofs: 1, reviewer: ['a@example.org'] }, 'reviewer', /not taken/],
  ];
  for (const [body, field, message] of wrongProofs) {
    it(`refuses proofs for ${JSON.stringify(body)}`, async () => {
      const uri = await makeReady(api);
      await refused(api.call('POST', `${uri}proofs/`, body), field, message);
      const { rows } = await api.pool.query('select 1 from core_mailingproof where mailing_id = $1', [idIn(uri)]);
      assert.deepEqual(rows, []);
    });
  }

  it('sends no proofs without a current set, of anything but a draft, or while the workflow service is away', async () => {
    const body = { proofs: 1, reviewers: ['a@example.org'] };
    const unsaved = await api.create('mailer', READY);
    await refused(api.call('POST', `${unsaved}proofs/`, body), 'query_status', /rebuild/);
    const uri = await makeReady(api);
    await setMailing(api, uri, { status: 'stopped' });
    await refused(api.call('POST', `${uri}proofs/`, body), 'status', /draft/);
    await setMailing(api, uri, { status: 'draft' });
    api.workflows.failure = away;
    assert.equal((await api.call('POST', `${uri}proofs/`, body)).statusCode, 503);
    assert.deepEqual((await api.pool.query('select 1 from core_mailingproof where mailing_id = $1', [idIn(uri)])).rows, []);
  });

  /** As the engine leaves it: 3 accepted, 1 failed, 1 skipped, 1 uncertain, 2 pending. */
  async function halfSent(status: string, columns: object = {}): Promise<string> {
    const uri = await makeReady(api, { subjects: ['A', 'B'] });
    const id = idIn(uri);
    await setMailing(api, uri, {
      status,
      expected_send_count: 8,
      started_at: new Date(Date.now() - 10_000),
      queued_by_id: 1,
      queued_at: new Date(),
      ...columns,
    });
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, failed, skipped, uncertain)
       values ($1, 0, 1, 4, 4, 3, 1, 0, 0), ($1, 1, 5, 8, 6, 0, 0, 1, 1)`,
      [id],
    );
    await become(
      api.pool,
      id,
      [2, 2, 2, 3, 4, 5].map((state, index) => ({ position: index + 1, state, detail: state > 2 ? `why ${state}` : null })),
    );
    await tally(api.pool, id);
    return uri;
  }

  it('shows progress from the counters of the send', async () => {
    const uri = await halfSent('sending');
    const progress = await api.read(`${uri}progress/`);
    const { started_at, rate, ...rest } = progress;
    assert.match(started_at, TIME);
    assert.ok(Number.isInteger(rate));
    assert.deepEqual(rest, {
      finished: false,
      status: 'sending',
      finished_at: null,
      progress: 3,
      failed: 1,
      skipped: 1,
      uncertain: 1,
      expected_send_count: 8,
      phase: null,
      pause: null,
      errors: [],
    });
    const status = await statusOf(uri);
    assert.deepEqual(Object.keys(status).sort(), [
      'error',
      'expected_send_count',
      'finished_at',
      'progress',
      'queued_at',
      'queued_by',
      'rate',
      'started_at',
      'status',
    ]);
    assert.deepEqual(
      [status.status, status.progress, status.expected_send_count, status.queued_by],
      ['sending', 3, 8, '/rest/v1/authuser/1/'],
    );
  });

  it('adds what the run says of itself, when a worker answers', async () => {
    const uri = await halfSent('sending');
    await api.pool.query(
      `insert into send_run (mailing_id, content, started_at, accepted_before) values ($1, '{}', now() - interval '10 seconds', 50)`,
      [idIn(uri)],
    );
    await api.pool.query('update send_shard set accepted = 150 where mailing_id = $1 and shard = 1', [idIn(uri)]);
    const pause = { reason: 'the relay is not taking mail: 421', until: '2031-01-01T00:00:00.000Z' };
    const live: SendProgress = { phase: 'paused', accepted: 0, pause };
    const asked: [string, string, number][] = [];
    const recorded = api.workflows.query;
    api.workflows.query = async <Answer>(...args: unknown[]) => {
      asked.push(args as [string, string, number]);
      return live as Answer;
    };
    try {
      const progress = await api.read(`${uri}progress/`);
      assert.deepEqual([progress.phase, progress.pause, progress.progress], ['paused', pause, 153]);
      // Of this run, (153 - 50) mails in ten seconds, though the workflow has heard of none yet.
      assert.ok(progress.rate >= 8 && progress.rate <= 10, `rate ${progress.rate}`);
      assert.deepEqual(asked, [[`mailing-${idIn(uri)}-send`, 'progress', 1000]]);
      await setMailing(api, uri, { status: 'completed' });
      await api.read(`${uri}progress/`);
      assert.equal(asked.length, 1, 'nobody is asked about what has ended');
    } finally {
      api.workflows.query = recorded;
    }
  });

  it('says that the database takes no changes, while nobody can be mailed for that', async () => {
    const uri = await halfSent('sending');
    const owner = newConnection(api.databaseUrl);
    await owner.connect();
    const name = new URL(api.databaseUrl).pathname.slice(1);
    /** For all sessions but this one. */
    const readOnly = async (how: string) => {
      await owner.query(`alter database ${name} ${how}`);
      await endSessions(owner, name);
    };
    const pause = async () => (await api.call('GET', `${uri}progress/`)).json().pause;
    try {
      await readOnly('set default_transaction_read_only = on');
      // Where a connection was just ended it cannot be read at all; that the database is well is believed for a second.
      let told = await pause();
      for (let tries = 0; !told && tries < 100; tries++) {
        await sleep(50);
        told = await pause();
      }
      assert.equal(told?.reason, 'the database takes no changes');
    } finally {
      await readOnly('reset default_transaction_read_only');
      await owner.end();
    }
    while ((await pause()) !== null) await sleep(20);
  });

  it('says of each status what belongs to it', async () => {
    const keys = async (uri: string) => Object.keys(await statusOf(uri)).sort();
    const uri = await halfSent('completed', { finished_at: new Date() });
    assert.deepEqual(await statusOf(uri), { status: 'completed', error: null, count: 3 });
    const progress = await api.read(`${uri}progress/`);
    assert.deepEqual([progress.finished, progress.status, progress.rate], [true, 'completed', 0]);
    for (const status of ['died', 'stopped', 'model']) {
      await setMailing(api, uri, { status, errors: status === 'died' ? '["the relay refused our credentials"]' : null });
      assert.deepEqual(await keys(uri), ['error', 'status']);
    }
    await setMailing(api, uri, { status: 'died', errors: '["the relay refused our credentials"]' });
    assert.deepEqual((await statusOf(uri)).error, ['the relay refused our credentials']);
    assert.deepEqual((await api.read(`${uri}progress/`)).errors, ['the relay refused our credentials']);
    await setMailing(api, uri, { status: 'recurring', errors: null });
    assert.deepEqual(await keys(uri), ['error', 'recurring_schedule', 'recurring_source_mailing', 'scheduled_by', 'status']);
    await setMailing(api, uri, { status: 'scheduled', scheduled_for: new Date('2031-01-01T00:00:00Z'), scheduled_by_id: 1 });
    assert.deepEqual(await statusOf(uri), {
      status: 'scheduled',
      error: null,
      scheduled_by: '/rest/v1/authuser/1/',
      scheduled_for: '2031-01-01T00:00:00',
    });
    await setMailing(api, uri, { status: 'rebuilding_at_send' });
    assert.deepEqual(await keys(uri), ['error', 'query_previous_runtime', 'query_queued_at', 'query_started_at', 'query_status', 'status']);
    assert.equal((await statusOf(uri)).status, 'rebuilding');
    assert.equal((await api.read(`${uri}progress/`)).status, 'queued');
  });

  it('lists who is uncertain, failed and skipped, with the reason, in pages', async () => {
    const uri = await halfSent('stopped');
    for (const [name, user, position, detail] of [
      ['failed', 4, 4, 'why 3'],
      ['skipped', 5, 5, 'why 4'],
      ['uncertain', 6, 6, 'why 5'],
    ] as const) {
      const { meta, objects } = await api.read(`${uri}${name}/`);
      assert.deepEqual(meta, { limit: 20, offset: 0, total_count: 1, next: null, previous: null });
      const [{ changed_at, ...recipient }] = objects;
      assert.match(changed_at, TIME);
      assert.deepEqual(recipient, { user: `/rest/v1/user/${user}/`, position, detail });
    }
    await become(
      api.pool,
      idIn(uri),
      [1, 2, 3, 4, 5, 6, 7, 8].map((position) => ({ position, state: 5 })),
    );
    await api.pool.query('update send_shard set uncertain = 8 * (shard = 0)::int where mailing_id = $1', [idIn(uri)]);
    const page = await api.read(`${uri}uncertain/?_limit=3&_offset=3`);
    assert.equal(page.objects.length, 3);
    assert.deepEqual(page.meta, {
      limit: 3,
      offset: 3,
      total_count: 8,
      next: `${uri}uncertain/?_limit=3&_offset=6`,
      previous: `${uri}uncertain/?_limit=3&_offset=0`,
    });
    assert.equal((await api.call('GET', `${uri}uncertain/?_limit=x`)).statusCode, 400);
    assert.equal((await api.call('GET', `${uri}uncertain/?_offset=-1`)).statusCode, 400);
    // Far down pages go on from where the one before ended.
    const third = page.objects.at(-1).position;
    const behind = await api.read(`${uri}uncertain/?_limit=2&_offset=2000&_after=${third}`);
    assert.ok(behind.objects.every(({ position }: { position: number }) => position > third));
    for (const wrong of ['0', 'x', '99999999999', '1.5']) {
      assert.equal((await api.call('GET', `${uri}uncertain/?_after=${wrong}`)).statusCode, 400, wrong);
    }
  });

  it('counts its results, in all and by subject', async () => {
    const uri = await halfSent('stopped');
    const id = idIn(uri);
    await api.create('signuppage', { name: `join-${id}` });
    const { rows } = await api.pool.query(`select id from core_page where name = $1`, [`join-${id}`]);
    const act = (user: number, created = false) =>
      api.pool
        .query('insert into core_action (user_id, page_id, mailing_id, created_user) values ($1, $2, $3, $4) returning id', [
          user,
          rows[0].id,
          id,
          created,
        ])
        .then(({ rows: [action] }) => action.id);
    await act(1);
    await act(1);
    const left = await act(2);
    await api.pool.query(`insert into core_subscriptionhistory (user_id, list_id, change, action) values (2, 1, 'unsubscribe', $1)`, [
      left,
    ]);
    await insertPeople(api.pool, [{ id: 1000 + id, email: `forwarded${id}@example.org` }]);
    await act(1000 + id, true);

    for (const [action, total, status] of [
      [left, '10.10', 'completed'],
      [await act(3), '0.20', 'completed'],
      [await act(3), '99.00', 'reversed'],
    ]) {
      await api.pool.query(
        `with detail as (insert into core_orderuserdetail (user_id) select user_id from core_action where id = $1 returning id, user_id)
         insert into core_order (action_id, user_id, user_detail_id, account_id, total, total_converted, status)
         select $1, user_id, id, (select min(id) from core_paymentaccount), $2, $2, $3 from detail`,
        [action, total, status],
      );
    }

    const { mailing_id, totals, subjects } = await api.read(`${uri}results/`);
    assert.equal(mailing_id, id);
    const pick = ({ recipients, failed, skipped, uncertain, actions, new_users, unsubscribes }: Record<string, number>) => ({
      recipients,
      failed,
      skipped,
      uncertain,
      actions,
      new_users,
      unsubscribes,
    });
    assert.deepEqual(pick(totals), { recipients: 3, failed: 1, skipped: 1, uncertain: 1, actions: 6, new_users: 1, unsubscribes: 1 });
    // Positions 1 to 8 of two subjects: even ones get the first, odd ones the second.
    assert.deepEqual(
      subjects.map(({ subject }: { subject: string }) => subject),
      ['A', 'B'],
    );
    assert.deepEqual(pick(subjects[0]), { recipients: 1, failed: 1, skipped: 0, uncertain: 1, actions: 2, new_users: 1, unsubscribes: 1 });
    assert.deepEqual(pick(subjects[1]), { recipients: 2, failed: 0, skipped: 1, uncertain: 0, actions: 4, new_users: 0, unsubscribes: 0 });
    assert.deepEqual([totals.orders, totals.amount, totals.amount_converted], [2, '10.30', '10.30']);
    assert.deepEqual([subjects[0].orders, subjects[0].amount], [1, '10.10']);
    assert.deepEqual([subjects[1].orders, subjects[1].amount], [1, '0.20']);
    assert.deepEqual([totals.opens, totals.total_raw_clicks, totals.bounces_all, totals.open_rate], [0, 0, 0, 0]);
    assert.equal(totals.action_rate, 2);
    for (const subject of subjects) assert.ok(Number.isInteger(subject.subject_id));
  });

  it('copies a mailing, with its targeting or without', async () => {
    const uri = await halfSent('completed');
    await api.call('PATCH', uri, { includes: { states: ['NY'] }, limit: 5, tags: ['x'], reviewers: [1], notes: 'n' });
    const original = await api.read(uri);
    const copied = async (body?: object) => {
      const answer = await api.call('POST', `${uri}copy/`, body);
      assert.equal(answer.statusCode, 201, answer.body);
      assert.equal(answer.body, '');
      const to = relative(answer.headers.location);
      assert.notEqual(to, uri);
      return api.read(to);
    };
    for (const body of [undefined, {}, { targeting: true, keep_test_group: true }]) {
      const copy = await copied(body);
      for (const field of ['subjects', 'html', 'fromline', 'tags', 'reviewers', 'notes', 'includes', 'limit']) {
        assert.deepEqual(copy[field], original[field], field);
      }
      assert.deepEqual(
        [copy.status, copy.query_status, copy.targeting_version, copy.targeting_version_saved, copy.started_at, copy.scheduled_for],
        ['draft', 'none', 1, null, null, null],
      );
    }
    const bare = await copied({ targeting: false });
    assert.deepEqual([bare.includes, bare.limit, bare.html], [{}, null, original.html]);
    await refused(api.call('POST', `${uri}copy/`, { targeting: 'no' }), 'targeting', /true or false/);
    await refused(api.call('POST', `${uri}copy/`, { target: false }), 'target', /not taken/);
  });
});
