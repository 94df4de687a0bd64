import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { TASK_QUEUE, workflowId } from '../../../workflows/contracts.ts';
import { completing } from '../../support/completing.ts';
import { idIn, READY } from '../../support/mailings.ts';
import { type WholePlatform, wholePlatform } from '../../support/whole-platform.ts';

// A second each, so that a machine that stands still for some does not miss the middle.
const PEOPLE = Array.from({ length: 12 }, (_, n) => `person${n}@example.org`);

describe('what an operator does to a send by hand', () => {
  let platform: WholePlatform;

  before(async () => {
    platform = await wholePlatform({}, PEOPLE);
  });
  after(() => platform?.close());

  const sending = async () => {
    const uri = await platform.ready({ ...READY, mails_per_second: 1 });
    const progress = await platform.post(`${uri}queue/`);
    await platform.watch(progress, ({ status, progress }) => status === 'sending' && progress > 0);
    return { uri, progress, handle: platform.place.client.workflow.getHandle(workflowId.sendMailing(idIn(uri))) };
  };
  const sweep = async (uri: string) => {
    await platform.api.pool.query(`update core_mailing set updated_at = now() - interval '1 minute' where id = $1`, [idIn(uri)]);
    await platform.place.client.workflow.execute('sweep', { workflowId: 'sweep', taskQueue: TASK_QUEUE.campaign, args: [{}] });
  };

  for (const result of [null, 'done', {}])
    it(`completes a slice with ${JSON.stringify(result)}: the send goes on to its end`, async () => {
      const { progress, handle } = await sending();
      await completing(platform).complete(handle.workflowId, 'sendSlice', result);
      const { status, progress: accepted, uncertain } = await platform.watch(progress);
      assert.deepEqual([status, accepted, uncertain], ['completed', PEOPLE.length, 0]);
    });

  /** As the Temporal UI lets anybody send it: a text that is no JSON, or JSON of another encoding than ours. */
  const signal = (uri: string, signalName: string, encoding: string, text: string) =>
    platform.place.client.workflowService.signalWorkflowExecution({
      namespace: platform.place.namespace,
      workflowExecution: { workflowId: workflowId.sendMailing(idIn(uri)) },
      signalName,
      input: { payloads: [text, 'more'].map((data) => ({ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) })) },
    });

  for (const [encoding, text] of [
    ['json/plain', 'please'],
    ['json/protobuf', '{}'],
    ['json/plain', '7'],
  ] as const)
    it(`signals a send to stop with ${text} as ${encoding}: it stops`, async () => {
      const { uri, progress } = await sending();
      await signal(uri, 'reschedule', encoding, text);
      await signal(uri, 'stop', encoding, text);
      const { status, uncertain } = await platform.watch(progress);
      assert.deepEqual([status, uncertain], ['stopped', 0]);
    });

  it('holds the row of a mailing: a stop ends the sending all the same, and the mailing when the row is free', async () => {
    const before = platform.sink.counts().received;
    const { uri, progress } = await sending();
    const holder = await platform.api.pool.connect();
    await holder.query('begin');
    await holder.query('select from core_mailing where id = $1 for update', [idIn(uri)]);
    const stopping = platform.post(`${uri}stop/`, undefined, 202);
    for (let mailed = -1; mailed !== platform.sink.counts().received; await sleep(3000)) mailed = platform.sink.counts().received;
    const mailed = platform.sink.counts().received - before;
    assert.ok(mailed < PEOPLE.length, `${mailed} were mailed`);
    await holder.query('rollback');
    holder.release();
    await stopping;
    const { status, uncertain } = await platform.watch(progress);
    assert.deepEqual([status, uncertain], ['stopped', 0]);
  });

  it('asks a send to stop whose run cannot take a step: the sweep ends it', async () => {
    const uri = await platform.ready(READY);
    const id = idIn(uri);
    // A run of a type that no worker has fails at its first step, on each worker that tries it.
    const start = { workflowId: workflowId.sendMailing(id), taskQueue: TASK_QUEUE.campaign, args: [{ mailingId: id }] };
    const handle = await platform.place.client.workflow.start('sendMailingOfAnotherRelease', start);
    await platform.api.pool.query(`update core_mailing set status = 'sending', queued_at = now(), started_at = now() where id = $1`, [id]);
    await sweep(uri);
    assert.equal((await platform.api.read(uri)).status, 'sending');
    await platform.post(`${uri}stop/`, undefined, 202);
    while (((await handle.describe()).raw.pendingWorkflowTask?.attempt ?? 0) < 4) await sleep(500);
    await sweep(uri);
    const { status, errors } = await platform.watch(`${uri}progress/`);
    assert.deepEqual([status, errors], ['stopped', []]);
    assert.equal((await handle.describe()).status.name, 'TERMINATED');
  });

  it('has a mailing stopped whose run was not told, since the workflow service was away: the sweep tells it', async () => {
    const uri = await platform.ready({ ...READY, scheduled_for: '2100-01-01T00:00:00' });
    const progress = await platform.post(`${uri}queue/`);
    await platform.watch(progress, ({ phase }) => phase === 'waiting');
    await platform.api.pool.query('update core_mailing set stop_requested = true where id = $1', [idIn(uri)]);
    await sweep(uri);
    const { status } = await platform.watch(progress, ({ finished }) => finished);
    assert.equal(status, 'draft');
  });
});
