import { setImmediate as nextTurn } from 'node:timers/promises';

/** So many bytes are looked through, or read, before others have their turn. */
export const JSON_AT_ONCE = 128 * 1024;

const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [...'"\\-09'].map((mark) => mark.charCodeAt(0)) as [number, number, number, number, number];

/** Fewest digits of a whole number that a double may not hold. */
const LONG = /\d{16}/;
const NUMBER = /-?\d+(?:[.eE][\d.eE+-]*)?/y;

/**
 * A JSON text with those whole numbers in quotes that a double does not hold, such as the ids other services give: a parsed one is another number, and two of
 * them may be the same.
 * @param text that is JSON
 * @returns null where it has none
 */
export async function longNumbersQuoted(text: string): Promise<string | null> {
  if (!LONG.test(text)) return null;
  let [quotedText, from, inText] = ['', 0, false];
  let pause = JSON_AT_ONCE;
  for (let at = 0; at < text.length; at++) {
    if (at >= pause) {
      pause = at + JSON_AT_ONCE;
      await nextTurn();
    }
    const mark = text.charCodeAt(at);
    if (inText) {
      if (mark === BACKSLASH) at++;
      else if (mark === QUOTE) inText = false;
    } else if (mark === QUOTE) inText = true;
    else if (mark === MINUS || (mark >= ZERO && mark <= NINE)) {
      NUMBER.lastIndex = at;
      const [number] = NUMBER.exec(text) as RegExpExecArray;
      if (/^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))) {
        quotedText += `${text.slice(from, at)}"${number}"`;
        from = at + number.length;
      }
      at += number.length - 1;
    }
  }
  return from === 0 ? null : quotedText + text.slice(from);
}
