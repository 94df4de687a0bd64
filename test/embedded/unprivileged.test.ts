import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchAs, serverIdentity } from '../../embedded/unprivileged.ts';
import { dataFolder } from '../support/data-folder.ts';

const run = ({ command, args, user }: ReturnType<typeof launchAs>) => {
  const { stdout, stderr, status } = spawnSync(command, args, { ...user, cwd: '/', encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout.trim();
};

describe('running a server as somebody who is not root', () => {
  if (process.getuid!() !== 0) {
    it('leaves everything as it is for a user who is none', () => {
      assert.equal(serverIdentity('/tmp'), undefined);
      assert.deepEqual(launchAs(undefined, [], 'id', ['-u']), { command: 'id', args: ['-u'] });
    });
    return;
  }

  it('takes the owner of a folder that is there, else an unprivileged account', () => {
    const folder = dataFolder();
    assert.notEqual(serverIdentity(folder)!.uid, 0);
    chownSync(folder, 12_345, 12_345);
    assert.deepEqual(serverIdentity(folder), { uid: 12_345, gid: 12_345 });
  });

  it('runs programs that everybody can reach', () => {
    assert.equal(run(launchAs({ uid: 12_345, gid: 12_345 }, ['/bin/sh'], '/bin/sh', ['-c', 'id -u'])), '12345');
  });

  it('runs programs and reads files under a closed folder, as a home of root is, and programs those start too', () => {
    const closed = join(dataFolder(), 'home');
    mkdirSync(closed, { mode: 0o700 });
    const program = join(closed, 'program');
    copyFileSync('/bin/sh', program);
    chmodSync(program, 0o755);
    writeFileSync(join(closed, 'file'), 'content');
    const script = `test -x ${program} && ${program} -c 'id -u; cat ${closed}/file'`;
    assert.equal(run(launchAs({ uid: 12_345, gid: 12_345 }, [program], program, ['-c', script])), '12345\ncontent');
  });
});
