import { deepEqual, equal, ok } from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import type { WorkflowGateway } from '../../api/workflow-gateway.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import type { PoolClient } from '../../db/driver.ts';
import type { Child } from '../../embedded/child.ts';
import { startWorkerProcess } from '../../embedded/programs.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { beginJobs } from '../support/jobs.ts';
import { insertPeople } from '../support/people.ts';
import { reportsWait } from '../support/reports-wait.ts';
import { createNamespace } from '../support/temporal.ts';

describe('whoever polls', () => {
  /** What runs have answered: null where no worker did. */
  const answers: unknown[] = [];
  /** Takes mails and never says a word. */
  const relay: Server = createServer((socket) => socket.on('error', () => {}));
  let api: TestApi;
  let holder: PoolClient;
  let worker: Child;
  /** Where each kind of work is watched. */
  const polls: Record<string, string> = {};

  before(async () => {
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const place = await createNamespace();
    const real = temporalWorkflows(place.client);
    const asked: WorkflowGateway = {
      ...real,
      query: async <Answer>(...question: [string, string, number]) => {
        const answer = await real.query<Answer>(...question);
        answers.push(answer);
        return answer;
      },
    };
    const DATA_DIR = dataFolder();
    api = await startApi({ DATA_DIR }, undefined, asked);
    await ensureReportRole(api.pool, api.env);
    await reportsWait(api.pool);
    await api.create('list', { name: 'News' });
    const people = Array.from({ length: 6 }, (_, n) => ({ id: n + 1, email: `p${n + 1}@example.org`, lists: [1] }));
    await insertPeople(api.pool, people);
    await begin();

    const { port } = relay.address() as { port: number };
    const env = {
      ...process.env,
      DATABASE_URL: api.databaseUrl,
      DATA_DIR,
      TEMPORAL_ADDRESS: place.address,
      TEMPORAL_NAMESPACE: place.namespace,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
    };
    worker = await startWorkerProcess({ env, logFolder: join(dataFolder(), 'logs') }, 1);
  });
  after(async () => {
    await holder.query('rollback');
    holder.release();
    await worker.stop();
    relay.close();
    await api.close();
  });

  /** Asks for a piece of work of each kind, and holds what each of them needs to go on. */
  async function begin(): Promise<void> {
    Object.assign(polls, await beginJobs(api));

    holder = await api.pool.connect();
    await holder.query('begin');
    await holder.query('lock table send_set, send_tally in exclusive mode');
    await holder.query('lock table core_tag in access exclusive mode');
    await holder.query('select from core_user order by id for no key update');
    await holder.query('select from core_uploadblock for update');
  }

  const erase = () => api.call('POST', '/rest/v1/eraser/', { user_id: 3 });

  /** Every document, but for what only a run can tell. */
  async function look(): Promise<Record<string, unknown>> {
    const documents: Record<string, unknown> = {};
    for (const [kind, uri] of Object.entries(polls)) {
      const { phase: _phase, pause: _pause, ...document } = await api.read(uri);
      documents[kind] = document;
    }
    return documents;
  }

  it('is told the same before and after the worker dies, by the runs first and by the rows then', async () => {
    const isBegun = async () => {
      const { rows } = await api.pool.query<{ begun: boolean }>(
        `select (select started_at from core_mailingrebuild order by id limit 1) is not null and (select started_at from core_mailingproof) is not null
           and (select status from core_backgroundtask) = 'running' as begun`,
      );
      return rows[0]!.begun;
    };
    while (!(await isBegun())) await sleep(50);
    const erasing = erase();
    let alive: Record<string, unknown>;
    // A worker that starts up is slow to answer, and not asked again for a while.
    do {
      await sleep(500);
      answers.length = 0;
      alive = await look();
    } while (answers.includes(null));
    equal(answers.length >= 6, true);

    process.kill(worker.pid, 'SIGKILL');
    await worker.exited;
    answers.length = 0;
    deepEqual(await look(), alive);
    ok(answers.length >= 6 && answers.every((answer) => answer === null), JSON.stringify(answers));
    equal((await erasing).statusCode, 303);
  });
});
