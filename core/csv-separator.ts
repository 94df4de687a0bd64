import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';

/** What may part the cells of a file. The first of them that its first line has is the one: what tables are called has no commas in files parted by others. */
const SEPARATORS = [',', '\t', ';'] as const;
export type Separator = (typeof SEPARATORS)[number];

/** How files in UTF-16 begin. */
const UTF_16 = 0xff;

/**
 * Looks at the first line of a file that is not empty.
 * @param longest bytes that are looked at
 * @returns what parts its cells, and the file from its beginning, in place of the one given
 */
export async function separated(file: Readable, longest: number): Promise<{ separator: Separator; content: Readable }> {
  const rest = file[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>;
  const head: Buffer[] = [];
  const seen = new Set<string>();
  let decoder: TextDecoder | null = null;
  let [quoted, begun, ended, length] = [false, false, false, 0];
  while (!ended && !seen.has(SEPARATORS[0]) && length < longest) {
    const { value, done } = await rest.next();
    if (done) break;
    const bytes = Buffer.from(value as Buffer);
    head.push(bytes);
    length += bytes.length;
    decoder ??= new TextDecoder(bytes[0] === UTF_16 ? 'utf-16le' : 'utf-8');
    for (const sign of decoder.decode(bytes, { stream: true })) {
      if (sign === '"') quoted = !quoted;
      if (quoted) continue;
      ended = begun && (sign === '\n' || sign === '\r');
      if (ended) break;
      begun ||= sign !== '\n' && sign !== '\r';
      seen.add(sign);
    }
  }
  async function* whole() {
    yield* head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  }
  const content = Readable.from(whole(), { objectMode: false });
  // Whoever stops early leaves the rest unread.
  content.once('close', () => file.destroy());
  return { separator: SEPARATORS.find((each) => seen.has(each)) ?? SEPARATORS[0], content };
}
