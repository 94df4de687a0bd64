import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';

/** What may part the cells of a file. The first of them that its first line has is the one: what tables are called has no commas in files parted by others. */
const SEPARATORS = [',', '\t', ';'] as const;
/** What a first line says that spreadsheets are told by, and some write, in quotes where a program wrote it as a cell: it names no columns. */
const SAID = /^("?)sep=([\t!#-/:-@[-`{-~])\1(?=[\r\n]|$)/i;
/** Characters of the longest one, with an end of line. */
const LONGEST_SAID = 8;

/** How files in UTF-16 begin. */
const UTF_16 = 0xff;
const UTF_8_MARK = Buffer.from('\ufeff');

/**
 * Looks at the first line of a file that is not empty.
 * @param longest bytes that are looked at
 * @returns what parts its cells, and the file from its beginning, in place of the one given; where its first line says what parts them, that is empty
 */
export async function separated(file: Readable, longest: number): Promise<{ separator: string; content: Readable }> {
  const rest = file[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>;
  const head: Buffer[] = [];
  const seen = new Set<string>();
  let decoder: TextDecoder | null = null;
  let [quoted, begun, ended, length, text] = [false, false, false, 0, ''];
  while ((text.length < LONGEST_SAID || (!ended && !seen.has(SEPARATORS[0]))) && length < longest) {
    const { value, done } = await rest.next();
    if (done) break;
    const bytes = Buffer.from(value as Buffer);
    head.push(bytes);
    length += bytes.length;
    decoder ??= new TextDecoder(bytes[0] === UTF_16 ? 'utf-16le' : 'utf-8');
    const read = decoder.decode(bytes, { stream: true });
    text += read.slice(0, LONGEST_SAID - text.length);
    for (const sign of ended ? '' : read) {
      if (sign === '"') quoted = !quoted;
      if (quoted) continue;
      ended = begun && (sign === '\n' || sign === '\r');
      if (ended) break;
      begun ||= sign !== '\n' && sign !== '\r';
      seen.add(sign);
    }
  }
  const said = SAID.exec(text);
  if (said) head.splice(0, head.length, ...without(said[0].length, Buffer.concat(head)));
  async function* whole() {
    yield* head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  }
  const content = Readable.from(whole(), { objectMode: false });
  // Whoever stops early leaves the rest unread.
  content.once('close', () => file.destroy());
  return { separator: said?.[2] ?? SEPARATORS.find((each) => seen.has(each)) ?? SEPARATORS[0], content };
}

/** The beginning of a file without its first characters, but with the mark it may begin with. */
function without(characters: number, head: Buffer): Buffer[] {
  const wide = head[0] === UTF_16;
  const mark = wide ? 2 : head.subarray(0, UTF_8_MARK.length).equals(UTF_8_MARK) ? UTF_8_MARK.length : 0;
  return [head.subarray(0, mark), head.subarray(mark + characters * (wide ? 2 : 1))];
}
