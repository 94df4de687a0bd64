import { arrayJson } from './array-json.ts';

// One value of a report's row, from PostgreSQL's text to JSON. Integers that fit and floats are numbers; numerics and larger integers are strings,
// since money never becomes a float; timestamps are UTC to the second without a zone; json is embedded as it is; the rest is text.

/** Takes PostgreSQL's text of one value and gives its JSON. */
export type CellWriter = (value: string) => string;

const asText: CellWriter = (value) => JSON.stringify(value);
const asInteger: CellWriter = (value) => (/^-?\d{1,10}$/.test(value) ? value : asText(value));
const asBigint: CellWriter = (value) => (Number.isSafeInteger(Number(value)) ? value : asText(value));
const asFloat: CellWriter = (value) => (Number.isFinite(Number(value)) ? String(Number(value)) : asText(value));
const asBoolean: CellWriter = (value) => (value === 't' ? 'true' : 'false');
const asTimestamp: CellWriter = (value) => asText(timestamp(value));

/** Embedded as it is, where it is JSON: a statement may have turned something else into the type's text. */
const asJson: CellWriter = (value) => {
  try {
    JSON.parse(value);
    // JSON of the database may hold line breaks between tokens; rows are one text.
    return value;
  } catch {
    return asText(value);
  }
};

/** `2026-01-02 03:04:05.678+00` → `2026-01-02T03:04:05`; infinity and years BC stay as PostgreSQL writes them. */
export function timestamp(value: string): string {
  const parts = /^(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)?(?:[+-]00(?::00)?)?$/.exec(value);
  return parts ? `${parts[1]}T${parts[2]}` : value;
}

const OIDS: Record<number, CellWriter> = {
  16: asBoolean,
  20: asBigint,
  21: asInteger,
  23: asInteger,
  26: asBigint,
  700: asFloat,
  701: asFloat,
  114: asJson,
  3802: asJson,
  1114: asTimestamp,
  1184: asTimestamp,
};

/** Array types, by the oid of their members. */
const ARRAYS: Record<number, number> = {
  1000: 16,
  1005: 21,
  1007: 23,
  1016: 20,
  1021: 700,
  1022: 701,
  1009: 25,
  1015: 25,
  1231: 1700,
  1182: 1082,
  1115: 1114,
  1185: 1184,
  199: 114,
  3807: 3802,
  2951: 2950,
};

const asArray =
  (member: CellWriter): CellWriter =>
  (value) => {
    try {
      return arrayJson(value, member);
    } catch {
      // A statement may have turned something else into the type's text.
      return asText(value);
    }
  };

/** How a column of this type is written, as JSON. */
export function jsonWriter(oid: number): CellWriter {
  const member = ARRAYS[oid];
  if (member !== undefined) return asArray(OIDS[member] ?? asText);
  return OIDS[oid] ?? asText;
}

const TIMESTAMPS = new Set([1114, 1184]);

/** How a column of this type is written in CSV (RFC 4180), quotes included where they are needed. Null is empty. */
export function csvWriter(oid: number): CellWriter {
  if (oid === 16) return asBoolean;
  return TIMESTAMPS.has(oid) ? (value) => csvText(timestamp(value)) : csvText;
}

/** How a column of this type is written with tabs between the cells. Null is empty. */
export function tsvWriter(oid: number): CellWriter {
  if (oid === 16) return asBoolean;
  return TIMESTAMPS.has(oid) ? (value) => tsvText(timestamp(value)) : tsvText;
}

/** Text as a cell between tabs. They are no quotes of ours that it may begin with: a spreadsheet takes them away all the same, and runs what stands behind. */
export function tsvText(value: string): string {
  const text = value.replace(/[\t\r\n]+/g, ' ');
  return isFormula(text.replace(/^"+/, '')) ? `'${text}` : text;
}

/** What a spreadsheet would run; some take full-width signs for the plain ones. A number is none, nor is one as people write it: `-1,234.50`, `-5%`. */
const isFormula = (text: string): boolean => /^[=+@\t\r＝＋－＠]|^-(?!([\d.]+(e[-+]\d+)?|[\d.,]+%?)$)/.test(text);

/**
 * Text as a CSV cell. What a spreadsheet would run as a formula gets an apostrophe in front: names and addresses come from strangers.
 * A semicolon is quoted, too: where it is what divides cells, what stands behind it would begin one.
 */
export function csvText(value: string): string {
  const text = isFormula(value) ? `'${value}` : value;
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
