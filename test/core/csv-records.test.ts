import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { MOST_EMPTY } from '../../core/csv-records.ts';
import { mergefileLines } from '../../core/mailings/mergefile-rows.ts';
import { csvLines } from '../../core/people/csv-lines.ts';

const PIECE = 65_536;
const fileOf = (text: string) =>
  Readable.from(Array.from({ length: text.length / PIECE + 1 }, (_, n) => Buffer.from(text.slice(n * PIECE, (n + 1) * PIECE))));
const count = async (records: AsyncIterable<string[]>) => {
  let found = 0;
  for await (const _ of records) found++;
  return found;
};

/** How often everybody else has had a turn until `work` is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, over] = [0, false];
  const look = () => {
    turns++;
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  await work();
  over = true;
  return turns;
}

/** Milliseconds of the processor. */
async function taken(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe('the lines of a CSV file', () => {
  it('take no longer where they have other cells than the first line', async () => {
    const lines = 'someone@example.org,Someone\n'.repeat(30_000);
    const read = (header: string) => async () => assert.equal(await count(csvLines(fileOf(`${header}\n${lines}`))), 30_001);
    await read('email,first_name')();
    const even = await taken(read('email,first_name'));
    const uneven = await taken(read('email'));
    assert.ok(uneven < 5 * even, `${uneven} ms, and ${even} where all have as many`);
  });

  it('are read with turns of others in between, however short they are', async () => {
    const turns = await turnsDuring(async () => assert.equal(await count(csvLines(fileOf('\n'.repeat(300_000)))), 300_000));
    assert.ok(turns > 300, `${turns} turns`);
    const ofMergefile = await turnsDuring(async () => assert.equal(await count(mergefileLines(fileOf('email\n'.repeat(50_000)))), 50_000));
    assert.ok(ofMergefile > 50, `${ofMergefile} turns`);
  });

  it('may be empty so often as a spreadsheet has rows: a gigabyte of line ends, which packed is a megabyte, is refused', async () => {
    let found = 0;
    const reading = async () => {
      for await (const _ of csvLines(fileOf(`email\n${',,\n'.repeat(MOST_EMPTY + 1)}`))) found++;
    };
    await assert.rejects(reading, /file: The file has more than 1100000 empty lines/);
    assert.equal(found, 1 + MOST_EMPTY);
  });
});
