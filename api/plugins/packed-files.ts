import { pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { InputError } from '../../domain/errors.ts';
import { FileTooLargeError, type SentFile } from './forms.ts';

// Files that were packed before they were sent: by gzip, or as a ZIP archive of one file.

/** How they begin. */
const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const ZIP = Buffer.from('PK\x03\x04', 'latin1');

/** The parts of a ZIP archive that are read: what each begins with, and bytes before its name. */
const ENTRY = { sign: 0x02014b50, length: 46 };
const LOCAL = { sign: 0x04034b50, length: 30 };
const END = { sign: Buffer.from('PK\x05\x06', 'latin1'), length: 22 };
/** Of the comment an archive may end with. */
const LONGEST_COMMENT = 65_535;
/** Bytes of the list of what is in it: one file has a few hundred. */
const LONGEST_LIST = 100_000;

/** One file of a ZIP archive. */
interface Entry {
  name: string;
  encrypted: boolean;
  /** 0 as it is, 8 deflated. */
  method: number;
  packedBytes: number;
  bytes: number;
  /** Where it begins. */
  at: number;
}

/**
 * What is in a file that came packed; any other as it is.
 * @param most bytes of what is in it: a small file may be packed of a large one. Whoever reads more gets a FileTooLargeError
 * @throws InputError under `file` for an archive that cannot be read or holds several files
 */
export async function unpacked(file: SentFile, most: number): Promise<SentFile> {
  const head = await part(file, 0, ZIP.length);
  if (head.subarray(0, GZIP.length).equals(GZIP)) return { ...file, content: () => unpack(file.content(), createGunzip(), most) };
  if (!head.equals(ZIP)) return file;
  const { encrypted, method, packedBytes, bytes, at } = onlyFile(await entriesOf(file));
  if (encrypted) throw wrong('The ZIP archive is locked by a password.');
  if (method !== 0 && method !== 8) throw wrong('The ZIP archive is packed by another method than deflate.');
  if (bytes > most) throw new FileTooLargeError();
  const local = await part(file, at, LOCAL.length);
  if (local.length < LOCAL.length || local.readUInt32LE(0) !== LOCAL.sign) throw unreadable();
  const start = at + LOCAL.length + local.readUInt16LE(26) + local.readUInt16LE(28);
  if (packedBytes === 0) return { ...file, content: () => Readable.from([]) };
  const content = () => file.content(start, start + packedBytes - 1);
  return { ...file, content: () => unpack(content(), method === 8 ? createInflateRaw() : null, bytes) };
}

/** What is beside the file itself: folders, and what macOS adds. */
const isBeside = ({ name }: Entry): boolean => name.endsWith('/') || /(^|\/)(__MACOSX\/|\.DS_Store$)/.test(name);

function onlyFile(entries: Entry[]): Entry {
  const files = entries.filter((entry) => !isBeside(entry));
  if (files.length !== 1) throw wrong(`The ZIP archive holds ${files.length} files: it has to hold one.`);
  return files[0]!;
}

async function entriesOf(file: SentFile): Promise<Entry[]> {
  const tail = await part(file, Math.max(0, file.bytes - END.length - LONGEST_COMMENT), END.length + LONGEST_COMMENT);
  const end = tail.lastIndexOf(END.sign);
  if (end < 0 || tail.length < end + END.length) throw unreadable();
  const [length, from] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (length > LONGEST_LIST) throw wrong('The ZIP archive holds too many files: it has to hold one.');
  const list = await part(file, from, length);
  const entries: Entry[] = [];
  for (let at = 0; at < length; ) {
    if (list.length < at + ENTRY.length || list.readUInt32LE(at) !== ENTRY.sign) throw unreadable();
    const [name, extra, comment] = [list.readUInt16LE(at + 28), list.readUInt16LE(at + 30), list.readUInt16LE(at + 32)];
    entries.push({
      name: list.toString('latin1', at + ENTRY.length, at + ENTRY.length + name),
      encrypted: (list.readUInt16LE(at + 8) & 1) === 1,
      method: list.readUInt16LE(at + 10),
      packedBytes: list.readUInt32LE(at + 20),
      bytes: list.readUInt32LE(at + 24),
      at: list.readUInt32LE(at + 42),
    });
    at += ENTRY.length + name + extra + comment;
  }
  return entries;
}

/** Bytes of a file; fewer where it ends. */
async function part(file: SentFile, from: number, length: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  if (length > 0) for await (const piece of file.content(from, from + length - 1)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** @param by null for what is not packed */
function unpack(packed: Readable, by: Transform | null, most: number): Readable {
  // Errors of the first come out of the second; whoever stops early ends both.
  if (by) pipeline(packed, by, () => {});
  return Readable.from(bounded(by ?? packed, most), { objectMode: false });
}

async function* bounded(content: Readable, most: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const piece of content as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > most) throw new FileTooLargeError();
      yield piece;
    }
  } catch (error) {
    throw /^Z_/.test(String((error as { code?: unknown }).code)) ? unreadable() : error;
  }
}

const wrong = (why: string) => new InputError({ file: why });
const unreadable = () => wrong('The file is packed, and cannot be unpacked: it is damaged, or was not sent whole.');
