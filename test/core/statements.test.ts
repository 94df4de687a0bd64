import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { createDatabase } from '../support/database.ts';
import { type StatementText, statementTexts, temporaryTables } from '../support/statement-texts.ts';

describe('statements that are written as text', () => {
  let all: StatementText[];
  before(async () => {
    all = await statementTexts();
  });

  it('are understood by the migrated database', async () => {
    const pool = new pg.Pool({ connectionString: await createDatabase() });
    await ensureReportRole(pool, readEnv({}));
    const client = await pool.connect();
    const wrong: string[] = [];
    let prepared = 0;
    for (const { file, line, text } of all) {
      if (text === null) continue;
      await client.query('begin');
      try {
        for (const table of temporaryTables(file)) await client.query(table);
        await client.query(`prepare checked as ${text}`);
        prepared++;
        await client.query('deallocate checked');
      } catch (error) {
        wrong.push(`${file}:${line} ${(error as Error).message}`);
      }
      await client.query('rollback');
    }
    client.release();
    await pool.end();
    assert.deepEqual(wrong, []);
    // Those made of parts at run time are run by the tests of their area.
    assert.ok(prepared > all.length / 2, `${prepared} of ${all.length}`);
  });

  it('stand where docs/architecture.md says that they do, and why', () => {
    const [, section = ''] = readFileSync('docs/architecture.md', 'utf8').split('### Statements that stay text\n');
    const rows = section.split(/^#/m)[0]!.split('\n');
    const places = rows.flatMap((row) => /^\| (`[^|]*`) \|/.exec(row)?.[1]?.match(/(?<=`)[^`,]+(?=`)/g) ?? []);
    const files = all.map(({ file }) => file);
    assert.deepEqual(
      files.filter((file) => !places.some((place) => file.startsWith(place))),
      [],
    );
    assert.deepEqual(
      places.filter((place) => !files.some((file) => file.startsWith(place))),
      [],
    );
  });
});
