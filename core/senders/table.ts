import type { DomainCheck } from './check.ts';

/** A check for people to read: a line for each thing looked at, then the verdict. */
export function checkTable({ domain, passed, items }: DomainCheck): string {
  const rows = items.map(({ name, about, status, required, detail }) => [
    name,
    status === 'missing' && !required ? 'advised' : status,
    about,
    detail,
  ]);
  const width = (column: number) => Math.max(...rows.map((row) => row[column]!.length));
  const lines = rows.map((row) => row.map((cell, column) => (column === 3 ? cell : cell.padEnd(width(column)))).join('  '));
  return [...lines, '', passed ? `${domain} is set up for sending.` : `${domain} is not set up for sending.`].join('\n');
}
