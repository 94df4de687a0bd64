import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { LEDGER_STATE } from '../../../domain/words.ts';
import { MESSAGE, TASK_QUEUE, workflowId } from '../../../workflows/contracts.ts';
import { atOnce, idIn, READY } from '../../support/mailings.ts';
import { become } from '../../support/sending.ts';
import { type WholePlatform, wholePlatform } from '../../support/whole-platform.ts';

describe('a run that is terminated from outside', () => {
  let platform: WholePlatform;

  before(async () => {
    platform = await wholePlatform({}, ['ann@example.org', 'bob@example.org', 'cy@example.org', 'dan@example.org']);
  });
  after(() => platform?.close());

  const begin = async (more: object) => {
    const uri = await platform.ready({ ...READY, ...more });
    return { uri, progress: await platform.post(`${uri}queue/`), run: workflowId.sendMailing(idIn(uri)) };
  };
  /** Ten seconds each, so that a machine that stands still for some does not miss the middle. */
  const SLOWLY = { mails_per_second: 0.1 };
  const sendingSlowly = async () => {
    const begun = await begin(SLOWLY);
    await platform.watch(begun.progress, ({ status, progress }) => status === 'sending' && progress > 0);
    await platform.place.client.workflow.getHandle(begun.run).terminate();
    return begun;
  };
  /** The sweep as it comes by, when what it finds is old enough. */
  const sweep = async (uri: string) => {
    await platform.api.pool.query(`update core_mailing set updated_at = now() - interval '1 minute' where id = $1`, [idIn(uri)]);
    await platform.place.client.workflow.execute('sweep', { workflowId: 'sweep', taskQueue: TASK_QUEUE.campaign, args: [{}] });
  };

  it('leaves the mailing died, with the reason, and queued again it goes to exactly the others', async () => {
    const { uri, progress } = await sendingSlowly();
    await sweep(uri);
    const died = await platform.watch(progress);
    assert.deepEqual([died.status, died.errors], ['died', ['its run was terminated from outside']]);
    await atOnce(platform.api, uri);
    await platform.post(`${uri}queue/`);
    const { status, progress: accepted, uncertain } = await platform.watch(progress);
    assert.deepEqual([status, accepted, uncertain], ['completed', 4, 0]);
    const got = platform.sink.inbox.list().flatMap(({ to }) => to);
    assert.equal(got.length, 4);
    assert.equal(new Set(got).size, 4);
  });

  it('leaves the mailing stopped where that was asked for', async () => {
    const { uri, progress } = await sendingSlowly();
    await platform.post(`${uri}stop/`, undefined, 202);
    await sweep(uri);
    const { status, errors } = await platform.watch(progress);
    assert.deepEqual([status, errors], ['stopped', []]);
  });

  it('leaves nobody unlisted whom a killed worker had on the wire, though its lease still runs', async () => {
    const { uri, progress } = await sendingSlowly();
    const { pool } = platform.api;
    const id = idIn(uri);
    // The platform's worker hears of the end and gives its shard back; one that was killed does not.
    for (let held = 1; held > 0; await sleep(100)) {
      held = (await pool.query('select count(*)::int as n from send_shard where mailing_id = $1 and held_until is not null', [id])).rows[0]
        .n;
    }
    const last = await pool.query('select max(position) as position from send_record where mailing_id = $1 and state = $2', [
      id,
      LEDGER_STATE.pending,
    ]);
    await become(pool, id, [{ position: last.rows[0].position, state: LEDGER_STATE.sending }]);
    await pool.query(`update send_shard set held_until = clock_timestamp() + interval '2 seconds' where mailing_id = $1`, [id]);
    await sweep(uri);
    const { status, uncertain } = await platform.watch(progress);
    assert.deepEqual([status, uncertain], ['died', 1]);
    assert.equal((await platform.api.read(`${uri}uncertain/`)).meta.total_count, 1);
  });

  it('is told by the sweep of an earlier time of which nobody told it', async () => {
    const { uri, progress } = await begin({ scheduled_for: '2041-01-01T00:00:00' });
    // As whoever wrote it was killed before the run was told.
    await platform.api.pool.query(`update core_mailing set scheduled_for = now() - interval '1 minute' where id = $1`, [idIn(uri)]);
    await sweep(uri);
    assert.equal((await platform.watch(progress)).status, 'completed');
  });

  it('is begun anew where the mailing still waited for its time', async () => {
    const { uri, run } = await begin({ scheduled_for: '2041-01-01T00:00:00' });
    const handle = platform.place.client.workflow.getHandle(run);
    await handle.terminate();
    await sweep(uri);
    assert.equal((await handle.describe()).status.name, 'RUNNING');
    await platform.post(`${uri}stop/`, undefined, 202);
  });

  it('is not said to have lost anything where an earlier queueing’s run was reset, which ends the one that sends', async () => {
    const { client, namespace } = platform.place;
    const { uri, progress, run } = await begin(SLOWLY);
    await platform.watch(progress, ({ status, progress }) => status === 'sending' && progress > 0);
    const { runId } = await client.workflow.getHandle(run).describe();
    await platform.post(`${uri}stop/`, undefined, 202);
    await platform.watch(progress);
    await platform.post(`${uri}queue/`);
    await platform.watch(progress, ({ status }) => status === 'sending');
    const { events } = await client.workflow.getHandle(run, runId).fetchHistory();
    const steps = events!.filter((event) => event.workflowTaskCompletedEventAttributes);
    await client.workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: run, runId },
      workflowTaskFinishEventId: steps.at(-2)!.eventId!,
      requestId: 'reset',
    });
    assert.equal(await client.workflow.getHandle(run).result(), 'stopped');
    await sweep(uri);
    const died = await platform.watch(progress);
    assert.deepEqual([died.status, died.errors], ['died', ['its run was ended from outside']]);
    await atOnce(platform.api, uri);
    await platform.post(`${uri}queue/`);
    const { status, progress: accepted, uncertain } = await platform.watch(progress);
    assert.deepEqual([status, accepted, uncertain], ['completed', 4, 0]);
  });

  it('says nothing of a later queueing of which Temporal, restored from a backup, knows nothing: that goes on', async () => {
    const stopped = await begin(SLOWLY);
    await platform.watch(stopped.progress, ({ status, progress }) => status === 'sending' && progress > 0);
    await platform.post(`${stopped.uri}stop/`, undefined, 202);
    await platform.watch(stopped.progress);
    await atOnce(platform.api, stopped.uri);
    const unsent = await begin({ scheduled_for: '2041-01-01T00:00:00' });
    await platform.watch(unsent.progress, ({ phase }) => phase === 'waiting');
    await platform.api.pool.query(`update core_mailing set status = 'draft' where id = $1`, [idIn(unsent.uri)]);
    await platform.place.client.workflow.getHandle(unsent.run).signal(MESSAGE.reschedule);
    assert.equal(await platform.place.client.workflow.getHandle(unsent.run).result(), 'draft');
    for (const { uri, progress } of [stopped, unsent]) {
      const { pool } = platform.api;
      await pool.query(`update core_mailing set status = 'rebuilding_at_send', queued_at = now(), scheduled_for = null where id = $1`, [
        idIn(uri),
      ]);
      await sweep(uri);
      const ended = await platform.watch(progress);
      assert.deepEqual([ended.status, ended.errors, ended.progress], ['completed', [], 4]);
    }
  });

  describe('of which the row knows nothing, as on a standby promoted without the last commits', () => {
    const waitsAgain = (uri: string, queuedAt = 'queued_at') =>
      platform.api.pool.query(`update core_mailing set status = 'queued', queued_at = ${queuedAt} where id = $1`, [idIn(uri)]);

    it('is not followed by another where it had begun to send', async () => {
      for (const begun of [await sendingSlowly(), await begin({})]) {
        const run = platform.place.client.workflow.getHandle(begun.run);
        await run.result().catch(() => {});
        await waitsAgain(begun.uri);
        await sweep(begun.uri);
        const { status, errors } = await platform.watch(begun.progress);
        assert.equal(status, 'died');
        assert.match(errors[0]!, /^the database lost commits/);
      }
    });

    it('is followed by one for another queueing, whatever the clocks of workflow service and database say', async () => {
      const { uri, progress } = await begin({});
      assert.equal((await platform.watch(progress)).status, 'completed');
      await waitsAgain(uri, `queued_at - interval '1 hour'`);
      await sweep(uri);
      assert.equal((await platform.watch(progress)).status, 'completed');
    });
  });
});
