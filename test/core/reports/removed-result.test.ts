import { deepEqual, equal, rejects } from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { diskReportFiles } from '../../../core/reports/disk-report-files.ts';
import { forgetInReports } from '../../../core/reports/forget.ts';
import { reportFiles } from '../../../core/reports/kept-report-files.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { addReportTask } from '../../../core/reports/report-task.ts';
import { runReportTask } from '../../../core/reports/run-report-task.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { ScriptedRelay } from '../../support/sending.ts';

describe('a result kept in the database that is removed while it is read', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ REPORT_FILES: 'database' });
    await ensureReportRole(api.pool, api.env);
  });
  after(() => api.close());

  async function completed(): Promise<number> {
    const statement = { text: `select repeat('x', 1000) from generate_series(1, 1000)`, values: [] };
    const id = await addReportTask(sqlOn(api.pool), { shortName: 'any', statement, format: 'csv', emails: [], accountId: null });
    await runReportTask({ pool: api.pool, env: api.env, relay: new ScriptedRelay(1) }, id, new AbortController().signal);
    return id;
  }

  /** Does `work` while the file goes as soon as its first piece was read. */
  async function removing(id: number, work: () => Promise<unknown>): Promise<void> {
    const { query } = api.pool;
    let pieces = 0;
    const asked = (...given: unknown[]) => (query as (...all: unknown[]) => Promise<unknown>).apply(api.pool, given);
    api.pool.query = (async (...given: unknown[]) => {
      const found = await asked(...given);
      if (JSON.stringify(given[0]).includes('read-report-chunk') && ++pieces === 1)
        await asked('delete from report_file where name = $1', [`report-${id}.csv`]);
      return found;
    }) as never;
    await work().finally(() => {
      api.pool.query = query;
    });
  }

  it('is downloaded whole or not at all: what came of it is not taken for all there is', async () => {
    const id = await completed();
    const url = `/rest/v1/report/download/${id}/`;
    equal((await api.call('GET', url)).body.length, 'repeat\r\n'.length + 1000 * 1002);
    await removing(id, () => rejects(api.call('GET', url)));
    equal((await api.call('GET', url)).statusCode, 404);
  });

  it('is no hindrance to an erasure, which looks through all of them', async () => {
    const id = await completed();
    const files = reportFiles(api);
    await removing(id, () => forgetInReports(api.pool, files, ['ann@example.org']));
    deepEqual(await files.list(), []);
  });
});

describe('results that cannot be looked at', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('are not taken for none: an erasure that would find somebody in them is not done', async () => {
    const folder = dataFolder();
    const files = diskReportFiles(folder);
    deepEqual(await files.list(), []);
    // What stands in the place of the folder cannot be looked into.
    writeFileSync(join(folder, 'reports'), '');
    await rejects(files.list(), { code: 'ENOTDIR' });
  });

  it('are none of what stands beside them: a folder with a disk of its own has more in it', async () => {
    const folder = dataFolder();
    for (const name of ['lost+found', '.snapshot', 'old']) mkdirSync(join(folder, 'reports', name), { recursive: true });
    const files = reportFiles({ env: { ...api.env, DATA_DIR: folder }, pool: api.pool });
    await (await files.draft('report-1.csv', Readable.from(['ann@example.org\r\n']))).keep(sqlOn(api.pool));
    await forgetInReports(api.pool, files, ['ann@example.org']);
    deepEqual(readdirSync(join(folder, 'reports')).sort(), ['.snapshot', 'lost+found', 'old']);
  });
});

describe('a file of a result that is removed while it is read', () => {
  it('is read to its end', async () => {
    const folder = dataFolder();
    const files = diskReportFiles(folder);
    await (await files.draft('report-1.csv', Readable.from(['n\r\n', '1\r\n']))).keep(undefined as never);
    const file = await files.read('report-1.csv');
    rmSync(join(folder, 'reports/report-1.csv'));
    equal((await text(file!.content)).length, file!.bytes);
    equal(await files.read('report-1.csv'), null);
  });
});
