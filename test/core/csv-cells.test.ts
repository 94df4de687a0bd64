import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { MOST_CELLS } from '../../core/csv-cells.ts';
import { mergefileLines } from '../../core/mailings/mergefile-rows.ts';
import { csvLines } from '../../core/people/csv-lines.ts';
import { InputError } from '../../domain/errors.ts';
import { startApi, type TestApi } from '../support/api.ts';

const COMMAS = ','.repeat(3_000_000);
const inPieces = (text: string, size: number) =>
  Readable.from(Array.from({ length: Math.ceil(text.length / size) }, (_, n) => Buffer.from(text.slice(n * size, (n + 1) * size))));
const all = async (records: AsyncIterable<string[]>) => {
  const found: string[][] = [];
  for await (const cells of records) found.push(cells);
  return found;
};
const lines = (text: string, size = 65_536) => all(csvLines(inPieces(text, size)));
const refused = (line: number) => (error: Error) => {
  assert.ok(error instanceof InputError, String(error));
  assert.deepEqual(error.fields['file'], [`The file is no CSV: more than ${MOST_CELLS} cells in line ${line}`]);
  return true;
};

describe('the cells of a line of CSV', () => {
  it('are counted, so that no line of commas holds anybody up', async () => {
    await assert.rejects(lines(`email\n${COMMAS}`), refused(2));
    await assert.rejects(lines(`email\r\n"a\r\nb"${COMMAS}`), refused(3));
    await assert.rejects(lines(COMMAS), refused(1));
    await assert.rejects(all(mergefileLines(inPieces(`email\n${COMMAS}`, 65_536))), refused(2));
  });

  it('are as many as there are up to that, in quotes, and in however many lines', async () => {
    const most = ','.repeat(MOST_CELLS - 1);
    for (const size of [4_093, 65_536]) {
      const found = await lines(`email\n"${COMMAS.slice(0, 20_000)}"\n${most}\n"a ""b"",\n",c\r\n${most}\rx`, size);
      assert.deepEqual(
        found.map(({ length }) => length),
        [1, 1, MOST_CELLS, 2, MOST_CELLS, 1],
      );
    }
    assert.deepEqual(await lines('a,"b\r\n,""c"\r\nd,e', 1), [
      ['a', 'b\r\n,"c'],
      ['d', 'e'],
    ]);
  });

  it('are refused where they are not UTF-8, which would spoil every letter with an accent', async () => {
    const text = 'email,first_name\na@example.org,José 🎈\n';
    const cut = (bytes: Buffer, size: number) =>
      Readable.from(
        Array.from(bytes, (_, n) => n * size)
          .filter((at) => at < bytes.length)
          .map((at) => bytes.subarray(at, at + size)),
      );
    const latin = Buffer.from('email,first_name\na@example.org,José\n', 'latin1');
    for (const read of [csvLines, mergefileLines]) {
      for (const size of [1, 7, 1_000]) {
        assert.deepEqual((await all(read(cut(Buffer.from(text), size))))[1], ['a@example.org', 'José 🎈']);
        for (const bytes of [latin, latin.subarray(0, -1), Buffer.from(text).subarray(0, -2)]) {
          await assert.rejects(
            all(read(cut(bytes, size))),
            (error: Error) => error instanceof InputError && /not in UTF-8, first in line 2:/.test(String(error.fields['file'])),
          );
        }
      }
      const long = Buffer.concat([Buffer.from('a,b\r\n'), Buffer.from('é,🎈\r\n'.repeat(50)), Buffer.from('x,José\r\n', 'latin1')]);
      for (const size of [1, 2, 3, 5, 64, 1_000])
        await assert.rejects(all(read(cut(long, size))), (error: InputError) => /line 52:/.test(String(error.fields['file'])));
      assert.deepEqual(
        (await all(read(cut(Buffer.from(`\ufeff${text}`, 'utf16le'), 1_000))))[1],
        ['a@example.org', 'José 🎈'],
        'UTF-16 says so',
      );
    }
  });

  it('are parted by tabs or semicolons where the first line has those and no comma', async () => {
    const read = [
      ['email', 'last, first'],
      ['a@example.org', 'Day;\tDoris'],
    ];
    for (const mark of ['\t', ';', ','])
      for (const start of ['', '\ufeff', '\r\n\n']) {
        const text = `${start}email${mark}"last, first"\r\na@example.org${mark}"Day;\tDoris"\r\n`;
        for (const size of [1, 5, 1_000]) {
          const found = await lines(text, size);
          assert.deepEqual(
            found.filter(({ length }) => length > 1),
            read,
            JSON.stringify(text),
          );
        }
      }
    const unicode = Buffer.from('\ufeffemail\tname\na@example.org\tJos\u00e9, \u092c\n', 'utf16le');
    assert.deepEqual(await all(csvLines(Readable.from([unicode.subarray(0, 7), unicode.subarray(7)]))), [
      ['email', 'name'],
      ['a@example.org', 'José, ब'],
    ]);
    await assert.rejects(lines(`email\tname\n${COMMAS.replaceAll(',', '\t')}`), refused(2));
  });

  it('are parted by what a first line sep= says, which spreadsheets read so; it is no line of the file', async () => {
    const read = [
      ['email', 'last, first'],
      ['a@example.org', 'Day;\tDoris'],
    ];
    for (const mark of [';', '\t', ',', '|'])
      for (const said of [`sep=${mark}`, `"SEP=${mark}"`])
        for (const [encoding, start] of [
          ['utf8', ''],
          ['utf8', '\ufeff'],
          ['utf16le', '\ufeff'],
        ] as const) {
          const text = `${start}${said}\r\n"email"${mark}"last, first"\r\na@example.org${mark}"Day;\tDoris"\r\n`;
          const bytes = Buffer.from(text, encoding);
          for (const size of [1, 5, 1_000]) {
            const pieces = () =>
              Readable.from(Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size)));
            // The parser knows UTF-16 by its first bytes together.
            if (encoding === 'utf16le' && size === 1) continue;
            // Others count as they stand in the file.
            assert.deepEqual(await all(csvLines(pieces())), [[''], ...read], JSON.stringify([text, encoding, size]));
            assert.deepEqual(await all(mergefileLines(pieces())), read, JSON.stringify([text, encoding, size]));
          }
        }
    for (const header of ['sep=', 'sep=a', 'sep=;b', 'sep;email', '\nsep=;'])
      assert.match(String(await lines(`${header}\nx\n`)), /sep/, header);
    assert.deepEqual(await lines('sep=;'), []);
  });

  describe('over HTTP', () => {
    let api: TestApi;
    before(async () => {
      api = await startApi();
    });
    after(() => api.close());

    for (const [what, content, words] of [
      ['too many cells', Buffer.from(`email\n${COMMAS}`), /more than 500000 cells in line 2/],
      ['another encoding', Buffer.from('email,city\na@example.org,Besançon\n', 'latin1'), /not in UTF-8/],
    ] as const) {
      it(`refuse the file with 400: ${what}`, async () => {
        await api.call('POST', '/rest/v1/importpage/', { name: 'import' });
        for (const [path, field] of [
          ['upload', 'upload'],
          ['mergefile', 'file'],
        ]) {
          const part = (name: string, more = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
          const before = `${part('page')}import\r\n${part(field!, '; filename="a.csv"')}`;
          const body = Buffer.concat([Buffer.from(before), content, Buffer.from('\r\n--b--\r\n')]);
          const answer = await api.call('POST', `/rest/v1/${path}/`, body, { 'content-type': 'multipart/form-data; boundary=b' });
          assert.equal(answer.statusCode, 400, answer.body);
          assert.match(answer.body, words);
        }
      });
    }
  });
});
