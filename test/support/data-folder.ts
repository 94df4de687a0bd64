import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './endings.ts';

/** A fresh folder, gone when the tests of its file are over, or those of all files if it is made `once` for them. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'campaign-platform-test-'));
  // Others may pass through: as root, the database server runs as somebody else.
  chmodSync(folder, 0o711);
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
