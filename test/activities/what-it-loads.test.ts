import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const LOADED = `await import('./activities/worker.ts');
console.log(Object.keys(process.getBuiltinModule('module')._cache).join('\\n'));`;

describe('a worker as it starts', () => {
  it('has loaded nothing that reads SQL or mails: most never need it, and it takes 15 MB and more', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', LOADED], { cwd: ROOT });
    const packages = new Set([...stdout.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name));
    assert.ok(packages.has('pg'));
    assert.deepEqual(
      ['libpg-query', 'pgsql-deparser', 'mailparser', 'nodemailer'].filter((name) => packages.has(name)),
      [],
    );
  });
});
