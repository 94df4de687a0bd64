import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// How large the rooms of the house are, for docs/architecture.md: counted, so that the page stays true.

export interface SourceFile {
  /** From the root, with slashes. */
  path: string;
  lines: number;
  bytes: number;
  /** Why it is longer than it should be; null where it says nothing of that. */
  reason: string | null;
}

/** Longer files are one idea that would be harder to read in pieces, and say so at their top. */
export const LONGEST = 250;
const REASON = /^\/\/ Long: (.+)$/m;
/** As far as the top of a file goes. */
const TOP = 600;

const NOT_OURS = /^(?:\.|(?:site|client)(?:\/|$))|(?:^|\/)(?:node_modules|dist)(?:\/|$)/;

export function sourceFiles(root: string): SourceFile[] {
  const paths = globSync('**/*.ts', { cwd: root, exclude: (name) => NOT_OURS.test(String(name)) });
  return paths.sort().map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const reason = REASON.exec(text.slice(0, TOP))?.[1] ?? null;
    return { path: path.replaceAll('\\', '/'), lines: text.split('\n').length - 1, bytes: Buffer.byteLength(text), reason };
  });
}

/** What one row of the table is about. */
export interface RoomRow {
  rooms: string[];
  files: number;
  lines: number;
}

const ROW = /^\| (`\w+\/`(?:, `\w+\/`)*) \|(.*)\| (\d*) \| (\d*) \|$/gm;
const LONG_FILES = /(<!-- long files -->\n).*?(<!-- \/long files -->)/s;

const roomOf = (path: string): string => path.slice(0, path.indexOf('/'));

/** The rows the table of a page has, with the numbers that stand there. */
export function rowsIn(page: string): RoomRow[] {
  return [...page.matchAll(ROW)].map(([, names, , files, lines]) => ({
    rooms: names!.match(/\w+/g)!,
    files: Number(files),
    lines: Number(lines),
  }));
}

/** The same rows as the files are. */
export function counted(rows: readonly RoomRow[], files: readonly SourceFile[]): RoomRow[] {
  return rows.map(({ rooms }) => {
    const inside = files.filter(({ path }) => rooms.includes(roomOf(path)));
    return { rooms, files: inside.length, lines: inside.reduce((sum, { lines }) => sum + lines, 0) };
  });
}

/** Files of the product: what tests need is left out. */
const ofProduct = (files: readonly SourceFile[]): SourceFile[] => files.filter(({ path }) => !path.startsWith('test/'));

export const longFiles = (files: readonly SourceFile[]): SourceFile[] => ofProduct(files).filter(({ lines }) => lines > LONGEST);

export function medianBytes(files: readonly SourceFile[]): number {
  const sizes = ofProduct(files)
    .map(({ bytes }) => bytes)
    .sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)]!;
}

/** The page with the numbers of its table and its list of long files as they are. */
export function rewritten(page: string, files: readonly SourceFile[]): string {
  const list = longFiles(files)
    .map(({ path, lines, reason }) => `- \`${path}\` (${lines}): ${reason}\n`)
    .join('');
  const size = (medianBytes(files) / 1000).toFixed(1);
  return page
    .replace(ROW, (_row, names: string, middle: string) => {
      const [row] = counted([{ rooms: names.match(/\w+/g)!, files: 0, lines: 0 }], files);
      return `| ${names} |${middle}| ${row!.files} | ${row!.lines} |`;
    })
    .replace(LONG_FILES, `$1The median file has ${size} kB. Longer than ${LONGEST} lines are:\n\n${list}\n$2`);
}
