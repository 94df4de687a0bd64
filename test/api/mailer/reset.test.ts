import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { TASK_QUEUE, workflowId } from '../../../workflows/contracts.ts';
import { idIn, READY } from '../../support/mailings.ts';
import { type WholePlatform, wholePlatform } from '../../support/whole-platform.ts';

// A second each, so that a machine that stands still for some does not miss the middle.
const PEOPLE = Array.from({ length: 8 }, (_, n) => `person-${n}@example.org`);

/** `RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL`. */
const SIGNALS = 1;

describe('a run of an earlier queueing that is reset without its signals, which ends the one that sends', () => {
  let platform: WholePlatform;

  before(async () => {
    platform = await wholePlatform({}, PEOPLE);
  });
  after(() => platform?.close());

  const handleOf = (uri: string, runId?: string) => platform.place.client.workflow.getHandle(workflowId.sendMailing(idIn(uri)), runId);
  const stepsOf = async (uri: string, runId: string) =>
    (await handleOf(uri, runId).fetchHistory()).events!.filter((event) => event.workflowTaskCompletedEventAttributes);
  const sweep = async (uri: string) => {
    await platform.api.pool.query(`update core_mailing set updated_at = now() - interval '1 minute' where id = $1`, [idIn(uri)]);
    await platform.place.client.workflow.execute('sweep', { workflowId: 'sweep', taskQueue: TASK_QUEUE.campaign, args: [{}] });
  };

  /**
   * Queues a mailing, stops it, queues it again, and resets the first run while the second sends.
   * @param first when the first run is to be stopped
   * @param step of the first run to which it is reset, from 0
   */
  async function resetEarlier(
    scheduledFor: string | null,
    first: (progress: { phase: string; progress: number }) => boolean,
    step: number,
  ) {
    const before = platform.sink.counts().received;
    const uri = await platform.ready({ ...READY, mails_per_second: 1, scheduled_for: scheduledFor });
    const progress = await platform.post(`${uri}queue/`);
    await platform.watch(progress, first);
    const { runId } = await handleOf(uri).describe();
    // What was told before the step is part of what it is reset to.
    while ((await stepsOf(uri, runId)).length <= step) await sleep(50);
    await platform.post(`${uri}stop/`, undefined, 202);
    await platform.watch(progress);
    await platform.api.call('PATCH', uri, { scheduled_for: null });
    await platform.post(`${uri}queue/`);
    await platform.watch(progress, ({ status, phase, progress }) => status === 'sending' && phase === 'sending' && progress > 0);
    const steps = await stepsOf(uri, runId);
    await platform.place.client.workflowService.resetWorkflowExecution({
      namespace: platform.place.namespace,
      workflowExecution: { workflowId: handleOf(uri).workflowId, runId },
      workflowTaskFinishEventId: steps[step]!.eventId!,
      requestId: `reset ${uri}`,
      resetReapplyExcludeTypes: [SIGNALS],
    });
    return { uri, progress, mailed: () => platform.sink.counts().received - before };
  }
  const sending = ({ progress }: { progress: number }) => progress > 0;

  it('goes on with the mailing as it is now where it was about to begin', async () => {
    const { uri, progress, mailed } = await resetEarlier(null, sending, 1);
    await handleOf(uri).result();
    const { status, errors, progress: accepted, uncertain } = await platform.watch(progress);
    assert.deepEqual([status, errors, accepted, uncertain, mailed()], ['completed', [], PEOPLE.length, 0, PEOPLE.length]);
  });

  it('is followed by one that says that the mailing is completed where it was sending', async () => {
    const { uri, progress, mailed } = await resetEarlier(null, sending, 2);
    assert.equal(await handleOf(uri).result(), 'completed');
    await sweep(uri);
    const { status, errors, progress: accepted, uncertain } = await platform.watch(progress);
    assert.deepEqual([status, errors, accepted, uncertain, mailed()], ['completed', [], PEOPLE.length, 0, PEOPLE.length]);
  });

  it('goes on, once the sweep has told it, where it waited for a time the mailing no longer has', async () => {
    const { uri, progress, mailed } = await resetEarlier('2100-01-01T00:00:00', ({ phase }) => phase === 'waiting', 1);
    let now = await platform.api.read(progress);
    // It comes each minute: one that comes while the run is still being reset leaves it alone.
    for (; !now.finished; now = await platform.api.read(progress)) {
      await sweep(uri);
      await sleep(200);
    }
    const { status, errors, progress: accepted, uncertain } = now;
    assert.deepEqual([status, errors, accepted, uncertain, mailed()], ['completed', [], PEOPLE.length, 0, PEOPLE.length]);
  });
});
