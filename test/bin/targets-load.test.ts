import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { legislators } from '../support/congress.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';

const run = promisify(execFile);

describe('npm run targets:load', () => {
  it('brings Congress up to date and says what it did', async () => {
    const DATABASE_URL = await createDatabase();
    const file = join(dataFolder(), 'legislators.yaml');
    const entries = legislators().slice(0, 40);
    const program = new URL('../../bin/targets-load.ts', import.meta.url).pathname;
    const load = async (what: unknown) => {
      writeFileSync(file, stringify(what, { aliasDuplicateObjects: false }));
      return run(process.execPath, [program, file], { env: { ...process.env, DATABASE_URL } });
    };
    assert.equal((await load(entries)).stdout, `${entries.length} added, 0 changed, 0 unchanged, 0 hidden\n`);
    const again = await load([...entries.slice(1), { id: { bioguide: 'Q1' } }]);
    assert.equal(again.stdout, `0 added, 0 changed, ${entries.length - 1} unchanged, 1 hidden\n`);
    assert.match(again.stderr, /skipped: Q1 has no term with a state/);
    await assert.rejects(load({ not: 'a list' }), /is not a list of legislators/);
    await assert.rejects(load([]), /no usable entry/);
    writeFileSync(file, Buffer.from('- id:\n    bioguide: Q1\n  name: { first: José }\n', 'latin1'));
    await assert.rejects(
      run(process.execPath, [program, file], { env: { ...process.env, DATABASE_URL } }),
      (error: { code: number; stderr: string }) => {
        assert.match(error.stderr, /^.*legislators\.yaml is not in UTF-8, first in line 3: .*\n$/);
        return error.code === 1;
      },
    );
  });
});
