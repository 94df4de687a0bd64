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

  describe('over HTTP', () => {
    let api: TestApi;
    before(async () => {
      api = await startApi();
    });
    after(() => api.close());

    it('refuse the file with 400', async () => {
      await api.create('importpage', { name: 'import' });
      for (const [path, field] of [
        ['upload', 'upload'],
        ['mergefile', 'file'],
      ]) {
        const part = (name: string, more: string, content: string) =>
          `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
        const body = `${part('page', '', 'import')}${part(field!, '; filename="a.csv"', `email\n${COMMAS}`)}--b--\r\n`;
        const type = { 'content-type': 'multipart/form-data; boundary=b' };
        const answer = await api.call('POST', `/rest/v1/${path}/`, Buffer.from(body), type);
        assert.equal(answer.statusCode, 400, answer.body);
        assert.match(answer.body, /more than 500000 cells in line 2/);
      }
    });
  });
});
