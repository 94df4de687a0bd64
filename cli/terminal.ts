/** What commands speak to. */
export interface Terminal {
  /** A line, or several, of what was asked for. @throws UnreadError where it is known that nobody reads them */
  out(text: string): void;
  /** Writes over the line written last by it; null where nobody looks at lines as they come. */
  redraw: ((line: string) => void) | null;
  /** What went wrong, and what is to be known beside. */
  problem(text: string): void;
  /** Asks a person, whose answer is empty where they leave (Ctrl-C); null when there is none. */
  ask: ((question: string) => Promise<string>) | null;
  /** All that comes in. */
  input(): Promise<string>;
}

/** How a command ended, for scripts. */
export const EXIT = { done: 0, refused: 1, usage: 2, away: 3 } as const;

/** The command line cannot be understood. */
export class UsageError extends Error {}

/** It was understood, and is refused or not there. */
export class RefusedError extends Error {}

/** The API or the database cannot be reached, or does not let us in. */
export class AwayError extends Error {}

/** The API does not know name or password: asked again it counts one more wrong one, until the account is closed to everybody at this address. */
export class ShutOutError extends AwayError {}

/** Nobody reads what is printed any more (`| head`). */
export class UnreadError extends Error {}

const CONTROL = /\p{Cc}/gu;

/** Text from outside, which then cannot move the cursor. */
export const plain = (text: string): string => text.replace(CONTROL, ' ');

/** A text for a narrow column. That it goes on is seen: half an address looks like another one. */
export const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Rows under headings, numbers to the right. What comes from outside cannot move the cursor. */
export function table(headings: string[], rows: (string | number | null)[][]): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => plain(String(cell ?? '–'))))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => [...row[column]!].length)));
  const numeric = headings.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  return cells
    .map((row) =>
      row
        .map((cell, column) => {
          const room = ' '.repeat(widths[column]! - [...cell].length);
          return numeric[column] ? room + cell : cell + room;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One thing, a fact a line. */
export function facts(pairs: [string, string | number | null][]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${plain(String(value ?? '–'))}`).join('\n');
}
