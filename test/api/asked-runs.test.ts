import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { startOf, workflowId } from '../../workflows/contracts.ts';
import { RecordedWorkflows, startApi, type TestApi } from '../support/api.ts';
import { beginJobs, type Polled } from '../support/jobs.ts';
import { insertPeople } from '../support/people.ts';
import { createNamespace } from '../support/temporal.ts';

/** Puts an end to each kind of work. */
const ENDS: Record<Polled, string[]> = {
  rebuild: ['update core_mailingrebuild set finished = true'],
  proofs: ['update core_mailingproof set finished = true'],
  progress: ['completed', 'stopped', 'died', 'draft'].map((status) => `update core_mailing set status = '${status}'`),
  merge: ['complete', 'failed'].map((status) => `update core_usermerge set status = '${status}'`),
  upload: ['completed', 'stopped', 'died'].map((status) => `update core_upload set status = '${status}'`),
  report: ['completed', 'failed'].map((status) => `update core_backgroundtask set status = '${status}'`),
};

describe('the run of a piece of work', () => {
  describe('that is watched', () => {
    /** Its worker is quick: an erasure is over before the caller looks. */
    class QuickErasure extends RecordedWorkflows {
      override async start(start: Parameters<RecordedWorkflows['start']>[0]) {
        if (start.workflow === 'eraseUser') await api.pool.query(`update core_erasure set status = 'complete'`);
        return super.start(start);
      }
    }
    const workflows = new QuickErasure();
    let api: TestApi;
    let polls: Record<Polled, string>;
    before(async () => {
      api = await startApi({}, undefined, workflows);
      await api.create('list', { name: 'News' });
      const people = Array.from({ length: 3 }, (_, n) => ({ id: n + 1, email: `p${n + 1}@example.org`, lists: [1] }));
      await insertPeople(api.pool, people);
      polls = await beginJobs(api);
    });
    after(() => api.close());

    for (const kind of Object.keys(ENDS) as Polled[]) {
      it(`is asked while it is under way, once for each look, and never again when its row says that it is over: ${kind}`, async () => {
        workflows.asked = [];
        for (const _look of [1, 2]) await api.read(polls[kind]);
        equal(workflows.asked.length, 2);
        equal(new Set(workflows.asked).size, 1);
        for (const end of ENDS[kind]) {
          await api.pool.query(end);
          workflows.asked = [];
          await api.read(polls[kind]);
          deepEqual(workflows.asked, [], end);
        }
      });
    }

    it('is not asked where it was over at the first look: an erasure', async () => {
      workflows.asked = [];
      equal((await api.call('POST', '/rest/v1/eraser/', { user_id: 3 })).statusCode, 303);
      deepEqual(workflows.asked, []);
    });
  });

  it('is left alone for three seconds when no worker answered for it, however often it is looked at; others are asked', async () => {
    const { client, namespace } = await createNamespace();
    const asked: { run: string; at: number }[] = [];
    const counting = new Client({
      connection: client.connection,
      namespace,
      interceptors: {
        workflow: [
          {
            query: (input, next) => {
              asked.push({ run: input.workflowExecution.workflowId!, at: performance.now() });
              return next(input);
            },
          },
        ],
      },
    });
    const workflows = temporalWorkflows(counting);
    for (const jobId of [1, 2]) await workflows.start(startOf('eraseUser', { jobId }, { userId: jobId, summary: 'Erase' }));
    const first = workflowId.eraseUser(1);
    const second = workflowId.eraseUser(2);
    const times = (run: string) => asked.filter((each) => each.run === run).map(({ at }) => at);

    equal(await workflows.query(first, 'progress', 200), null);
    equal(await workflows.query(first, 'progress', 200), null);
    equal(await workflows.query(second, 'progress', 200), null);
    equal(times(second).length, 1);
    while (times(first).length < 2) {
      equal(await workflows.query(first, 'progress', 200), null);
      await sleep(20);
    }
    const [before, after] = times(first) as [number, number];
    ok(after - before >= 3_000, `asked again after ${after - before} ms`);
  });
});
