import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../../tools/previous-release/git.ts';
import { runPreviousRelease } from '../../tools/previous-release/run.ts';
import { dataFolder } from '../support/data-folder.ts';

const TESTS = ['test/api/mailer/queue.test.ts'];
const say = () => {};

describe('a release before this one, on the tables of this one', () => {
  before(function () {
    try {
      git('rev-parse', 'HEAD');
    } catch {
      console.log('      there is no git here: no earlier release was tried');
      this.skip();
    }
  });

  it('passes its tests where nothing was taken from it', () => {
    const { passed, said } = runPreviousRelease({ reference: 'HEAD', folder: dataFolder(), tests: TESTS, say });
    assert.ok(passed, said);
  });

  it('does not where a column was renamed that it uses', () => {
    const migrations = dataFolder();
    cpSync('migrations', migrations, { recursive: true });
    writeFileSync(
      join(migrations, '2100-01-01-renamed.ts'),
      `import { Migration } from '@mikro-orm/migrations';
      export class Renamed extends Migration {
        override up() { this.addSql('alter table core_mailing rename column status to state'); }
      }`,
    );
    const index = join(migrations, 'index.ts');
    const list = readFileSync(index, 'utf8').replace(/\];\s*$/, `  { name: '2100-01-01-renamed', class: Renamed },\n];\n`);
    writeFileSync(index, `import { Renamed } from './2100-01-01-renamed.ts';\n${list}`);
    const { passed, said } = runPreviousRelease({ reference: 'HEAD', folder: dataFolder(), tests: TESTS, migrations, say });
    assert.equal(passed, false);
    assert.match(said, /status/);
  });

  it('has to be one that git knows', () => {
    assert.throws(() => runPreviousRelease({ reference: 'no-such-release', folder: dataFolder(), say }), /no-such-release/);
  });
});
