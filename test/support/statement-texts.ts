import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A statement that is written as text somewhere. */
export interface StatementText {
  file: string;
  line: number;
  /** Whole, or null where parts of it are made at run time. */
  text: string | null;
}

const ROOMS = ['activities', 'api', 'cli', 'console', 'core', 'db', 'entities', 'mail', 'workflows'];
const LITERAL = /`((?:[^`\\]|\\.)*)`|'((?:[^'\\\n]|\\.)*)'/g;
const STATEMENT = /^\s*(with(\s+recursive)?\s+\w+.*\bas\b|select\b|insert\s+into\b|update\s+\S+|delete\s+from\b|merge\s+into\b)\s/s;
const TEMPORARY = /create\s+temp\w*\s+table[^`']*/g;

/** Every statement that stands as text in the rooms of the platform, by file and line. */
export async function statementTexts(): Promise<StatementText[]> {
  const found: StatementText[] = [];
  const files = new Map(sources().map((file) => [file, readFileSync(file, 'utf8')]));
  const isPart = (before: string) => {
    const name = /const (\w+)(?:: string)? =\s*$/.exec(before)?.[1];
    return name !== undefined && [...files.values()].some((source) => source.includes(`\${${name}}`));
  };
  for (const [file, source] of files) {
    for (const match of source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, (line) => ' '.repeat(line.length)).matchAll(LITERAL)) {
      const literal = match[1] ?? match[2]!;
      if (!STATEMENT.test(literal) || isPart(source.slice(0, match.index))) continue;
      found.push({ file, line: source.slice(0, match.index).split('\n').length, text: await whole(file, source, literal) });
    }
  }
  return found;
}

/** Tables a file makes for the length of a transaction. */
export const temporaryTables = (file: string): string[] => readFileSync(file, 'utf8').match(TEMPORARY) ?? [];

const sources = (): string[] =>
  execFileSync('git', ['ls-files', ...ROOMS], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file.endsWith('.ts'));

/** The text with the constants it names put in; null when it holds anything else. */
async function whole(file: string, source: string, literal: string): Promise<string | null> {
  let text = literal.replaceAll('\\`', '`').replaceAll("\\'", "'").replaceAll('\\\\', '\\');
  for (const [place, name] of literal.matchAll(/\$\{([^}]*)\}/g)) {
    const value = await constant(file, source, name!);
    if (value === null) return null;
    text = text.replace(place, () => value);
  }
  return text.includes('${') ? null : text;
}

async function constant(file: string, source: string, name: string): Promise<string | null> {
  if (!/^\w+$/.test(name)) return null;
  const own = new RegExp(`^(?:export )?const ${name}(?:: string)? =\\s*(?:\`([^\`]*)\`|'([^'\n]*)');`, 'm').exec(source);
  if (own) return whole(file, source, own[1] ?? own[2]!);
  const from = new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from '(\\.[^']+)'`, 'm').exec(source);
  if (!from) return null;
  const value = ((await import(join(process.cwd(), dirname(file), from[1]!))) as Record<string, unknown>)[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
