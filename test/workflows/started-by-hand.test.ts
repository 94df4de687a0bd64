import assert from 'node:assert/strict';
import type { WorkflowFailedError } from '@temporalio/client';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import * as workflows from '../../workflows/index.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

const NEEDS_NOTHING = ['clearOld', 'runIntegration', 'sweep', 'syncChanged'];

/** As the Temporal UI lets anybody give it: nothing, what is no JSON, JSON of another encoding than ours, and what is something else. */
const INPUTS: [what: string, payloads: [encoding: string, text: string][]][] = [
  ['nothing', []],
  ['what is no JSON', [['json/plain', 'mailing 7']]],
  ['another encoding', [['json/protobuf', '{"mailingId":1,"jobId":1,"mapId":1}']]],
  ['bytes', [['binary/plain', '7']]],
  ...['null', '7', '[]', '{}', '{"mailingId":null}', '{"mailingId":"seven","jobId":"one","mapId":"x"}'].map(
    (text): [string, [string, string][]] => [text, [['json/plain', text]]],
  ),
];

describe('a run that is started by hand, with what is no input of it', () => {
  let platform: WholePlatform;

  before(async () => {
    platform = await wholePlatform({}, ['ann@example.org']);
  });
  after(() => platform?.close());

  async function startByHand(type: string, id: string, payloads: [string, string][]) {
    const { client, namespace } = platform.place;
    await client.workflowService.startWorkflowExecution({
      namespace,
      workflowId: id,
      requestId: id,
      workflowType: { name: type },
      taskQueue: { name: TASK_QUEUE.campaign },
      input: { payloads: payloads.map(([encoding, text]) => ({ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(text) })) },
    });
    return client.workflow.getHandle(id).result();
  }

  for (const type of Object.keys(workflows).filter((name) => !NEEDS_NOTHING.includes(name)))
    it(`fails at once, and says what it lacks: ${type}`, async () => {
      const ends = await Promise.allSettled(INPUTS.map(([what, payloads]) => startByHand(type, `${type} with ${what}`, payloads)));
      for (const end of ends)
        assert.match(
          String(((end as PromiseRejectedResult).reason as WorkflowFailedError)?.cause?.message),
          /^its input has no number as (mailingId|jobId|mapId)$/,
        );
    });

  for (const type of NEEDS_NOTHING)
    it(`does what it does without: ${type}`, async () => {
      await Promise.all(INPUTS.map(([what, payloads]) => startByHand(type, `${type} with ${what}`, payloads)));
    });

  it('is out of the way: what was asked for has its own then', async () => {
    const { rows } = await platform.api.pool.query(
      `insert into core_backgroundtask (short_name, statement, format, emails, updated_at)
       values ('any', '{"text": "select 1", "values": []}', 'csv', '[]', now() - interval '1 minute') returning id`,
    );
    await assert.rejects(startByHand('runReport', `report-${rows[0].id}`, []));
    await startByHand('sweep', 'sweep', []);
    const status = async () => (await platform.api.pool.query('select status from core_backgroundtask')).rows[0].status;
    await platform.place.client.workflow.getHandle(`report-${rows[0].id}`).result();
    assert.equal(await status(), 'completed');
  });
});
