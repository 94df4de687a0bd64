import type { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

// A ZIP archive of one file, written as the file is read (APPNOTE.TXT of PKWARE): sizes and checksum are known only behind it.

const DEFLATED = 8;
/** The sizes stand behind the data (bit 3); names are UTF-8 (bit 11). */
const FLAGS = 0x0808;
/** 1980-01-01: what a file is not asked for. */
const NO_DAY = 0x0021;
const FULL = 0xffff_ffff;
/** From here on sizes are written in eight bytes: deflated, a file may be somewhat larger than it was. */
const LARGE = 0xf000_0000;

/** @param bytes how many there are. Fails as the reading does */
export async function* zipped(name: string, content: Readable, bytes: number): AsyncGenerator<Buffer> {
  const large = bytes >= LARGE;
  const encoded = Buffer.from(name);
  const head = localHeader(encoded, large);
  yield head;
  let crc = 0;
  let size = 0;
  let packed = 0;
  const deflate = createDeflateRaw();
  content.on('data', (chunk: Buffer) => {
    crc = crc32(chunk, crc);
    size += chunk.length;
  });
  content.once('error', (error) => deflate.destroy(error));
  content.pipe(deflate);
  try {
    for await (const chunk of deflate as AsyncIterable<Buffer>) {
      packed += chunk.length;
      yield chunk;
    }
  } finally {
    content.destroy();
  }
  const descriptor = described(crc, packed, size, large);
  yield descriptor;
  yield directory(encoded, { crc, packed, size, large, at: head.length + packed + descriptor.length });
}

function localHeader(name: Buffer, large: boolean): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  shared(head, 4, large);
  head.writeUInt16LE(name.length, 26);
  // Sixteen empty bytes for sizes tell that those behind the data have eight bytes each.
  const extra = large ? extended([0, 0]) : Buffer.alloc(0);
  head.writeUInt16LE(extra.length, 28);
  if (large) head.fill(0xff, 18, 26);
  return Buffer.concat([head, name, extra]);
}

/** Version, flags, method, time and day, which both headers have alike. */
function shared(header: Buffer, at: number, large: boolean): void {
  for (const [index, value] of [large ? 45 : 20, FLAGS, DEFLATED, 0, NO_DAY].entries()) header.writeUInt16LE(value, at + index * 2);
}

function described(crc: number, packed: number, size: number, large: boolean): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x08074b50, 0);
  head.writeUInt32LE(crc, 4);
  return Buffer.concat([head, large ? wide([packed, size]) : narrow([packed, size])]);
}

function directory(name: Buffer, file: { crc: number; packed: number; size: number; large: boolean; at: number }): Buffer {
  const { crc, packed, size, large, at } = file;
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(large ? 45 : 20, 4);
  shared(entry, 6, large);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(large ? FULL : packed, 20);
  entry.writeUInt32LE(large ? FULL : size, 24);
  entry.writeUInt16LE(name.length, 28);
  const extra = large ? extended([size, packed]) : Buffer.alloc(0);
  entry.writeUInt16LE(extra.length, 30);
  const entries = Buffer.concat([entry, name, extra]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(large ? FULL : at, 16);
  return Buffer.concat([entries, ...(large ? [wideEnd(entries.length, at)] : []), end]);
}

/** The end of a large archive, and where that is to be found. */
function wideEnd(length: number, at: number): Buffer {
  const end = Buffer.alloc(24);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(45, 12);
  end.writeUInt16LE(45, 14);
  const locator = Buffer.alloc(8);
  locator.writeUInt32LE(0x07064b50, 0);
  const one = Buffer.alloc(4);
  one.writeUInt32LE(1, 0);
  return Buffer.concat([end, wide([1, 1, length, at]), locator, wide([at + length]), one]);
}

/** Sizes in eight bytes, as a field that the headers of large files have more. */
function extended(sizes: number[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(1, 0);
  head.writeUInt16LE(sizes.length * 8, 2);
  return Buffer.concat([head, wide(sizes)]);
}

function wide(numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 8);
  for (const [index, number] of numbers.entries()) bytes.writeBigUInt64LE(BigInt(number), index * 8);
  return bytes;
}

function narrow(numbers: number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32LE(number, index * 4);
  return bytes;
}
