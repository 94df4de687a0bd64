// Lists and parameters as people write them into a field.

const BETWEEN = /[\s,;]*/y;
const QUOTED = /"((?:[^"]|"")*)"[^\S\n]*(?=[,;\n]|$)/y;
const PLAIN = /[^,;\n]+/y;

/** Members of a text in which commas, semicolons or lines part them; one that holds such stands in quotes. */
export function readMembers(text: string): string[] {
  const members: string[] = [];
  let at = 0;
  const take = (part: RegExp) => {
    part.lastIndex = at;
    const found = part.exec(text);
    if (found) at = part.lastIndex;
    return found;
  };
  for (;;) {
    take(BETWEEN);
    if (at >= text.length) return members;
    const quoted = take(QUOTED)?.[1];
    members.push(quoted === undefined ? take(PLAIN)![0].trim() : quoted.replaceAll('""', '"').trim());
  }
}

/** Members as `readMembers` reads them. */
export const writeMembers = (members: readonly unknown[]): string =>
  members
    .map(String)
    .map((member) => (/[",;\n]/.test(member) ? `"${member.replaceAll('"', '""')}"` : member))
    .join(', ');

type Scalar = string | number | boolean | null;
const isScalar = (value: unknown): value is Scalar => value === null || ['string', 'number', 'boolean'].includes(typeof value);

const LITERAL = /^(?:-?\d+(?:\.\d+)?|true|false|null|".*"|\[.*\])$/s;

/** A value as it is written: a number, true, false, null, a text in quotes or a list in brackets as in JSON, else the text. */
function readValue(text: string): Scalar | Scalar[] {
  if (!LITERAL.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    // A number that would come out as another one is none: an account's, say.
    if (typeof value === 'number') return String(value) === text ? value : text;
    return [value].flat().every(isScalar) ? (value as Scalar | Scalar[]) : text;
  } catch {
    return text;
  }
}

const writeValue = (value: unknown): string =>
  typeof value === 'string' && readValue(value) === value && value === value.trim() && !/[\r\n]/.test(value)
    ? value
    : JSON.stringify(value);

/** Parameters of a report, `name = value` a line; of a name that is there more than once, a list. @returns null where a line says none */
export function readParameters(text: string): Record<string, unknown> | null {
  const values = new Map<string, Scalar | Scalar[]>();
  const more = new Map<string, Scalar[]>();
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    const at = line.indexOf('=');
    const name = line.slice(0, at).trim();
    if (at < 0 || name === '') return null;
    const value = readValue(line.slice(at + 1).trim());
    const before = values.get(name);
    const list = more.get(name) ?? (before === undefined ? undefined : [before].flat());
    if (list === undefined) values.set(name, value);
    else {
      // Put behind those there are: copied for each line, thousands would hold everybody up.
      for (const each of [value].flat()) list.push(each);
      more.set(name, list);
    }
  }
  return Object.fromEntries([...values, ...more]);
}

/** Parameters as `readParameters` reads them; what could not be read stands as it was written. */
export const writeParameters = (params: unknown): string =>
  typeof params === 'string'
    ? params
    : Object.entries(params ?? {})
        .map(([name, value]) => `${name} = ${writeValue(value)}`)
        .join('\n');
