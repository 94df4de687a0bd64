import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneAtATime, release, tryLock } from '../../embedded/pid-lock.ts';
import { dataFolder } from '../support/data-folder.ts';

describe('a lock between processes', () => {
  const file = join(dataFolder(), 'lock');

  it('is held by one, and not by one that died', async () => {
    const holder = spawn('sleep', ['60']);
    writeFileSync(file, String(holder.pid));
    assert.equal(tryLock(file), holder.pid);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    assert.equal(tryLock(file), 0);
    assert.equal(readFileSync(file, 'utf8'), String(process.pid));
    release(file);
    assert.ok(!existsSync(file));
  });

  it('makes work wait for the holder', async () => {
    const holder = spawn('sleep', ['0.3']);
    writeFileSync(file, String(holder.pid));
    let waited = 0;
    assert.equal(
      await oneAtATime(
        file,
        () => waited++,
        async () => holder.exitCode,
      ),
      0,
    );
    assert.equal(waited, 1);
    assert.ok(!existsSync(file));
  });

  it('is not let go by who does not hold it', () => {
    writeFileSync(file, '1');
    release(file);
    assert.ok(existsSync(file));
  });
});
