import { ADDRESS_COLUMNS, type Address, correctAddress, isKeptAsReceived, type ZipCentroid } from './address.ts';
import { IMPORT_COLUMNS, type ImportColumn, type ImportedLine } from './import-line.ts';

/** Columns of a person as they are stored. */
export type PersonRow = Record<ImportColumn, string>;

/** What a person becomes by the lines about them. */
export interface Imported {
  row: PersonRow;
  /** Whether a line says anything of their address: their place is made anew then. */
  placed: boolean;
  /** Their first address in the US as it was received, uncorrected. */
  received: Address | null;
}

/** Used where neither the line nor the person says where they come from. */
export const IMPORT_SOURCE = 'import';

const EMPTY = Object.fromEntries(IMPORT_COLUMNS.map((column) => [column, ''])) as PersonRow;

/**
 * Applies lines one after the other, each as if it had been sent in on the page by itself.
 * @param stored the person as they are; null for somebody new
 */
export function applyLines(
  stored: PersonRow | null,
  lines: Pick<ImportedLine, 'person'>[],
  centroidOf: (zip: string) => ZipCentroid | null,
  stateCode: (name: string) => string | null,
): Imported {
  const imported: Imported = { row: { ...(stored ?? EMPTY) }, placed: false, received: null };
  const { row } = imported;
  for (const { person } of lines) {
    const zipBefore = row.zip;
    // The source is of the first action: somebody who has one keeps it.
    const source = row.source || person.source || IMPORT_SOURCE;
    Object.assign(row, person, { source });
    const sent = new Set(ADDRESS_COLUMNS.filter((column) => column in person));
    if (sent.size === 0) continue;
    imported.placed = true;
    if (!imported.received && isKeptAsReceived(row)) imported.received = { ...row };
    Object.assign(row, correctAddress(row, sent, zipBefore, centroidOf, stateCode));
  }
  return imported;
}
