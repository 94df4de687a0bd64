import { type CellWriter, csvText, csvWriter, jsonWriter, tsvWriter } from './cells.ts';
import type { OutBytes } from './out-bytes.ts';

// The cells of cells.ts, from byte to byte. Most values need no more than to be copied: making a string of each and gathering the strings again takes
// several times as long. Whatever is out of the ordinary goes the way of the strings.

/** Writes what PostgreSQL sent as text of one value, from `from` up to `to`. */
export type CellBytes = (out: OutBytes, data: Buffer, from: number, to: number) => void;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const throughText =
  (write: CellWriter): CellBytes =>
  (out, data, from, to) =>
    out.text(write(data.toString('utf8', from, to)));

function copied(out: OutBytes, data: Buffer, from: number, to: number): void {
  out.reserve(to - from);
  const { bytes } = out;
  let at = out.length;
  for (let n = from; n < to; n++) bytes[at++] = data[n]!;
  out.length = at;
}

const quotedByText = throughText(JSON.stringify);

/** A JSON string. */
function quoted(out: OutBytes, data: Buffer, from: number, to: number): void {
  out.reserve(to - from + 2);
  const { bytes } = out;
  let at = out.length;
  bytes[at++] = QUOTE;
  for (let n = from; n < to; n++) {
    const byte = data[n]!;
    if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) {
      quotedByText(out, data, from, to);
      return;
    }
    bytes[at++] = byte;
  }
  bytes[at++] = QUOTE;
  out.length = at;
}

/** Digits of an int8 that a float holds exactly, whatever they are. */
const SAFE_DIGITS = 15;

/** `2026-01-02 03:04:05`, with what follows the seconds left out. */
function isPlainTimestamp(data: Buffer, from: number, to: number): boolean {
  return (
    to - from >= 19 &&
    to - from <= 29 &&
    data[from + 4] === 0x2d &&
    data[from + 10] === 0x20 &&
    data[from + 16] === 0x3a &&
    zoneIsUtc(data, from + 19, to)
  );
}

/** Nothing, or fractions, then nothing or `+00`. */
function zoneIsUtc(data: Buffer, from: number, to: number): boolean {
  let at = from;
  if (data[at] === 0x2e && at < to) {
    at++;
    while (at < to && data[at]! >= 0x30 && data[at]! <= 0x39) at++;
  }
  return at === to || (to - at === 3 && data[at] === 0x2b && data[at + 1] === 0x30 && data[at + 2] === 0x30);
}

const FAST: Record<number, CellBytes> = {
  16: (out, data, from) => out.text(data[from] === 0x74 ? 'true' : 'false'),
  20: (out, data, from, to) => (to - from <= SAFE_DIGITS ? copied(out, data, from, to) : throughText(jsonWriter(20))(out, data, from, to)),
  21: copied,
  23: copied,
  1114: timestampBytes(1114),
  1184: timestampBytes(1184),
};

function timestampBytes(oid: number): CellBytes {
  const slow = throughText(jsonWriter(oid));
  return (out, data, from, to) => {
    if (!isPlainTimestamp(data, from, to)) return slow(out, data, from, to);
    const at = out.length + 11;
    quoted(out, data, from, from + 19);
    out.bytes[at] = 0x54;
  };
}

const plainText = jsonWriter(25);

/** How a column of this type is written, as JSON. */
export function jsonBytes(oid: number): CellBytes {
  const writer = jsonWriter(oid);
  return FAST[oid] ?? (writer === plainText ? quoted : throughText(writer));
}

/** How a column of this type is written in CSV. */
export function csvBytes(oid: number): CellBytes {
  const writer = csvWriter(oid);
  const slow = throughText(writer);
  if (writer !== csvText) return slow;
  return (out, data, from, to) => (needsCare(data, from, to) ? slow(out, data, from, to) : copied(out, data, from, to));
}

/** What csvText would change: a beginning a spreadsheet runs as a formula, a sign that needs quotes. */
function needsCare(data: Buffer, from: number, to: number): boolean {
  const first = from < to ? data[from]! : 0;
  // The last one begins the full-width signs.
  if (first === 0x3d || first === 0x2b || first === 0x40 || first === 0x2d || first === 0x09 || first === 0xef) return true;
  for (let n = from; n < to; n++) {
    const byte = data[n]!;
    if (byte === QUOTE || byte === 0x2c || byte === 0x3b || byte === 0x0a || byte === 0x0d) return true;
  }
  return false;
}

/** Truth as 1 and 0. */
export const truthBytes: CellBytes = (out, data, from) => out.text(data[from] === 0x74 ? '1' : '0');

/** Cells between tabs: asked for seldom, so that they go the way of the strings. */
export const tsvBytes = (oid: number): CellBytes => throughText(tsvWriter(oid));
