// An array as PostgreSQL writes it (`{1,"a b",NULL,{2}}`), as JSON. Read once from its beginning to its end: a row of sixteen megabytes has millions of members, and while
// it is read nobody else is answered.

/** Ends a text in quotes, or says that the sign behind it stands for itself. */
const IN_QUOTES = /["\\]/g;
/** Ends a text without quotes. */
const WITHOUT = /[,{}]/g;

/**
 * @param member gives the JSON of a member that is not null
 * @throws Error for what is no array
 */
export function arrayJson(text: string, member: (value: string) => string): string {
  // Where they do not begin at 1, the bounds stand in front: `[2:3]={1,2}`.
  const begin = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  if (text[begin] !== '{') throw new Error('It does not begin as an array.');
  let [out, depth] = ['', 0];
  for (let at = begin; at < text.length; at++) {
    if (depth === 0 && at > begin) throw new Error('Something stands behind the array.');
    const sign = text[at];
    if (sign === '{') [out, depth] = [`${out}[`, depth + 1];
    else if (sign === '}') [out, depth] = [`${out}]`, depth - 1];
    else if (sign === ',') out += ',';
    else if (sign === '"') {
      const { value, end } = quoted(text, at + 1);
      out += member(value);
      at = end;
    } else {
      const end = next(WITHOUT, text, at);
      const word = text.slice(at, end);
      out += word === 'NULL' ? 'null' : member(word);
      at = end - 1;
    }
  }
  if (depth !== 0) throw new Error('It does not end as an array.');
  return out;
}

/** A text up to its closing quote, which stands at `end`. */
function quoted(text: string, from: number): { value: string; end: number } {
  let value = '';
  for (let begin = from; ; ) {
    const end = next(IN_QUOTES, text, begin);
    value += text.slice(begin, end);
    if (text[end] === '"') return { value, end };
    value += text[end + 1];
    begin = end + 2;
  }
}

/** @throws Error where there is none */
function next(sign: RegExp, text: string, from: number): number {
  sign.lastIndex = from;
  const found = sign.exec(text);
  if (!found) throw new Error('It ends within a member.');
  return found.index;
}
