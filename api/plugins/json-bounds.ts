import { setImmediate as nextTurn } from 'node:timers/promises';
import { JSON_AT_ONCE } from '../../domain/json-numbers.ts';

const [QUOTE, BACKSLASH, OBJECT, OBJECT_END, LIST, LIST_END, COMMA, COLON, NEWLINE] = [...'"\\{}[],:\n'].map((mark) => mark.charCodeAt(0));

/** Objects and lists in each other; what looks through a value does so by recursion. */
const DEEPEST_JSON = 100;
/** Members of lists and objects in all: a text of megabytes is read in no time, a million small values are not. */
const MOST_JSON_VALUES = 200_000;
/** Of them those with a name, which take several times as long. */
const MOST_JSON_NAMES = 20_000;

/**
 * Where a JSON text goes deeper or holds more than anything here takes, looked for before it is parsed.
 * @param bytes in UTF-8
 * @returns a sentence; null when it stays within bounds
 */
export async function beyondBounds(bytes: Uint8Array): Promise<string | null> {
  let [depth, quoted, values, names, line, lineBegin] = [0, false, 0, 0, 1, 0];
  let pause = JSON_AT_ONCE;
  for (let at = 0; at < bytes.length; at++) {
    if (at >= pause) {
      pause = at + JSON_AT_ONCE;
      await nextTurn();
    }
    const byte = bytes[at];
    if (quoted) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (byte === OBJECT || byte === LIST) {
      values++;
      if (++depth > DEEPEST_JSON) return `This is nested more than ${DEEPEST_JSON} deep, at line ${line}, column ${at - lineBegin + 1}.`;
    } else if (byte === OBJECT_END || byte === LIST_END) depth--;
    else if (byte === COMMA) values++;
    else if (byte === COLON) names++;
    else if (byte === NEWLINE) [line, lineBegin] = [line + 1, at + 1];
    if (values > MOST_JSON_VALUES) return `This holds more than ${MOST_JSON_VALUES} values.`;
    if (names > MOST_JSON_NAMES) return `This holds more than ${MOST_JSON_NAMES} named values.`;
  }
  return null;
}
