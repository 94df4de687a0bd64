import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { streamReport } from '../../../core/reports/report-reader.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { type ReportValues, readReportValues } from '../../../core/sending/report-values.ts';
import { readMembers } from '../../../core/targeting/members.ts';
import type { RebuildError } from '../../../core/targeting/rebuild-error.ts';
import { reportDatabaseUrl } from '../../../db/report-login.ts';
import { rowFormat } from '../../../domain/reports/formats.ts';
import { StatementError } from '../../../domain/reports/statement-error.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { insertPeople } from '../../support/people.ts';
import { highestMemory, postmasterOf, runningReports, serverMemory } from '../../support/server-memory.ts';
import { BOMBS, GROWING } from './bombs.ts';

const TIMEOUT_MS = 300;
/** Of the patient ones, so many at a time as an API process may; of the list, together below the bound of one. */
const AT_ONCE = 4;
const LANES = 3;
/** For a machine that has more to do. */
const GRACE_MS = 20_000;
const MOST_MB = 1_000;
/** Of four at once, each held at its bound by the kernel. */
const BOUND_MB = 700;

describe('statements that ask for much', () => {
  let api: TestApi;
  let postmaster: number;

  before(async () => {
    api = await startApi({ STATEMENT_TIMEOUT_MS: String(TIMEOUT_MS), REPORT_MAX_ROWS: '100000', REPORT_SLOTS: String(2 * AT_ONCE) });
    await ensureReportRole(api.pool, api.env);
    await insertPeople(
      api.pool,
      Array.from({ length: 50 }, (_, n) => ({ id: n + 1, email: `p${n}@example.org` })),
    );
    const { rows } = await api.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    postmaster = postmasterOf(rows[0]!.pid);
  });
  after(() => api.close());

  const readPage = async () => {
    const asked = performance.now();
    assert.equal((await api.call('GET', '/rest/v1/user/1/')).statusCode, 200);
    return performance.now() - asked;
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

  /** Runs it, and says how long it took, what memory the server had, and how long somebody else waited for a page meanwhile. */
  async function observed<Answer>(run: () => Promise<Answer>) {
    const memory = highestMemory(postmaster);
    const began = performance.now();
    let over = false;
    let longest = 0;
    const others = (async () => {
      while (!over) {
        longest = Math.max(longest, await readPage());
        await pause();
      }
    })();
    // A late failure cuts the answer off.
    const answer = await run().catch((error: Error) => error);
    const ms = performance.now() - began;
    over = true;
    await others;
    return { answer, ms, mb: memory(), longest };
  }

  it('are a wide choice', () => assert.ok(new Set(BOMBS).size >= 60, `${new Set(BOMBS).size}`));

  it('are refused or ended in time, with the memory of the server below a gigabyte and others served meanwhile', async () => {
    // What a page takes anyway, for a machine may have other work, too.
    const calm: number[] = [];
    for (let n = 0; n < 20; n++, await pause()) calm.push(await readPage());
    const waits: number[] = [];
    const troubles: string[] = [];
    let most = 0;
    const left = [...BOMBS];
    const attack = async () => {
      for (let query = left.shift(); query !== undefined; query = left.shift()) await drop(query);
    };
    /** A machine that has much else to do gets no connection in time: then once more, later. */
    const again = new Set<string>();
    const drop = async (query: string) => {
      const { answer, ms, mb, longest } = await observed(() => api.call('POST', '/rest/v1/report/run/sql/', { query }));
      const said = answer instanceof Error ? answer.message : `${answer.statusCode} ${answer.body.slice(0, 120)}`;
      if (!(answer instanceof Error) && answer.statusCode === 503 && !again.has(query)) {
        again.add(query);
        left.push(query);
        return;
      }
      const line = `${query.slice(0, 100)} → ${said} in ${Math.round(ms)} ms, ${Math.round(mb)} MB, others ${Math.round(longest)} ms`;
      if (process.env['SHOW_BOMBS']) console.log(line);
      const fine = answer instanceof Error ? /destroyed/.test(answer.message) : [200, 400].includes(answer.statusCode);
      if (!fine || ms > TIMEOUT_MS + GRACE_MS || mb > MOST_MB) troubles.push(line);
      waits.push(longest);
      most = Math.max(most, mb);
    };
    await Promise.all(Array.from({ length: LANES }, attack));
    assert.deepEqual(troubles, []);
    waits.sort((a, b) => a - b);
    const bound = 1_500 + 20 * Math.max(...calm);
    assert.ok(waits[Math.floor(waits.length / 2)]! < bound, `others waited ${waits.map(Math.round).join(' ')} ms, at most ${bound}`);
  }).timeout(900_000);

  it('are ended by the memory they take long before their time is over', async () => {
    const patient = { ...api.env, STATEMENT_TIMEOUT_MS: 60_000 };
    for (const text of GROWING) {
      const reading = { reportDatabaseUrl: reportDatabaseUrl(patient), timeoutMs: 60_000, maxRows: 10, memoryMb: patient.REPORT_MEMORY_MB };
      const { answer, mb } = await observed(() => streamReport({ text, values: [] }, rowFormat('json'), reading));
      assert.ok(answer instanceof StatementError, text);
      assert.match(answer.message, /more than 128 MB|more memory than/, text);
      assert.ok(mb < MOST_MB, `${text} took ${mb} MB`);
    }
  });

  it('are ended by their memory also when an API process runs as many of them as it may', async () => {
    const patient = { ...api.env, STATEMENT_TIMEOUT_MS: 60_000 };
    const reading = {
      reportDatabaseUrl: reportDatabaseUrl(patient),
      timeoutMs: 60_000,
      maxRows: 10,
      memoryMb: patient.REPORT_MEMORY_MB,
    };
    const outcomes: string[] = [];
    for (let from = 0; from < GROWING.length; from += AT_ONCE) {
      const texts = Array.from({ length: AT_ONCE }, (_, n) => GROWING[(from + n) % GROWING.length]!);
      const attack = () => Promise.allSettled(texts.map((text) => streamReport({ text, values: [] }, rowFormat('json'), reading)));
      const { answer, mb, ms, longest } = await observed(attack);
      if (process.env['SHOW_BOMBS'])
        console.log(`${texts.length} at once: ${Math.round(mb)} MB, ${Math.round(ms)} ms, others ${Math.round(longest)} ms`);
      for (const [n, ended] of (answer as PromiseSettledResult<unknown>[]).entries())
        if (ended.status === 'fulfilled' || !(ended.reason instanceof StatementError)) outcomes.push(`${texts[n]} was not ended`);
      if (mb > MOST_MB) outcomes.push(`${texts.join(' | ')} took ${Math.round(mb)} MB`);
    }
    assert.deepEqual(outcomes, []);
  });

  it('are ended at their bound also while the process that should watch them is busy', async function () {
    if (spawnSync('prlimit', ['--version']).status !== 0) {
      console.log('      no prlimit on this machine (util-linux): only the watch bounds a report here, which cannot be busy');
      return this.skip();
    }
    const email = 'somebody.in@the-statement.example';
    const reading = { reportDatabaseUrl: reportDatabaseUrl(api.env), timeoutMs: 60_000, maxRows: 10, memoryMb: api.env.REPORT_MEMORY_MB };
    // All wait for a table that is held until this process is busy, and longer than the login allows otherwise.
    const { username, pathname } = new URL(reading.reportDatabaseUrl);
    await api.pool.query(`alter role ${username} in database ${pathname.slice(1)} set lock_timeout = '60s'`);
    const texts = GROWING.slice(-4).map(
      (text) => `/* ${email} */ select * from (${text}) growing where (select count(*) from core_page) >= 0`,
    );
    const holder = await api.pool.connect();
    await holder.query('begin; lock table core_page');
    let over = false;
    const attack = Promise.allSettled(texts.map((text) => streamReport({ text, values: [] }, rowFormat('json'), reading))).finally(() => {
      over = true;
    });
    while (!over && runningReports(postmaster) < texts.length) await pause();
    const letGo = holder.query('select pg_sleep(0.2); commit');
    await pause();
    let mb = 0;
    for (const end = performance.now() + 4_000; performance.now() < end; ) mb = Math.max(mb, serverMemory(postmaster));
    await letGo;
    holder.release();
    for (const [n, ended] of (await attack).entries())
      assert.match(ended.status === 'rejected' ? ended.reason.message : 'done', /more than 128 MB|larger than/, texts[n]);
    assert.ok(mb < BOUND_MB, `${mb} MB`);
    const words = readFileSync(`/proc/${postmaster}/cmdline`, 'utf8').split('\0');
    const log = readFileSync(join(words[words.indexOf('-D') + 1]!, '..', 'server.log'), 'utf8');
    assert.match(log, /TopMemoryContext/);
    assert.ok(!log.includes(email));
  });

  const HUGE = `select array_agg(g) from ${'(select generate_series(1, 100000000) as g) s'}`;
  const CHAIN = `select 1 from (values (1)) v${' cross join (values (1)) w'.repeat(400)}`;

  it('are no targeting either: raw_sql and query reports are refused, or end the rebuild', async () => {
    const refused = await api.call('POST', '/rest/v1/mailer/', { subjects: ['x'], includes: { raw_sql: [CHAIN] } });
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /more than 50 tables/);
    await api.pool.query(`insert into reports_queryreport (name, short_name, sql) values ('chain', 'chain', $1), ('huge', 'huge', $2)`, [
      CHAIN,
      HUGE,
    ]);
    const deps = {
      pool: api.pool,
      reportDatabaseUrl: reportDatabaseUrl(api.env),
      statementTimeoutMs: 60_000,
      reportMemoryMb: api.env.REPORT_MEMORY_MB,
    };
    for (const [includes, message] of [
      [{ raw_sql: [HUGE] }, /128 MB|more memory/],
      [{ query_reports: [{ short_name: 'huge' }] }, /128 MB|more memory/],
      [{ query_reports: [{ short_name: 'chain' }] }, /more than 50 tables/],
    ] as const) {
      const { answer, mb } = await observed(() => readMembers(deps, { includes, excludes: {} } as never));
      assert.match(String((answer as RebuildError).messages), message);
      assert.ok(mb < MOST_MB, `${mb} MB`);
    }
  });

  it('are no values of templates', async () => {
    for (const [name, message] of [
      ['chain', /chain cannot be shown: .*more than 50 tables/],
      ['huge', /huge cannot be shown: .*(128 MB|more memory|takes longer)/],
    ] as const) {
      const uri = await api.create('mailer', { html: `<p>{% report "${name}" %}</p>`, subjects: ['x'] });
      const { answer, mb } = await observed(() => readReportValues(api, Number(uri.split('/').at(-2))));
      assert.match(String((answer as ReportValues).errors), message);
      assert.ok(mb < MOST_MB, `${mb} MB`);
    }
  });

  it('are not saved as reports', async () => {
    const answer = await api.call('POST', '/rest/v1/queryreport/', { name: 'x', short_name: 'x', sql: CHAIN });
    assert.equal(answer.statusCode, 400);
    assert.match(answer.body, /more than 50 tables/);
  });
});
