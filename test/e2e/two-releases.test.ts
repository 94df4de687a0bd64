import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { runCommand } from '../../cli/command-line.ts';
import { createPool } from '../../db/pool.ts';
import type { Child } from '../../embedded/child.ts';
import { startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { git, newestRelease } from '../../tools/previous-release/git.ts';
import { takeOut } from '../../tools/previous-release/run.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { atEnd } from '../support/endings.ts';
import { ledgerStates, queueMailing, shardCounters } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

/** The newest that is tagged, or what PREVIOUS_RELEASE names; before there is one, what was committed last. */
const REFERENCE = process.env['PREVIOUS_RELEASE'] ?? newestRelease() ?? 'HEAD';
const PEOPLE = 4_000;
const RATE = 80;

describe('workers of the release before and of this one, each a build that Temporal knows, on the tables of this one', () => {
  const earlier = dataFolder();
  const mails = new Map<string, number>();
  let place: TestNamespace;
  let pool: pg.Pool;
  let start: (build: string, root?: string) => Promise<{ worker: Child; log: () => string }>;

  before(async function () {
    try {
      git('rev-parse', 'HEAD');
    } catch {
      console.log('      there is no git here: no earlier release was tried');
      return this.skip();
    }
    takeOut(REFERENCE, earlier, () => {});
    place = await createNamespace();
    const url = await createDatabase();
    pool = createPool(url, 5);
    atEnd(() => pool.end());
    const sink = await startSmtpSink({ keep: 0, onMail: ({ to: [to = ''] }) => void mails.set(to, (mails.get(to) ?? 0) + 1) });
    atEnd(() => sink.close());
    const env = {
      ...process.env,
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: place.address,
      TEMPORAL_NAMESPACE: place.namespace,
      SMTP_URL: sink.url,
      SEND_SLICE_SECONDS: '1',
      SEND_SHARD_SIZE: '500',
    };
    start = async (build, root) => {
      const logFolder = dataFolder();
      const worker = await startWorkerProcess({ env: { ...env, WORKER_BUILD_ID: build }, logFolder, ...(root && { root }) }, 1);
      atEnd(() => worker.stop());
      return { worker, log: () => readFileSync(join(logFolder, 'worker-1.log'), 'utf8') };
    };
  });

  /** As an operator does; again until the worker has come to Temporal. */
  const tell = async (...words: string[]) => {
    const said: string[] = [];
    const take = (text: string) => void said.push(text);
    const terminal = { out: take, problem: take, redraw: null, ask: null, input: async () => '' };
    const env = { TEMPORAL_ADDRESS: place.address, TEMPORAL_NAMESPACE: place.namespace };
    for (const giveUp = Date.now() + 60_000; (await runCommand(['workers', ...words], env, terminal)) !== 0; await sleep(200))
      assert.ok(Date.now() < giveUp, said.join('\n'));
  };
  const send = async (): Promise<number> => {
    const id = await queueMailing(pool, PEOPLE, { rate: RATE });
    await place.client.workflow.start('sendMailing', {
      workflowId: workflowId.sendMailing(id),
      taskQueue: TASK_QUEUE.campaign,
      args: [{ mailingId: id }],
    });
    return id;
  };
  const accepted = async (id: number, many: number) => {
    while (((await shardCounters(pool, id))['accepted'] ?? 0) < many) await sleep(20);
  };

  it('share a send by a ramp, and hand it over, back and over again, to each once', async () => {
    const before = await start('before', earlier);
    await tell('current', 'before');
    const id = await send();
    await accepted(id, 300);
    const present = await start('present');
    await tell('ramp', 'present', '50');
    await accepted(id, 900);
    await tell('current', 'present');
    await accepted(id, 1_500);
    await tell('current', 'before');
    await accepted(id, 2_100);
    await tell('current', 'present');
    await before.worker.stop();
    assert.equal(await place.client.workflow.getHandle(workflowId.sendMailing(id)).result(), 'completed');
    assert.deepEqual(await ledgerStates(pool, id), { accepted: PEOPLE });
    assert.deepEqual([mails.size, new Set(mails.values())], [PEOPLE, new Set([1])]);
    await present.worker.stop();
    for (const { log } of [before, present]) assert.doesNotMatch(log(), /[Nn]on-?determinis/);
  });
});
