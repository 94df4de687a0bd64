import assert from 'node:assert/strict';
import pg from 'pg';
import { reportDiagram } from '../../../core/reports/report-diagram.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { reportDatabaseUrl } from '../../../db/report-login.ts';
import { connectOrm } from '../../../entities/orm.ts';
import { createDatabase } from '../../support/database.ts';

describe('the picture of the tables reports can read', () => {
  it('shows just the columns the restricted login sees', async () => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: 'a secret', STATEMENT_TIMEOUT_MS: 5000 };
    const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 2 });
    await ensureReportRole(pool, settings);
    await pool.end();
    const client = new pg.Client({ connectionString: reportDatabaseUrl(settings) });
    await client.connect();
    const { rows } = await client.query(
      `select table_name || '.' || column_name as column from information_schema.columns where table_schema = 'report'`,
    );
    await client.end();

    const orm = await connectOrm({ DATABASE_URL: settings.DATABASE_URL, DATABASE_POOL: 1 });
    const text = reportDiagram(orm.getMetadata().getAll().values());
    await orm.close(true);
    const shown: string[] = [];
    let table = '';
    for (const line of text.split('\n')) {
      table = /^ {2}(\w+) \{$/.exec(line)?.[1] ?? table;
      const column = /^ {4}\w+ (\w+)$/.exec(line)?.[1];
      if (column) shown.push(`${table}.${column}`);
    }
    assert.deepEqual(shown.sort(), rows.map(({ column }) => column).sort());
    assert.match(text, /core_whipcountactioncalled \}o--\|\| core_target : target_id/);
  });
});
