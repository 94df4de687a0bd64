import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import { importUpload } from '../../core/people/import-upload.ts';
import { startApi, type TestApi } from '../support/api.ts';

const LIMIT = 1_000_000;

/** A ZIP archive of files and, where a name ends with a slash, folders. */
function zip(files: Record<string, string>, options: { compress?: boolean } = {}): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith('/')) archive.addEmptyDirectory(name);
    else archive.addBuffer(Buffer.from(text), name, options);
  }
  archive.end();
  return buffer(archive.outputStream);
}

describe('uploads that were packed', () => {
  let api: TestApi;
  let page: string;
  before(async () => {
    api = await startApi({ UPLOAD_LIMIT: String(LIMIT), MERGEFILE_LIMIT: String(LIMIT) });
    page = await api.create('importpage', { name: 'import', list: await api.create('list', { name: 'Imported' }) });
  });
  after(() => api.close());

  const send = (file: Buffer, filename: string) => {
    const head =
      `--b\r\nContent-Disposition: form-data; name="page"\r\n\r\n${page}\r\n` +
      `--b\r\nContent-Disposition: form-data; name="upload"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')]);
    return api.call('POST', '/rest/v1/upload/', body, { 'content-type': 'multipart/form-data; boundary=b' });
  };
  /** @returns the first names in the file */
  const imported = async (file: Buffer, filename: string): Promise<string[]> => {
    await api.pool.query('delete from core_user');
    const answer = await send(file, filename);
    assert.equal(answer.statusCode, 201, answer.body);
    const id = Number(String(answer.headers.location).split('/').at(-2));
    assert.equal(await importUpload(api, id, () => true), false);
    const { has_errors: errors, filename: kept } = await api.read(`/rest/v1/upload/${id}/`);
    assert.deepEqual([errors, kept], [0, filename]);
    return (await api.read('/rest/v1/user/')).objects.map((each: { first_name: string }) => each.first_name);
  };
  const refused = async (file: Buffer): Promise<string> => {
    const answer = await send(file, 'people.zip');
    assert.deepEqual([answer.statusCode, Object.keys(answer.json())], [400, ['upload']], answer.body);
    return answer.json().upload.upload[0];
  };
  const CSV = 'email,first_name\nann@example.org,Ann\nbob@example.org,Bob\n';

  it('are read as what is in them, by what they hold and not by their name', async () => {
    const members = Buffer.concat([gzipSync(CSV.slice(0, 30)), gzipSync(CSV.slice(30))]);
    for (const [file, name] of [
      [gzipSync(CSV), 'people.csv.gz'],
      [members, 'people.csv'],
      [await zip({ 'people.csv': CSV }), 'people.zip'],
      [await zip({ 'people.csv': CSV }, { compress: false }), 'people'],
      [await zip({ 'export/': '', 'export/people.csv': CSV, '__MACOSX/export/._people.csv': 'x', 'export/.DS_Store': 'y' }), 'a.zip'],
    ] as const)
      assert.deepEqual(await imported(file, name), ['Ann', 'Bob'], name);
  });

  it('say why they cannot be: several files, none, a password, damage, another method', async () => {
    const whole = await zip({ 'people.csv': CSV });
    assert.match(await refused(await zip({ 'a.csv': CSV, 'b.csv': CSV })), /holds 2 files/);
    // As Excel, LibreOffice and Numbers keep their own.
    for (const names of [
      ['[Content_Types].xml', 'xl/workbook.xml'],
      ['mimetype', 'content.xml', 'meta.xml'],
      ['Index/Document.iwa', 'preview.jpg'],
    ])
      assert.match(
        await refused(await zip(Object.fromEntries(names.map((name) => [name, '<x/>'])))),
        /is a spreadsheet’s own: save it as CSV in UTF-8/,
      );
    assert.match(await refused(await zip({ 'people.csv': '', 'empty/': '' })), /empty/);
    assert.match(await refused(await zip(Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`${n}.csv`, ''])))), /too many files/);
    const locked = Buffer.from(whole);
    const list = locked.indexOf('PK\x01\x02', 0, 'latin1');
    locked.writeUInt16LE(1, list + 8);
    assert.match(await refused(locked), /password/);
    const other = Buffer.from(whole);
    other.writeUInt16LE(14, list + 10);
    assert.match(await refused(other), /another method/);
    for (const cut of [5, 40, list, list + 20, whole.length - 10])
      assert.match(await refused(whole.subarray(0, cut)), /cannot be unpacked/);
    const changed = await zip({ 'people.csv': CSV }, { compress: false });
    changed.write('x', changed.indexOf('ann@'), 'latin1');
    assert.match(await refused(changed), /cannot be unpacked: it is damaged/, 'one letter is another');
    const elsewhere = Buffer.from(whole);
    elsewhere.writeUInt32LE(0xffffffff, list + 42);
    assert.match(await refused(elsewhere), /cannot be unpacked/);
    const gzip = gzipSync(CSV);
    assert.match(await refused(gzip.subarray(0, -9)), /cannot be unpacked/);
    assert.match(await refused(Buffer.concat([gzip.subarray(0, 20), gzip.subarray(22)])), /cannot be unpacked/);
    assert.match(await refused(gzipSync('first_name\nAnn\n')), /must name the columns/);
    assert.equal((await api.pool.query('select 1 from core_uploadblock')).rowCount, 0);
  });

  it('hold no more than a file may that is sent as it is', async () => {
    const lines = `email\n${'a@example.org\n'.repeat(LIMIT / 10)}`;
    for (const file of [gzipSync(lines), await zip({ 'people.csv': lines })]) {
      assert.ok(file.length < LIMIT / 10);
      assert.equal(await refused(file), 'The file is too large.');
    }
    const lying = await zip({ 'people.csv': lines });
    lying.writeUInt32LE(10, lying.indexOf('PK\x01\x02', 0, 'latin1') + 24);
    assert.match(await refused(lying), /cannot be unpacked/);
  });

  it('are taken as merge files, too', async () => {
    const merge = (file: Buffer) => {
      const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\nContent-Type: text/csv\r\n\r\n`;
      const body = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')]);
      return api.call('POST', '/rest/v1/mergefile/', body, { 'content-type': 'multipart/form-data; boundary=b' });
    };
    await api.create('user', { email: 'merged@example.org' });
    const csv = 'email;color\nmerged@example.org;red\n';
    for (const file of [gzipSync(csv), await zip({ 'rows.csv': csv })]) {
      const answer = await merge(file);
      assert.equal(answer.statusCode, 201, answer.body);
      const { columns, row_count: rows } = await api.read(String(answer.headers.location).slice(api.env.BASE_URL.length));
      assert.deepEqual([columns, rows], [['email', 'color'], 1]);
    }
    const long = gzipSync(`email,color\n${'merged@example.org,red\n'.repeat(LIMIT / 10)}`);
    for (const [file, why] of [
      [gzipSync(csv).subarray(0, -9), /cannot be unpacked/],
      [await zip({ 'a.csv': csv, 'b.csv': csv }), /holds 2 files/],
      [long, /too large/],
    ] as const) {
      const answer = await merge(file);
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().mergefile)], [400, ['file']], answer.body);
      assert.match(answer.json().mergefile.file[0], why);
    }
  });
});
