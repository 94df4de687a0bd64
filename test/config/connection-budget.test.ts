import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connectionBudget, REPORT_CONNECTIONS } from '../../config/connection-budget.ts';
import { readEnv } from '../../config/env.ts';

const page = (name: string) => readFileSync(`docs/${name}.md`, 'utf8').replaceAll(/\s+/g, ' ');

describe('how many connections to the database are asked for at most', () => {
  const { api, worker } = connectionBudget(readEnv({}));

  for (const name of ['operations', 'scaling', 'cluster'])
    it(`is told by one formula, and right: ${name}`, () => {
      const text = page(name);
      assert.ok(text.includes(`2 × \`DATABASE_POOL\` + \`DATABASE_LONG_POOL\` + 2 (${api})`), `${api} for an API`);
      assert.ok(text.includes(`\`DATABASE_POOL\` + 2 × \`SEND_SLOTS\` + 1 (${worker})`), `${worker} for a worker`);
      assert.match(text, new RegExp(`${REPORT_CONNECTIONS} (for reports )?over all`));
    });

  it('is added up right for many processes', () => {
    const most = (workers: number, apis: number) => (workers * worker + apis * api + REPORT_CONNECTIONS).toLocaleString('en');
    assert.ok(page('scaling').includes(`Ten workers and two APIs are ${most(10, 2)} at most, 50 workers and 4 APIs ${most(50, 4)}`));
    assert.ok(page('cluster').includes(`50 workers and 4 APIs are ${most(50, 4)}`));
    // Three of PostgreSQL's are kept for superusers.
    const carried = Math.floor((300 - 3 - api - REPORT_CONNECTIONS) / worker);
    assert.ok(
      page('cluster').includes(`${carried} workers and one API are all that \`max_connections = 300\` carries`),
      `${carried} workers`,
    );
  });
});
