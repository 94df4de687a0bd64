import { isUtf8 } from 'node:buffer';

const LINE_END = /\r\n|[\r\n]/;

/** The first line of a text that is not in UTF-8, from 1 on; null where all of it is. No character of several bytes has a line's end among them. */
export function lineNotInUtf8(text: Buffer): number | null {
  if (isUtf8(text)) return null;
  const lines = text.toString('latin1').split(LINE_END);
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1'))) + 1;
}
