import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReportFiles } from './report-files.ts';

/** Beside them may stand what comes with a disk of its own: lost+found, snapshots, what was removed while somebody read it. */
const isOurs = (name: string): boolean => /^report-\d+\.[\w.-]+$/.test(name);

/** @throws what is no sign that a file or folder is not there */
function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}

/** Files in `DATA_DIR/reports`, which API and workers must share. */
export function diskReportFiles(dataDir: string): ReportFiles {
  const folder = join(dataDir, 'reports');
  const pathOf = (name: string): string => {
    if (!isOurs(name)) throw new Error(`Not a name of ours: ${name}`);
    return join(folder, name);
  };
  return {
    async draft(name, content) {
      const path = pathOf(name);
      // Unlike that of another attempt still running, which would write into ours.
      const draft = `${path}.${process.pid}.${Date.now()}.part`;
      await mkdir(folder, { recursive: true });
      try {
        await pipeline(content, createWriteStream(draft, { mode: 0o600 }));
        const { size: bytes } = await stat(draft);
        return { bytes, keep: () => rename(draft, path), drop: () => rm(draft, { force: true }) };
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    async read(name) {
      // Opened before its size is asked for: it may go, or another take its name, at any moment.
      const file = await open(pathOf(name)).catch(nullIfGone);
      if (!file) return null;
      const { size: bytes } = await file.stat();
      return { content: file.createReadStream(), bytes };
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async list() {
      // One that cannot be looked at holds whatever it holds: whoever erases somebody must not take it for an empty one.
      const names = (await readdir(folder).catch(nullIfGone)) ?? [];
      const found = await Promise.all(
        names.filter(isOurs).map(async (name) => ({ name, writtenAt: (await stat(join(folder, name)).catch(nullIfGone))?.mtime })),
      );
      return found.flatMap(({ name, writtenAt }) => (writtenAt ? [{ name, writtenAt }] : []));
    },
  };
}
