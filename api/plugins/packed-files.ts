import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createGunzip } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { InputError } from '../../domain/errors.ts';
import { FileTooLargeError, type SentFile } from './forms.ts';

// Files that were packed before they were sent: by gzip, or as a ZIP archive of one file.

/** How they begin. */
const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const ZIP = Buffer.from('PK\x03\x04', 'latin1');

/** What is in the files that Excel, LibreOffice and Numbers keep as their own, which are archives, too. */
const OF_SPREADSHEET = /^(xl\/workbook\.|content\.xml$|Index\/Document\.)/;

/** Of an archive that holds one file, with folders and what is beside it. */
const MOST_ENTRIES = 1_000;

/**
 * What is in a file that came packed; any other as it is.
 * @param most bytes of what is in it: a small file may be packed of a large one. Whoever reads more gets a FileTooLargeError
 * @throws InputError under `file` for an archive that cannot be read or holds several files
 */
export async function unpacked(file: SentFile, most: number): Promise<SentFile> {
  const head = await buffer(file.content(0, ZIP.length - 1));
  if (head.subarray(0, GZIP.length).equals(GZIP)) return { ...file, content: () => bounded(async () => gunzip(file.content()), most) };
  if (!head.equals(ZIP)) return file;
  const { archive, entry } = await onlyFile(file).catch(tell);
  if (entry.uncompressedSize > most) throw new FileTooLargeError();
  return { ...file, content: () => bounded(() => archive.openReadStreamPromise(entry), most, entry.crc32) };
}

/** Errors of the packed one come out of it; whoever stops early ends both. */
const gunzip = (packed: Readable): Readable => pipeline(packed, createGunzip(), () => {});

class Sent extends RandomAccessReader {
  readonly #file: SentFile;

  constructor(file: SentFile) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return this.#file.content(start, end - 1);
  }
}

async function onlyFile(file: SentFile): Promise<{ archive: ZipFile; entry: Entry }> {
  // Names are nothing to us, so that none is wrong.
  const archive = await fromRandomAccessReaderPromise(new Sent(file), file.bytes, { autoClose: false, decodeStrings: false });
  if (archive.entryCount > MOST_ENTRIES) throw wrong('The ZIP archive holds too many files: it has to hold one.');
  let entry: Entry | null = null;
  let files = 0;
  for await (const each of archive.eachEntry()) {
    if (OF_SPREADSHEET.test(nameOf(each))) throw wrong('The file is a spreadsheet’s own: save it as CSV in UTF-8, and send that.');
    if (isBeside(each)) continue;
    // One is held: each may have a name and a comment of 190 KB.
    entry ??= each;
    files++;
  }
  if (!entry || files > 1) throw wrong(`The ZIP archive holds ${files} files: it has to hold one.`);
  if (entry.isEncrypted()) throw wrong('The ZIP archive is locked by a password.');
  if (!entry.canDecodeFileData()) throw wrong('The ZIP archive is packed by another method than deflate.');
  return { archive, entry };
}

/** What is beside the file itself: folders, and what macOS adds. */
const isBeside = (entry: Entry): boolean => /\/$|(^|\/)(__MACOSX\/|\.DS_Store$)/.test(nameOf(entry));

const nameOf = ({ fileNameRaw }: Entry): string => fileNameRaw.toString('latin1');

const bounded = (open: () => Promise<Readable>, most: number, sum: number | null = null): Readable =>
  Readable.from(read(open, most, sum), { objectMode: false });

/** @param sum that of what is in it, where nothing else compares it: of a letter that was changed on its way nobody would hear */
async function* read(open: () => Promise<Readable>, most: number, sum: number | null): AsyncGenerator<Buffer> {
  let [bytes, summed] = [0, 0];
  try {
    for await (const piece of (await open()) as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > most) throw new FileTooLargeError();
      if (sum !== null) summed = crc32(piece, summed);
      yield piece;
    }
    if (sum !== null && summed !== sum) throw damaged();
  } catch (error) {
    tell(error as Error);
  }
}

/** Of what is neither ours nor the disk's the file is the cause. */
function tell(error: Error): never {
  if (error instanceof InputError || error instanceof FileTooLargeError || 'syscall' in error) throw error;
  throw damaged();
}

const wrong = (why: string) => new InputError({ file: why });

const damaged = () => wrong('The file is packed, and cannot be unpacked: it is damaged, or was not sent whole.');
