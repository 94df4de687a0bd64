import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { MESSAGE, TASK_QUEUE, workflowId } from '../../../workflows/contracts.ts';
import { allText } from '../../support/all-text.ts';
import { idIn, READY } from '../../support/mailings.ts';
import { type WholePlatform, wholePlatform } from '../../support/whole-platform.ts';

/** SQL that takes a few seconds, and one that never ends. */
const SECONDS = 'generate_series(1, 25000000)';
const FOREVER = 'generate_series(1, 10000000000)';

describe('a set of users that is built right before sending', () => {
  let platform: WholePlatform;

  before(async () => {
    platform = await wholePlatform({}, ['ann@example.org', 'bob@example.org']);
  });
  after(() => platform?.close());

  const create = (slow: string, more = {}) =>
    platform.api.create('mailer', {
      ...READY,
      includes: { raw_sql: [`select id from core_user where (select count(*) from ${slow}) > 0`] },
      rebuild_query_at_send: true,
      ...more,
    });
  const jobs = async (uri: string) =>
    (await platform.api.pool.query('select * from core_mailingrebuild where mailing_id = $1 order by id', [idIn(uri)])).rows;
  /** Waits for so many builds to have begun; they and the mailing are then old enough for the sweep. */
  const building = async (uri: string, many = 1) => {
    while ((await jobs(uri)).filter(({ started_at }) => started_at !== null).length < many) await sleep(20);
    await platform.api.pool.query(`update core_mailingrebuild set created_at = now() - interval '30 seconds' where mailing_id = $1`, [
      idIn(uri),
    ]);
    await platform.api.pool.query(`update core_mailing set updated_at = now() - interval '30 seconds' where id = $1`, [idIn(uri)]);
  };
  const sweep = () => platform.place.client.workflow.execute('sweep', { workflowId: 'sweep', taskQueue: TASK_QUEUE.campaign, args: [{}] });
  const ended = async (uri: string) => (await jobs(uri)).map(({ finished, success, errors }) => ({ finished, success, errors }));
  const send = (uri: string) => platform.place.client.workflow.getHandle(workflowId.sendMailing(idIn(uri)));

  it('is left alone by the sweep, however long its statements take', async () => {
    const uri = await create(SECONDS);
    const progress = await platform.post(`${uri}queue/`);
    await building(uri);
    await sweep();
    const { status, errors } = await platform.watch(progress);
    assert.deepEqual([status, errors], ['completed', []]);
    assert.deepEqual(await ended(uri), [{ finished: true, success: true, errors: [] }]);
  });

  it('is not that of whoever had it built when its time came: their build ends, the mailing goes out', async () => {
    const uri = await create(SECONDS, { scheduled_for: '2041-01-01T00:00:00' });
    const progress = await platform.post(`${uri}queue/`);
    const poll = await platform.post(`${uri}rebuild/`);
    await building(uri);
    // Queued by nobody: one account has one build at a time.
    await platform.api.pool.query('update core_mailing set scheduled_for = now(), queued_by_id = null where id = $1', [idIn(uri)]);
    await send(uri).signal(MESSAGE.reschedule);
    await building(uri, 2);
    await sweep();
    const { status, errors } = await platform.watch(progress);
    assert.deepEqual([status, errors], ['completed', []]);
    const asked = await platform.watch(poll);
    assert.deepEqual([asked.success, asked.errors], [false, ['The mailing is no longer in a state in which its users can be rebuilt.']]);
    assert.equal((await platform.api.read(uri)).query_status, 'saved');
  });

  it('has failed as soon as the mailing is stopped, which can be queued again then', async () => {
    const uri = await create(FOREVER);
    const progress = await platform.post(`${uri}queue/`);
    await building(uri);
    await platform.post(`${uri}stop/`, undefined, 202);
    assert.equal((await platform.watch(progress)).status, 'draft');
    assert.deepEqual(await ended(uri), [{ finished: true, success: false, errors: ['The sending was stopped.'] }]);
    assert.equal((await platform.api.read(uri)).query_status, 'failed');
    assert.equal((await platform.api.call('PATCH', uri, { includes: { raw_sql: null } })).statusCode, 202);
    assert.equal((await platform.watch(await platform.post(`${uri}queue/`))).status, 'completed');
  });

  it('says why it failed to whoever asks, and to nobody in a history', async () => {
    await platform.api.pool.query(`update core_user set last_name = 'Lovelace'`);
    const uri = await create('generate_series(1, 2)', { includes: { raw_sql: ['select id from core_user where last_name::int > 0'] } });
    const quoted = (errors: string[]) => assert.match(errors.join(' '), /invalid input syntax .*Lovelace/);
    const poll = await platform.post(`${uri}rebuild/`);
    quoted((await platform.watch(poll)).errors as string[]);
    await platform.post(`${uri}queue/`);
    await send(uri).result();
    const { status, error } = await platform.api.read(`${uri}status/`);
    assert.equal(status, 'died');
    assert.equal(error[0], 'The rebuild before sending failed.');
    quoted(error.slice(1));
    const build = platform.place.client.workflow.getHandle(workflowId.rebuildTargets(idIn(uri), idIn(poll)));
    for (const run of [send(uri), build]) assert.ok(!allText(await run.fetchHistory()).includes('Lovelace'), run.workflowId);
  });

  it('has failed once the sweep has found its run ended from outside, and nobody builds it anew', async () => {
    const uri = await create(FOREVER);
    const progress = await platform.post(`${uri}queue/`);
    await building(uri);
    await send(uri).terminate();
    await sweep();
    assert.equal((await platform.watch(progress)).status, 'died');
    await sweep();
    assert.deepEqual(await ended(uri), [{ finished: true, success: false, errors: ['The sending it was for has ended.'] }]);
    assert.equal((await platform.api.read(uri)).query_status, 'failed');
    const [{ id }] = await jobs(uri);
    const build = platform.place.client.workflow.getHandle(workflowId.rebuildTargets(idIn(uri), id));
    await assert.rejects(build.describe(), /not found/);
  });
});
