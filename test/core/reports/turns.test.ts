import assert from 'node:assert/strict';
import pg from 'pg';
import { prepareStatement } from '../../../core/reports/prepare.ts';
import { streamReport } from '../../../core/reports/report-reader.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { reportDatabaseUrl } from '../../../db/report-login.ts';
import { rowFormat } from '../../../domain/reports/formats.ts';
import { createDatabase } from '../../support/database.ts';

/** Bytes of rows that may be read before others have their turn: what a socket gives at once, and what it had read ahead. */
const MOST_AT_ONCE = 256 * 1024;

describe('a large report that is read as fast as it comes', () => {
  let pool: pg.Pool;
  let url: string;
  before(async () => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: 'a secret', STATEMENT_TIMEOUT_MS: 60_000 };
    pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 2 });
    await ensureReportRole(pool, settings);
    url = reportDatabaseUrl(settings);
  });
  after(() => pool.end());

  it('leaves each turn of the event loop to others after a little of it', async () => {
    const statement = await prepareStatement({ sql: `select repeat('x', 1000) from generate_series(1, 40000)`, dialect: 'postgresql' });
    let [turn, over] = [0, false];
    const count = () => {
      turn++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const perTurn = new Map<number, number>();
    const json = rowFormat('json');
    const counting = {
      ...json,
      row: (...given: Parameters<typeof json.row>) => {
        perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1000);
        json.row(...given);
      },
    };
    const { text, rows } = await streamReport(statement, counting, { reportDatabaseUrl: url, timeoutMs: 60_000, maxRows: 1_000_000 });
    let length = 0;
    for await (const chunk of text) length += (chunk as Buffer).length;
    over = true;
    assert.equal(rows(), 40_000);
    assert.ok(length > 40_000_000);
    assert.ok(Math.max(...perTurn.values()) <= MOST_AT_ONCE, `${Math.max(...perTurn.values())} bytes in one turn`);
  });
});
