import { equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { limitMemory } from '../../../core/reports/report-memory.ts';
import { newConnection } from '../../../db/driver.ts';
import { createDatabase } from '../../support/database.ts';

const MOST = 512 * 1024 * 1024;

describe('the memory of the process behind a report', () => {
  before(function () {
    if (spawnSync('prlimit', ['--version']).status === 0) return;
    console.log('    no prlimit on this machine (util-linux): the kernel cannot be told');
    this.skip();
  });

  it('is bounded by the kernel also after others have ended while theirs was being bounded', async () => {
    const url = await createDatabase();
    const connect = async () => {
      const client = newConnection(url);
      client.on('error', () => {});
      await client.connect();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      return { client, pid: rows[0]!.pid };
    };
    for (let n = 0; n < 20; n++) {
      const { client, pid } = await connect();
      const limiting = limitMemory(client, MOST);
      process.kill(pid, 'SIGTERM');
      await limiting;
      await client.end().catch(() => {});
    }
    const { client, pid } = await connect();
    await limitMemory(client, MOST);
    const [, soft] = /Max data size +(\d+|unlimited)/.exec(readFileSync(`/proc/${pid}/limits`, 'latin1')) ?? [];
    equal(soft, String(MOST));
    await client.end();
  });
});
