import { createReadStream, createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip, createGzip } from 'node:zlib';
import { escapeIdentifier } from '../../db/driver.ts';
import { FileError } from '../../domain/errors.ts';

/** Says what is in a backup, and by being there that it is whole: it is written last. */
export interface Manifest {
  format: 1;
  /** ISO 8601, UTC: everything committed before it is in the backup, nothing begun after it. */
  takenAt: string;
  /** Names, in the order they were run. */
  migrations: string[];
  tables: { name: string; columns: string[]; rows: number }[];
  sequences: { name: string; last: string; called: boolean }[];
}

/** A backup that cannot be made, or a folder that is none; the message says why. */
export class BackupError extends FileError {}

export const quoted = escapeIdentifier;

export const MANIFEST = 'manifest.json';

export function writeManifest(folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600 });
}

/** @throws BackupError when the folder holds no whole backup */
export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST);
  if (!existsSync(file)) throw new BackupError(`${folder} holds no whole backup: it has no ${MANIFEST}`);
  const manifest = readWhole(file);
  if (manifest.format !== 1) throw new BackupError(`${folder} is of a format this version does not know`);
  return manifest;
}

function readWhole(file: string): Manifest {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new BackupError(`${file} is cut short, or no manifest of a backup`);
  }
}

export const fileOf = (folder: string, table: string) => join(folder, `${table}.gz`);

/** Where the rows of a table go, compressed. Nobody but the owner may read it: it holds everything about everybody. A file that is there is another backup's: EEXIST. */
export function tableWriter(folder: string, table: string) {
  return [createGzip({ level: 1 }), createWriteStream(fileOf(folder, table), { mode: 0o600, flags: 'wx' })] as const;
}

export function tableReader(folder: string, table: string) {
  return [createReadStream(fileOf(folder, table)), createGunzip()] as const;
}
