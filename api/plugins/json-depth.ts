const [QUOTE, BACKSLASH, OBJECT, OBJECT_END, LIST, LIST_END] = [...'"\\{}[]'].map((mark) => mark.charCodeAt(0));

/** Objects and lists in each other; what looks through a value does so by recursion. */
export const DEEPEST_JSON = 100;

/**
 * Where a JSON text goes deeper than anything here takes, looked for before it is parsed.
 * @returns a sentence with the place; null when it does not
 */
export function tooDeep(text: string): string | null {
  let [depth, quoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (code === OBJECT || code === LIST) {
      if (++depth > DEEPEST_JSON) return `This is nested more than ${DEEPEST_JSON} deep, ${placeOf(text, at)}.`;
    } else if (code === OBJECT_END || code === LIST_END) depth--;
  }
  return null;
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  return `at line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`;
}
