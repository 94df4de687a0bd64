import assert from 'node:assert/strict';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { withForm } from '../../api/plugins/forms.ts';

describe('a form that is cut off', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'campaign-form-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is written no further, into the file of somebody else that has its number by then', async () => {
    const [raw, file] = [Object.assign(new PassThrough(), { complete: false }), new PassThrough()];
    const parts = async function* () {
      setImmediate(() => raw.destroy());
      yield { type: 'file', fieldname: 'upload', filename: 'a.csv', file };
    };
    await assert.rejects(
      withForm({ raw, parts } as never, folder, async () => {}),
      /cut off/,
    );
    const another = await open(join(folder, 'another'), 'w');
    // What the reader of forms has in memory comes when it comes.
    file.on('error', () => {});
    file.write('email\na@example.org\n');
    await sleep(200);
    assert.equal((await another.stat()).size, 0);
    await another.close();
  });
});
