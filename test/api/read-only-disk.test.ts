import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerTo } from '../../api/errors.ts';
import { lookAtDisk } from '../../core/health/machine.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { dataFolder } from '../support/data-folder.ts';
import { type SmallDisk, smallDisk, whyNotMountable } from '../support/small-disk.ts';

const SAYS = /The disk of this server cannot be written to or read; nothing was changed\./;

describe('a disk that takes no changes', () => {
  const DATA_DIR = dataFolder();
  let api: TestApi;
  let disk: SmallDisk;
  let page: string;

  before(async function () {
    const why = whyNotMountable();
    if (why) {
      console.log(`      cannot be staged here, for no file system can be mounted: ${why}`);
      this.skip();
    }
    disk = smallDisk(DATA_DIR, '1m');
    api = await startApi({ DATA_DIR });
    await api.create('user', { email: 'ada@example.org' });
    page = await api.create('importpage', { name: 'import', list: await api.create('list', { name: 'Imported' }) });
  });
  after(() => api?.close());
  beforeEach(() => disk.setReadOnly(false));

  const send = (resource: string, fields: Record<string, string>, file: string) => {
    const parts = Object.entries(fields).map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const head = `--b\r\nContent-Disposition: form-data; name="${file}"; filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n`;
    const payload = `${parts.join('')}${head}email,user_seat\nada@example.org,12A\n\r\n--b--\r\n`;
    return api.call('POST', `/rest/v1/${resource}/`, payload, {
      'content-type': 'multipart/form-data; boundary=b',
      'idempotency-key': resource,
    });
  };

  for (const [resource, file] of [
    ['upload', 'upload'],
    ['mergefile', 'file'],
  ] as const)
    it(`has ${resource} answered 503, and taken when it takes some: neither a defect nor the file's fault`, async () => {
      const fields: Record<string, string> =
        resource === 'upload' ? { page, user_fields_only: 'false', autocreate_user_fields: 'true' } : { name: 'Seats' };
      for (const folder of [false, true]) {
        if (folder) mkdirSync(join(DATA_DIR, 'uploads'), { recursive: true });
        disk.setReadOnly(true);
        const refused = await send(resource, fields, file);
        disk.setReadOnly(false);
        assert.equal(refused.statusCode, 503, refused.body);
        assert.match(refused.json().errors.service[0], SAYS);
        assert.equal(refused.headers['retry-after'], '5');
        assert.equal((await api.read(`/rest/v1/${resource}/`)).meta.total_count, 0);
      }
      assert.deepEqual(existsSync(join(DATA_DIR, 'uploads')) ? readdirSync(join(DATA_DIR, 'uploads')) : [], []);
      const taken = await send(resource, fields, file);
      assert.equal(taken.statusCode, 201, taken.body);
    });

  it('is what the console says of an import', async () => {
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    const _csrf = visitor.token(await visitor.get('/console/imports/'));
    disk.setReadOnly(true);
    const answer = await visitor.sendFile('/console/imports/', { _csrf }, { name: 'upload', filename: 'people.csv', content: 'email\n' });
    assert.equal(answer.statusCode, 503, text(answer.body));
    assert.match(text(answer.body), SAYS);
  });

  it('is not taken for a result that is gone', async () => {
    const { rows } = await api.pool.query(
      `insert into core_backgroundtask (short_name, statement, format, emails, status) values ('any', '{}', 'csv', '[]', 'completed') returning id`,
    );
    const url = `/rest/v1/report/download/${rows[0].id}/`;
    assert.equal((await api.call('GET', url)).statusCode, 404);
    // What stands in the place of the folder cannot be looked into.
    writeFileSync(join(DATA_DIR, 'reports'), '');
    const answer = await api.call('GET', url);
    assert.equal(answer.statusCode, 503, answer.body);
    assert.match(answer.body, SAYS);
  });

  it('is named by doctor', async () => {
    assert.match((await lookAtDisk(api.env)).says, /GB free/);
    disk.setReadOnly(true);
    const { state, says } = await lookAtDisk(api.env);
    assert.deepEqual([state, says], ['wrong', `${DATA_DIR} is mounted read-only`]);
  });

  it('is named by doctor also where it has room and may have no more files', async () => {
    const folder = dataFolder();
    smallDisk(folder, '3g,nr_inodes=3');
    assert.equal((await lookAtDisk({ ...api.env, DATA_DIR: folder })).state, 'well');
    for (const name of ['1', '2']) writeFileSync(join(folder, name), '');
    const { state, says } = await lookAtDisk({ ...api.env, DATA_DIR: folder });
    assert.deepEqual([state, says], ['wrong', `${folder} takes no more files, though it has room`]);
  });

  it('is named by doctor also where it is that of a folder in it, or somebody else’s', async () => {
    const folder = dataFolder();
    const uploads = smallDisk(join(folder, 'uploads'), '3g');
    uploads.setReadOnly(true);
    const { says } = await lookAtDisk({ ...api.env, DATA_DIR: folder });
    assert.equal(says, `${join(folder, 'uploads')} is mounted read-only`);
    uploads.setReadOnly(false);
    // As root every folder may be written to.
    const asked = `const { lookAtDisk } = await import(process.argv[1]); console.log((await lookAtDisk({ DATA_DIR: process.argv[2] })).says)`;
    const module = join(import.meta.dirname, '../../core/health/machine.ts');
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', asked, module, folder], { uid: 65_534, gid: 65_534 });
    assert.equal(String(said).trim(), `${folder} cannot be written to`);
  });
});

describe('a failure of a disk', () => {
  const failing = (code: string, syscall: string) => Object.assign(new Error(code), { code, syscall });

  for (const code of ['EROFS', 'EIO', 'EACCES', 'EPERM', 'ESTALE'])
    it(`is a 503 (${code})`, () => {
      const answer = answerTo(failing(code, 'write'), undefined, '');
      assert.deepEqual([answer?.status, SAYS.test(JSON.stringify(answer?.body))], [503, true]);
    });

  it('is none of a file that is missing, nor of a connection', () => {
    assert.equal(answerTo(failing('ENOENT', 'open'), undefined, ''), null);
    assert.doesNotMatch(JSON.stringify(answerTo(failing('EACCES', 'connect'), undefined, '')), /disk/);
  });

  it('is a 503 where it is that of the database', () => {
    const answer = answerTo(Object.assign(new Error('could not write block 7: Input/output error'), { code: '58030' }), undefined, '');
    assert.deepEqual([answer?.status, answer?.why], [503, 'The disk of the database fails; nothing was changed.']);
  });
});
