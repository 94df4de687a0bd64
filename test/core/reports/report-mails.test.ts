import { deepEqual, equal, rejects } from 'node:assert/strict';
import { runErasure } from '../../../core/people/erasure-job.ts';
import { RelayDownError } from '../../../core/people/send-once.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { addReportTask, beginUnmailedAnew } from '../../../core/reports/report-task.ts';
import { mailReport, runReportTask } from '../../../core/reports/run-report-task.ts';
import { createPool } from '../../../db/pool.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { ScriptedRelay } from '../../support/sending.ts';
import { startStatementProxy } from '../../support/statement-proxy.ts';

describe('the mail with a report', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ DATA_DIR: dataFolder() });
    await ensureReportRole(api.pool, api.env);
  });
  after(() => api.close());

  const run = (id: number) =>
    runReportTask({ pool: api.pool, env: api.env, relay: new ScriptedRelay(1) }, id, new AbortController().signal);
  async function completed(emails: string[], text = 'select 1 as one'): Promise<number> {
    const statement = { text, values: [] };
    const id = await addReportTask(sqlOn(api.pool), { shortName: 'any', statement, format: 'csv', emails, accountId: null });
    await run(id);
    return id;
  }
  const stands = async (id: number) =>
    (await api.pool.query('select mails_begun, mails_over, errors from core_backgroundtask where id = $1', [id])).rows[0];

  it('goes out where the database was lost while it was being marked as on its way: nobody has it then', async () => {
    const id = await completed(['ann@example.org']);
    const url = api.env.DATABASE_URL!;
    let lost = 0;
    const proxy = await startStatementProxy(url, () => (_nth, { text }) => {
      if (lost > 0 || !/^\s*update core_backgroundtask set mails_begun/.test(text)) return 'pass';
      lost++;
      return 'lose';
    });
    const near = createPool(Object.assign(new URL(url), { port: String(proxy.port) }).href, 2);
    const relay = new ScriptedRelay(1);
    const deps = { pool: near, env: api.env, relay };
    await rejects(mailReport(deps, id, 0));
    deepEqual([lost, relay.written], [1, []]);
    await mailReport(deps, id, 0);
    deepEqual(relay.written, ['ann@example.org']);
    deepEqual(await stands(id), { mails_begun: 1, mails_over: 1, errors: [] });
    await near.end();
    proxy.close();
  });

  /** A pool whose connections are lost before anything is done, as often as said, once the relay has answered. */
  function losing(times: number) {
    let asked = false;
    let lost = 0;
    const relay = new ScriptedRelay(1);
    const { send } = relay;
    relay.send = async (...given) => {
      asked = true;
      return send.apply(relay, given);
    };
    const pool = Object.create(api.pool, {
      query: {
        value: async (text: unknown, values?: unknown[]) => {
          if (asked && lost < times) {
            lost++;
            throw new Error('Connection terminated unexpectedly');
          }
          return api.pool.query(text as string, values);
        },
      },
    });
    return { pool, relay, env: api.env };
  }

  it('waits for a relay that does not take it, also where the database is away just then', async () => {
    const id = await completed(['bob@example.org']);
    const deps = losing(2);
    deps.relay.answer = (_mail, nth) =>
      nth === 1 ? { kind: 'unsent', reply: '421 later', relay: 'busy' } : { kind: 'accepted', reply: '250' };
    await rejects(mailReport(deps, id, 0), RelayDownError);
    await mailReport(deps, id, 0);
    deepEqual(deps.relay.written, ['bob@example.org']);
    deepEqual(await stands(id), { mails_begun: 1, mails_over: 1, errors: [] });
  });

  for (const [when, isLate] of [
    ['is heard in time, though not answered', false],
    ['arrives', true],
  ] as const)
    it(`goes out once where that its first sender puts it back ${when} when another one is at it`, async () => {
      const id = await completed([`cutoff-${isLate}@example.org`]);
      const [reached, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const relay = new ScriptedRelay(1);
      let asked = 0;
      relay.answer = async () => {
        if (++asked === 1) return { kind: 'unsent', relay: 'down', reply: 'no connection' };
        reached.resolve();
        await answers.promise;
        return { kind: 'accepted', reply: '250 ok' };
      };
      const sendBy = (pool: typeof api.pool) => mailReport({ pool, env: api.env, relay }, id, 0);
      let other: Promise<void> | null = null;
      let late = () => Promise.resolve<unknown>(null);
      let cutOff = 0;
      const query = async (text: unknown, values?: unknown[]) => {
        const ask = () => api.pool.query(text as string, values);
        if (asked === 0 || other || !/^\s*update core_backgroundtask set mails_begun/.test(String(text))) return ask();
        // The second time is heard where the first one is still on its way.
        if (!isLate || cutOff++ > 0) {
          const answer = await ask();
          other = sendBy(api.pool);
          await reached.promise;
          if (isLate) return answer;
        } else late = ask;
        throw new Error('Connection terminated unexpectedly');
      };
      await rejects(sendBy(Object.create(api.pool, { query: { value: query } })), RelayDownError);
      await late();
      const { mails_begun: begun } = await stands(id);
      answers.resolve();
      await other;
      await sendBy(api.pool);
      deepEqual([begun, asked, await stands(id)], [1, 2, { mails_begun: 1, mails_over: 1, errors: [] }]);
    });

  it('goes out with the next result, not uncertain, where somebody in this one is erased while the relay puts it off', async () => {
    const id = await completed(['off@example.org']);
    const relay = new ScriptedRelay(1);
    relay.answer = async (_mail, nth) => {
      if (nth > 1) return { kind: 'accepted', reply: '250' };
      await beginUnmailedAnew(sqlOn(api.pool), [id]);
      return { kind: 'unsent', relay: 'busy', reply: '421 later' };
    };
    const deps = { pool: api.pool, env: api.env, relay };
    await rejects(mailReport(deps, id, 0), RelayDownError);
    await run(id);
    await mailReport(deps, id, 0);
    deepEqual([relay.written, await stands(id)], [['off@example.org'], { mails_begun: 1, mails_over: 1, errors: [] }]);
  });

  it('is no longer said to be uncertain when the attempt that was taken for dead says what became of it', async () => {
    const said = [];
    for (const outcome of [
      { kind: 'accepted', reply: '250 ok' },
      { kind: 'failed', reply: '550 no' },
    ] as const) {
      const id = await completed(['slow@example.org']);
      const relay = new ScriptedRelay(1);
      relay.answer = async () => {
        await mailReport({ pool: api.pool, env: api.env, relay: new ScriptedRelay(1) }, id, 0);
        said.push((await stands(id)).errors);
        return outcome;
      };
      await mailReport({ pool: api.pool, env: api.env, relay }, id, 0);
      said.push((await stands(id)).errors);
    }
    const lost = ['Mail 1: uncertain: the worker ended while this mail was on its way to the relay'];
    deepEqual(said, [lost, [], lost, ['Mail 1: failed: 550 no']]);
  });

  it('goes to nobody twice where that of one before it was completed by hand while it was with the relay', async () => {
    const id = await completed(['ann@example.org', 'bob@example.org']);
    const relay = new ScriptedRelay(1);
    const deps = { pool: api.pool, env: api.env, relay };
    const held = Promise.withResolvers<void>();
    relay.answer = async (_mail, nth) => {
      if (nth === 1) await held.promise;
      return { kind: 'accepted', reply: '250' };
    };
    const first = mailReport(deps, id, 0);
    while ((await stands(id)).mails_begun === 0) await new Promise(setImmediate);
    await mailReport(deps, id, 1);
    held.resolve();
    await first;
    // As the sweep has it begun anew.
    for (const index of [0, 1]) await mailReport(deps, id, index);
    deepEqual(relay.written.toSorted(), ['ann@example.org', 'bob@example.org']);
    equal((await stands(id)).mails_over, 2);
  });

  for (const [when, isThere] of [
    ['is made', false],
    // Whoever stood still over the mail for so long has been given up.
    ['has been made', true],
  ] as const)
    it(`brings the result that ${when} anew where somebody in it was erased just before it was to go out`, async () => {
      const { rows } = await api.pool.query(`insert into core_user (email) values ('ida@example.org') returning id`);
      const id = await completed(['ann@example.org'], `select email from core_user where email like 'ida%'`);
      let erased = false;
      const pool = Object.create(api.pool, {
        query: {
          value: async (text: unknown, values?: unknown[]) => {
            if (!erased && /^\s*update core_backgroundtask set mails_begun/.test(String(text))) {
              erased = true;
              const job = await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [rows[0].id]);
              await runErasure({ pool: api.pool, env: api.env, log: { info() {}, warn() {}, error() {} } }, job.rows[0].id);
              if (isThere) await run(id);
            }
            return api.pool.query(text as string, values);
          },
        },
      });
      const relay = new ScriptedRelay(1);
      await mailReport({ pool, env: api.env, relay }, id, 0);
      deepEqual([erased, relay.written], [true, []]);
      deepEqual(await stands(id), { mails_begun: 0, mails_over: 0, errors: [] });
      // As the sweep has it begun anew.
      equal(await run(id), 1);
      await mailReport({ pool: api.pool, env: api.env, relay }, id, 0);
      deepEqual([relay.written, await stands(id)], [['ann@example.org'], { mails_begun: 1, mails_over: 1, errors: [] }]);
    });

  it('that the relay has is known to be with it, also where the database is away just then', async () => {
    const id = await completed(['eve@example.org']);
    const deps = losing(2);
    await mailReport(deps, id, 0);
    deepEqual(await stands(id), { mails_begun: 1, mails_over: 1, errors: [] });
    equal(deps.relay.written.length, 1);
  });
});
