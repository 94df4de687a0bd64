import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERASE_OPTIONS } from '../../core/people/belongings.ts';
import { runErasure } from '../../core/people/erasure-job.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { idIn } from '../support/mailings.ts';
import { merge } from '../support/merging.ts';

const OLD = 'Zed+Old@example.org';

describe('addresses somebody had before', () => {
  let api: TestApi;
  let folder: string;
  let people = 0;

  before(async () => {
    api = await startApi({ DATA_DIR: dataFolder() });
    folder = join(api.env.DATA_DIR, 'reports');
    mkdirSync(folder, { recursive: true });
    // As the worker does it.
    api.workflows.start = async ({ input }) => {
      await runErasure({ pool: api.pool, env: api.env, log: { warn() {} } as never }, (input as { jobId: number }).jobId);
      return 'started';
    };
  });
  after(() => api.close());

  const make = (email = `person${++people}@example.org`) => api.create('user', { email });
  const change = async (uri: string, email: string) => assert.equal((await api.call('PATCH', uri, { email })).statusCode, 202);
  const id = async (text: string, values: unknown[] = []): Promise<number> => (await api.pool.query(text, values)).rows[0].id;

  /** What others wrote down with an address, none of it beside a person who has it. @returns a kept report it stands in, and one it does not */
  async function written(email: string): Promise<string[]> {
    const other = idIn(await make());
    const mailing = await id('insert into core_mailing default values returning id');
    await api.pool.query(`insert into core_mailingproof (mailing_id, reviewers, proofs, finished) values ($1, $2, 1, true)`, [
      mailing,
      JSON.stringify([email, 'staff@example.org']),
    ]);
    await api.pool.query(`insert into core_bounce (user_id, kind, diagnostic) values ($1, 'soft', $2)`, [other, `forwarded to <${email}>`]);
    await api.pool.query(`insert into core_transactionalmailing (user_id, detail) values ($1, $2)`, [other, `550 ${email.toLowerCase()}`]);
    await api.pool.query(`insert into core_donationattempt (email, name, page, errors) values ($1, 'Zed', 'give', '{}')`, [
      email.toUpperCase(),
    ]);
    await api.pool.query(`insert into core_backgroundtask (statement) values ($1)`, [
      JSON.stringify({ text: 'select $1', values: [email] }),
    ]);
    const files: string[] = [];
    for (const text of [`email\n${email}\n`, 'email\nnobody@example.org\n']) {
      const task = await id(`insert into core_backgroundtask (statement, status) values ('{}', 'completed') returning id`);
      files.push(join(folder, `report-${task}.csv`));
      writeFileSync(files.at(-1)!, text);
    }
    return files;
  }

  async function tablesWith(text: string): Promise<string[]> {
    const { rows } = await api.pool.query<{ tablename: string }>(`select tablename from pg_tables where schemaname = 'public' order by 1`);
    const found: string[] = [];
    for (const { tablename } of rows) {
      const { rowCount } = await api.pool.query(`select 1 from "${tablename}" x where position(lower($1) in lower(x::text)) > 0 limit 1`, [
        text,
      ]);
      if (rowCount) found.push(tablename);
    }
    return found;
  }

  async function erase(uri: string): Promise<void> {
    const options = Object.fromEntries(ERASE_OPTIONS.map((name) => [name, true]));
    const answer = await api.call('POST', '/rest/v1/eraser/', { user_id: idIn(uri), ...options });
    assert.equal(answer.statusCode, 303, answer.body);
  }

  const WAYS: Record<string, () => Promise<string>> = {
    'one that was changed': async () => {
      const uri = await make(OLD);
      await change(uri, `new${people}@example.org`);
      return uri;
    },
    'one that was changed twice, and was kept again in other letters': async () => {
      const uri = await make(OLD);
      await change(uri, OLD.toUpperCase());
      await change(uri, `newer${people}@example.org`);
      await change(uri, `newest${people}@example.org`);
      return uri;
    },
    'one of somebody merged into them': async () => {
      const [stays, goes] = [await make(), await make(OLD)];
      await merge(api.pool, idIn(stays), [idIn(goes)]);
      return stays;
    },
    'one that somebody merged into them had before, by two merges': async () => {
      const [stays, between, goes] = [await make(), await make(), await make(OLD)];
      await change(goes, `gone${people}@example.org`);
      await merge(api.pool, idIn(between), [idIn(goes)]);
      await merge(api.pool, idIn(stays), [idIn(between)]);
      return stays;
    },
  };
  for (const [what, had] of Object.entries(WAYS)) {
    it(`go with an erasure from all that others wrote: ${what}`, async () => {
      const uri = await had();
      const [named, others] = await written(OLD);
      await erase(uri);
      assert.deepEqual(await tablesWith(OLD), []);
      assert.deepEqual([existsSync(named!), existsSync(others!)], [false, true]);
      const { rows } = await api.pool.query('select reviewers from core_mailingproof order by id desc limit 1');
      assert.deepEqual(rows, [{ reviewers: ['staff@example.org'] }]);
    });
  }

  it('are found in kept reports as they were written there, capitals beyond ASCII among them', async () => {
    for (const email of ['ÉMILE@example.org', 'ΣΊΣΥΦΟΣ@example.org', 'ann@BÜCHER.example']) {
      const uri = await make(email);
      const [named, others] = await written(email);
      await erase(uri);
      assert.deepEqual([existsSync(named!), existsSync(others!)], [false, true], email);
    }
  });

  it('are somebody else’s where somebody else has them by now', async () => {
    const uri = await make(OLD);
    await change(uri, `moved${people}@example.org`);
    const next = await make(OLD);
    const [named] = await written(OLD);
    await erase(uri);
    assert.ok(existsSync(named!));
    const kept = [
      'core_backgroundtask',
      'core_bounce',
      'core_donationattempt',
      'core_mailingproof',
      'core_transactionalmailing',
      'core_user',
    ];
    assert.deepEqual(await tablesWith(OLD), kept);
    await erase(next);
    assert.deepEqual(await tablesWith(OLD), []);
  });

  it('go with whoever is deleted', async () => {
    const uri = await make(OLD);
    await change(uri, `left${people}@example.org`);
    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
    assert.deepEqual(await tablesWith(OLD), []);
  });
});
