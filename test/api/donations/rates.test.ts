import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ECB } from '../../domain/ecb-rates.test.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { push } from '../../support/donations.ts';

describe('npm run rates:load', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('takes the rates of a day, which donations are converted at from then on', async () => {
    const root = join(import.meta.dirname, '../../..');
    const load = (usd: string) => {
      const file = join(dataFolder(), 'daily.xml');
      writeFileSync(file, ECB(`<Cube time='2026-11-20'><Cube currency='USD' rate='${usd}'/><Cube currency='GBP' rate='0.85'/></Cube>`));
      return promisify(execFile)(process.execPath, ['bin/rates-load.ts', file], {
        cwd: root,
        env: { ...process.env, DATABASE_URL: api.databaseUrl },
      });
    };
    assert.match((await load('1.02')).stdout, /2 rates of 2026-11-20/);
    const first = await push(api, { order: { currency: 'GBP' } });
    assert.equal(first.order.total_converted, '12.0000000000');
    await load('1.70');
    const second = await push(api, { order: { currency: 'GBP' } });
    assert.equal(second.order.total_converted, '20.0000000000');
    assert.equal((await api.read(first.order.resource_uri)).total_converted, '12.00', 'what was converted stays as it was');
    const { objects } = await api.read('/rest/v1/currency/?iso_code=GBP');
    assert.deepEqual([objects[0].per_euro, objects[0].rate_date], ['0.8500000000', '2026-11-20']);
  });
});
