import assert from 'node:assert/strict';
import fc from 'fast-check';
import { csvWriter, jsonWriter } from '../../domain/reports/cells.ts';
import { rowFormat } from '../../domain/reports/formats.ts';
import { OutBytes } from '../../domain/reports/out-bytes.ts';
import { anyString } from '../support/any-string.ts';
import { processorMs } from '../support/processor-time.ts';

const OIDS = [16, 20, 21, 23, 25, 26, 114, 700, 701, 1000, 1009, 1015, 1082, 1114, 1184, 1186, 1700, 2950, 3802];

/** Values as PostgreSQL writes them, and odd ones. */
const value = fc.oneof(
  anyString().filter((text) => text.isWellFormed() && !text.includes('\0')),
  fc.constantFrom(
    't',
    'f',
    '-12',
    '9007199254740993',
    '1.50',
    'NaN',
    '{"a": [1]}',
    '{a,"b c"}',
    '=1+1',
    '-5',
    '-2+3',
    '@x',
    '\tx',
    'a,b',
    'a;=b',
    '＝1+1',
    '－5',
    '＠x',
    '\uFEFFx',
    '"',
    '',
  ),
  fc.constantFrom('2026-01-02 03:04:05', '2026-01-02 03:04:05.678901+00', '2026-01-02 03:04:05+00', '12026-01-02 03:04:05', 'infinity'),
  fc.constantFrom('0044-03-15 00:00:00 BC', '2026-01-02 03:04:05+05:30', '2026-01-02 03:04:05.5', '2026-01-02 03:04:05+00:00'),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
);
const cell = fc.record({ oid: fc.constantFrom(...OIDS), value: fc.option(value, { freq: 8 }) });

function wire(values: (string | null)[]): Buffer {
  const parts = values.map((text) => {
    const bytes = Buffer.from(text ?? '');
    const length = Buffer.alloc(4);
    length.writeInt32BE(text === null ? -1 : bytes.length);
    return Buffer.concat([length, bytes]);
  });
  const count = Buffer.alloc(2);
  count.writeInt16BE(values.length);
  return Buffer.concat([count, ...parts]);
}

describe('rows of reports, written byte by byte', () => {
  it('are what the writers of single values say, whatever the types and values', () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }), (rows) => {
        const columns = rows[0]!.map(({ oid }, n) => ({ name: `c${n}`, oid }));
        const shaped = rows.map((row) => columns.map((_, n) => row[n]?.value ?? null));
        for (const format of ['json', 'csv'] as const) {
          const writer = rowFormat(format);
          const out = new OutBytes();
          writer.begin(out, columns);
          for (const [index, row] of shaped.entries()) writer.row(out, Buffer.concat([Buffer.from('xyz'), wire(row)]), 3, index);
          writer.end(out);
          const cells = (row: (string | null)[]) =>
            row.map((text, n) => {
              if (text === null) return format === 'json' ? 'null' : '';
              return (format === 'json' ? jsonWriter : csvWriter)(columns[n]!.oid)(text);
            });
          const expected =
            format === 'json'
              ? `[${shaped.map((row) => `[${cells(row).join(',')}]`).join(',\n')}]`
              : [columns.map(({ name }) => name), ...shaped.map(cells)].map((row) => `${row.join(',')}\r\n`).join('');
          // An int4 that is none cannot come; the rest must be alike to the byte.
          if (columns.some(({ oid }, n) => [21, 23].includes(oid) && shaped.some((row) => !/^-?\d{1,10}$/.test(row[n] ?? '0')))) return;
          if (columns.some(({ oid }, n) => oid === 16 && shaped.some((row) => !['t', 'f', null].includes(row[n]!)))) return;
          if (columns.some(({ oid }, n) => oid === 20 && shaped.some((row) => !/^-?\d+$/.test(row[n] ?? '0')))) return;
          assert.equal(out.take().toString(), expected);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('have arrays as the database has them', () => {
    const [texts, ints] = [jsonWriter(1009), jsonWriter(1007)];
    for (const [text, json] of [
      ['{}', '[]'],
      ['{a,"b c",NULL,"NULL",""}', '["a","b c",null,"NULL",""]'],
      ['{"c\\"d","\\\\","{,}"}', '["c\\"d","\\\\","{,}"]'],
      ['[0:1][2:3]={{"a,b",c},{d,NULL}}', '[["a,b","c"],["d",null]]'],
    ] as const)
      assert.equal(texts(text), json);
    assert.equal(ints('{{1,-2},{NULL,3}}'), '[[1,-2],[null,3]]');
    assert.equal(jsonWriter(1185)('{"2026-01-02 03:04:05.678+00",infinity}'), '["2026-01-02T03:04:05","infinity"]');
    for (const none of ['', '{', '{a', '{"a', '{"a\\', '{}}', '{{}', 'a', '{}{}']) assert.equal(texts(none), JSON.stringify(none));
  });

  it('take no longer for each member of an array, however many there are', () => {
    const moments = (many: number) => `{${Array(many).fill('"2026-01-02 03:04:05.678901+00"').join(',')}}`;
    const took = processorMs(() => jsonWriter(1185)(moments(100_000)));
    assert.ok(took < 500, `it took ${Math.round(took)} ms`);
  });
});
