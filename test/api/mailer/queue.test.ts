import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { NotFoundError, UnavailableError } from '../../../domain/errors.ts';
import { basic, startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, makeReady, READY, setMailing } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';
import { become } from '../../support/sending.ts';

const away = new UnavailableError('The workflow service cannot be reached; nothing was changed.');

/** Times to come. */
const inYears = (years: number) => `${new Date().getUTCFullYear() + years}-02-03T04:05:06`;
const [SOON, LATER] = [inYears(2), inYears(3)];

describe('queueing and stopping a mailing', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [
      { id: 1, email: 'one@example.org', lists: [1], state: 'NY' },
      { id: 2, email: 'two@example.org', lists: [1] },
    ]);
  });
  after(() => api.close());
  beforeEach(() => {
    api.workflows.starts = [];
    api.workflows.signals = [];
    api.workflows.failure = null;
  });

  const queue = (uri: string) => api.call('POST', `${uri}queue/`);
  const stop = (uri: string) => api.call('POST', `${uri}stop/`);
  const status = async (uri: string) => (await api.read(uri)).status;
  const row = async (uri: string) => (await api.pool.query('select * from core_mailing where id = $1', [idIn(uri)])).rows[0];

  async function refused(answer: ReturnType<TestApi['call']>, field: string): Promise<void> {
    const { statusCode, body } = await answer;
    assert.equal(statusCode, 400, body);
    assert.ok(JSON.parse(body).errors[field], body);
  }

  it('starts the run that sends it, and says where to watch', async () => {
    const uri = await makeReady(api);
    const answer = await queue(uri);
    assert.equal(answer.statusCode, 201);
    assert.equal(answer.body, '');
    assert.equal(answer.headers.location, `${api.env.BASE_URL}${uri}progress/`);
    const shown = await api.read(uri);
    assert.equal(shown.status, 'queued');
    assert.match(shown.queued_by, /^\/rest\/v1\/authuser\/\d+\/$/);
    assert.match(shown.queued_at, /^\d{4}-/);
    assert.deepEqual(api.workflows.starts, [
      {
        workflow: 'sendMailing',
        workflowId: `mailing-${idIn(uri)}-send`,
        taskQueue: 'campaign',
        input: { mailingId: idIn(uri) },
        summary: `Send mailing ${idIn(uri)}`,
        searchAttributes: { MailingId: idIn(uri), JobKind: 'send' },
      },
    ]);
  });

  it('does not say that nothing was changed where it can be neither started nor taken back: the sweep would start it', async () => {
    const uri = await makeReady(api);
    api.workflows.failure = away;
    await api.pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refuse before update of status on core_mailing for each row when (old.status = 'queued') execute function refuse()`);
    const answer = await queue(uri);
    await api.pool.query('drop function refuse() cascade');
    assert.equal(answer.statusCode, 503, answer.body);
    assert.match(answer.body, /may be started/);
    assert.doesNotMatch(answer.body, /nothing was changed/);
    assert.equal(await status(uri), 'queued');
  });

  it('schedules it for a time to come, and again harmlessly', async () => {
    const uri = await makeReady(api, { scheduled_for: SOON });
    assert.equal((await queue(uri)).statusCode, 201);
    const shown = await api.read(uri);
    assert.equal(shown.status, 'scheduled');
    assert.match(shown.scheduled_by, /authuser/);
    const again = await queue(uri);
    assert.equal(again.statusCode, 201);
    const { updated_at: _a, ...before } = shown;
    const { updated_at: _b, ...after } = await api.read(uri);
    assert.deepEqual(after, before);
  });

  it('goes out at its time by the clock of the database, whatever that of the API says', async () => {
    const inMinutes = (minutes: number) => new Date(Date.now() + 60_000 * minutes);
    const queuedAt = async (minutes: number, uri: string) => {
      mock.timers.enable({ apis: ['Date'], now: inMinutes(minutes) });
      const { statusCode } = await queue(uri).finally(() => mock.timers.reset());
      assert.equal(statusCode, 201);
      const { queued_at: at } = await row(uri);
      assert.ok(Math.abs(at.getTime() - Date.now()) < 60_000, at.toISOString());
      return status(uri);
    };
    assert.equal(
      await queuedAt(10, await makeReady(api, { scheduled_for: inMinutes(5).toISOString() })),
      'scheduled',
      'it would go out early',
    );
    assert.equal(await queuedAt(-10, await makeReady(api, { scheduled_for: inMinutes(-5).toISOString() })), 'queued');
  });

  it('is moved to another time by those alone who may send: moved to now it would go out, moved to long ago never', async () => {
    const group = await api.create('authgroup', { name: 'writers', grants: ['mailer:read', 'mailer:write'] });
    const login = { username: 'writer', password: 'writer-password' };
    const account = await api.create('authuser', { ...login, groups: [group] });
    const headers = { authorization: basic(login) };
    const draft = await makeReady(api);
    const move = (body: object) => api.call('PATCH', draft, body, headers);
    assert.equal((await move({ scheduled_for: SOON })).statusCode, 202, 'of a draft it is a wish');
    await queue(draft);
    for (const time of ['2020-01-01T00:00:00', LATER, null]) {
      const answer = await move({ scheduled_for: time, notes: 'moved' });
      assert.deepEqual([answer.statusCode, answer.json().errors], [403, { permission: ['mailer:send'] }]);
    }
    assert.deepEqual(api.workflows.signals, []);
    assert.equal((await move({ scheduled_for: SOON, notes: 'as it was' })).statusCode, 202);
    const { scheduled_for, notes } = await api.read(draft);
    assert.deepEqual([scheduled_for, notes], [SOON, 'as it was']);
    const senders = await api.create('authgroup', { name: 'senders', grants: ['mailer:send'] });
    await api.call('PATCH', account, { groups: [group, senders] });
    assert.equal((await move({ scheduled_for: LATER })).statusCode, 202);
    assert.equal(api.workflows.signals.length, 1);
  });

  it('queues at once what was scheduled for a time gone by', async () => {
    const uri = await makeReady(api, { scheduled_for: '2020-01-01T00:00:00' });
    await queue(uri);
    assert.equal(await status(uri), 'queued');
  });

  it('says what is missing, and changes nothing', async () => {
    const bare = await api.create('mailer', { subjects: ['x'] });
    const answer = await queue(bare);
    assert.deepEqual(Object.keys(answer.json().errors).sort(), ['fromline', 'html', 'query_status']);
    const unsaved = await api.create('mailer', READY);
    await refused(queue(unsaved), 'query_status');
    const stale = await makeReady(api);
    await api.call('PATCH', stale, { limit: 5 });
    await refused(queue(stale), 'query_status');
    const empty = await makeReady(api, { includes: { states: ['ZZ'] } });
    await refused(queue(empty), 'query_status');
    for (const uri of [bare, unsaved, stale, empty]) assert.equal(await status(uri), 'draft');
    assert.deepEqual(api.workflows.starts, []);
  });

  it('needs no saved set when it rebuilds at send, and takes a custom from line', async () => {
    const uri = await api.create('mailer', { ...READY, fromline: null, custom_fromline: 'x@example.org', rebuild_query_at_send: true });
    assert.equal((await queue(uri)).statusCode, 201);
  });

  it('refuses while the set is being built', async () => {
    const uri = await makeReady(api);
    await api.call('POST', `${uri}rebuild/`);
    await refused(queue(uri), 'query_status');
  });

  it('refuses what is under way, recurring, a model or completed', async () => {
    for (const state of ['queued', 'sending', 'rebuilding_at_send', 'completed', 'recurring', 'model']) {
      const uri = await makeReady(api);
      await setMailing(api, uri, { status: state });
      await refused(queue(uri), 'status');
      assert.equal(await status(uri), state);
    }
  });

  it('takes up again what was stopped or died, with its errors gone', async () => {
    for (const state of ['stopped', 'died']) {
      const uri = await makeReady(api);
      await setMailing(api, uri, { status: state, errors: '["why"]', stop_requested: true, finished_at: new Date() });
      assert.equal((await queue(uri)).statusCode, 201);
      const after = await row(uri);
      assert.deepEqual([after.status, after.errors, after.stop_requested, after.finished_at], ['queued', null, false, null]);
    }
  });

  it('takes no body: whoever sends one expects it to count', async () => {
    const uri = await makeReady(api);
    await refused(api.call('POST', `${uri}queue/`, { scheduled_for: SOON }), 'scheduled_for');
    assert.equal(await status(uri), 'draft');
    assert.equal((await api.call('POST', `${uri}queue/`, {})).statusCode, 201);
    const other = await makeReady(api);
    assert.equal((await api.call('POST', `${other}queue/`, '', { 'content-type': 'application/json' })).statusCode, 201);
  });

  it('queues once, however many ask at once', async () => {
    const uri = await makeReady(api);
    const answers = await Promise.all(Array.from({ length: 6 }, () => queue(uri)));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 400, 400, 400, 400, 400]);
    assert.equal(api.workflows.starts.length, 1);
  });

  it('leaves nothing half-done when the workflow service is away', async () => {
    const uri = await makeReady(api);
    await setMailing(api, uri, { status: 'stopped', errors: '["why"]', finished_at: new Date('2030-01-01') });
    const before = await row(uri);
    api.workflows.failure = away;
    const answer = await queue(uri);
    assert.equal(answer.statusCode, 503);
    assert.ok(answer.headers['retry-after']);
    assert.ok(answer.json().errors.service);
    const { updated_at: _a, ...was } = before;
    const { updated_at: _b, ...is } = await row(uri);
    assert.deepEqual(is, was);
  });

  it('leaves nothing half-done of one that was put into the archive, and keeps who was said to schedule it meanwhile', async () => {
    const other = await api.create('authuser', { username: 'planner', password: 'a-long-password' });
    const start = api.workflows.start.bind(api.workflows);
    try {
      for (const named of [null, other]) {
        const uri = await makeReady(api, { scheduled_for: SOON });
        await setMailing(api, uri, { hidden: true });
        api.workflows.start = async () => {
          if (named) assert.equal((await api.call('PATCH', uri, { scheduled_by: named })).statusCode, 202);
          throw away;
        };
        assert.equal((await queue(uri)).statusCode, 503);
        const shown = await api.read(uri);
        assert.deepEqual([shown.status, shown.hidden, shown.scheduled_by], ['draft', true, named]);
      }
    } finally {
      api.workflows.start = start;
    }
  });

  it('is off when sending is switched off', async () => {
    const off = await startApi({ SENDING_ENABLED: 'false' });
    try {
      const uri = await off.create('mailer', { ...READY, rebuild_query_at_send: true });
      const answer = await off.call('POST', `${uri}queue/`);
      assert.equal(answer.statusCode, 400);
      assert.ok(answer.json().errors.sending);
    } finally {
      await off.close();
    }
  });

  it('stops what is under way: writes it down, and tells the run', async () => {
    for (const state of ['sending', 'queued', 'scheduled', 'rebuilding_at_send']) {
      const uri = await makeReady(api);
      await setMailing(api, uri, { status: state });
      const answer = await stop(uri);
      assert.equal(answer.statusCode, 202);
      assert.equal(answer.body, '');
      assert.equal((await row(uri)).stop_requested, true);
      assert.equal(await status(uri), state);
      assert.deepEqual(api.workflows.signals.at(-1), { workflowId: `mailing-${idIn(uri)}-send`, message: 'stop', args: [] });
    }
  });

  it('puts back to draft what nobody runs, and to stopped what had begun', async () => {
    api.workflows.failure = new NotFoundError();
    for (const state of ['queued', 'scheduled', 'rebuilding_at_send']) {
      const uri = await makeReady(api);
      await setMailing(api, uri, { status: state });
      assert.equal((await stop(uri)).statusCode, 202);
      assert.deepEqual([await status(uri), (await row(uri)).stop_requested], ['draft', false]);
    }
    const begun = await makeReady(api);
    await setMailing(api, begun, { status: 'queued', started_at: new Date() });
    await stop(begun);
    assert.equal(await status(begun), 'stopped');
    const sending = await makeReady(api);
    await setMailing(api, sending, { status: 'sending', started_at: new Date() });
    await stop(sending);
    assert.deepEqual([await status(sending), (await row(sending)).stop_requested], ['sending', true]);
    const recurring = await makeReady(api);
    await setMailing(api, recurring, { status: 'recurring' });
    assert.equal((await stop(recurring)).statusCode, 202);
    assert.equal(await status(recurring), 'draft');
  });

  it('keeps a stop that cannot be told just now', async () => {
    const uri = await makeReady(api);
    await setMailing(api, uri, { status: 'sending' });
    api.workflows.failure = away;
    assert.equal((await stop(uri)).statusCode, 202);
    assert.equal((await row(uri)).stop_requested, true);
  });

  it('has nothing to stop otherwise', async () => {
    for (const state of ['draft', 'model', 'completed', 'stopped', 'died']) {
      const uri = await makeReady(api);
      await setMailing(api, uri, { status: state });
      await refused(stop(uri), 'status');
      assert.equal((await row(uri)).stop_requested, false);
    }
    assert.deepEqual(api.workflows.signals, []);
  });

  it('moves a scheduled mailing with a PATCH, and tells the run', async () => {
    const uri = await makeReady(api, { scheduled_for: SOON });
    await queue(uri);
    assert.equal((await api.call('PATCH', uri, { scheduled_for: SOON })).statusCode, 202);
    assert.deepEqual(api.workflows.signals, []);
    assert.equal((await api.call('PATCH', uri, { scheduled_for: LATER })).statusCode, 202);
    assert.deepEqual(api.workflows.signals, [{ workflowId: `mailing-${idIn(uri)}-send`, message: 'reschedule', args: [] }]);
    assert.equal((await api.read(uri)).scheduled_for, LATER);
    await refused(api.call('PATCH', uri, { scheduled_for: null }), 'scheduled_for');
    api.workflows.failure = away;
    assert.equal((await api.call('PATCH', uri, { scheduled_for: inYears(4), notes: 'x' })).statusCode, 503);
    const shown = await api.read(uri);
    assert.deepEqual([shown.scheduled_for, shown.notes], [LATER, '']);
    assert.equal((await api.call('PATCH', uri, { notes: 'x' })).statusCode, 202);
  });

  it('freezes content and schedule while it is sent, and content when it has been; takes a changed targeting at any time', async () => {
    const page = await api.create('signuppage', { name: 'narrowing' });
    const uri = await makeReady(api);
    for (const [index, state] of ['queued', 'rebuilding_at_send', 'sending'].entries()) {
      await setMailing(api, uri, { status: state });
      const targeting = { limit: 5 + index, mails_per_second: 5 + index, includes: { states: ['CA', 'NY', 'TX'].slice(index) } };
      const answer = await api.call('PATCH', uri, { html: 'other', scheduled_for: SOON, ...targeting, notes: 'x' });
      assert.equal(answer.statusCode, 400);
      assert.deepEqual(Object.keys(answer.json().errors).sort(), ['html', 'scheduled_for']);
      // Mails show it, too.
      const narrowed = await api.call('PATCH', uri, { target_group_from_landing_page: true, landing_page: page });
      assert.deepEqual(Object.keys(narrowed.json().errors), ['landing_page']);
      const { updated_at: _a, ...whole } = await api.read(uri);
      assert.equal((await api.call('PATCH', uri, { ...whole, notes: state })).statusCode, 202, 'the same values change nothing');
      assert.equal((await api.read(uri)).targeting_version, index + 1);
      assert.equal((await api.call('PATCH', uri, targeting)).statusCode, 202);
      const { status, query_status, targeting_version, targeting_version_saved } = await api.read(uri);
      assert.deepEqual([status, query_status, targeting_version, targeting_version_saved], [state, 'invalid', index + 2, 1]);
    }
    await setMailing(api, uri, { status: 'completed' });
    await refused(api.call('PATCH', uri, { subjects: ['other'] }), 'subjects');
    assert.equal((await api.call('PATCH', uri, { includes: { states: ['NY'] } })).statusCode, 202);
    const shown = await api.read(uri);
    assert.deepEqual([shown.status, shown.query_status, shown.targeting_version], ['completed', 'invalid', 5]);
  });

  it('answers 404 where there is no mailing', async () => {
    for (const action of ['queue', 'stop', 'rebuild', 'proofs', 'copy']) {
      const body = action === 'proofs' ? { proofs: 1, reviewers: ['a@example.org'] } : undefined;
      for (const id of ['999999', 'x', '99999999999']) {
        assert.equal((await api.call('POST', `/rest/v1/mailer/${id}/${action}/`, body)).statusCode, 404, `${action} ${id}`);
      }
    }
    for (const document of ['status', 'progress', 'results', 'uncertain', 'failed', 'skipped', 'rebuild/status/1', 'proofs/status/1']) {
      assert.equal((await api.call('GET', `/rest/v1/mailer/999999/${document}/`)).statusCode, 404, document);
    }
    assert.equal((await api.call('GET', `${await makeReady(api)}queue/`)).statusCode, 405);
  });

  it('rebuilds a stopped mailing without anybody who has a row already', async () => {
    const uri = await makeReady(api);
    await setMailing(api, uri, { status: 'stopped' });
    await api.pool.query(
      'insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted) values ($1, 0, 1, 2, 1, 1)',
      [idIn(uri)],
    );
    await become(api.pool, idIn(uri), [{ position: 1, state: 2 }]);
    assert.equal(await buildSet(api, uri), 1);
  });
});
