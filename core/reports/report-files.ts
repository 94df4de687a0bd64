import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Where results of reports are kept. Names are ours: letters, digits, dot and dash. An object store would be another of these. */
export interface ReportFiles {
  /** All of it or nothing; writing a name again replaces it. @returns bytes written */
  write(name: string, content: Readable): Promise<number>;
  /** Null when there is none. */
  read(name: string): Promise<{ content: Readable; bytes: number } | null>;
  remove(name: string): Promise<void>;
  /** Every name there is, drafts of a write under way among them, and when it was last written to. */
  list(): Promise<{ name: string; writtenAt: Date }[]>;
}

/** Files in `DATA_DIR/reports`, which API and workers must share. */
export function diskReportFiles(dataDir: string): ReportFiles {
  const folder = join(dataDir, 'reports');
  const pathOf = (name: string): string => {
    if (!/^[\w-][\w.-]*$/.test(name)) throw new Error(`Not a name of ours: ${name}`);
    return join(folder, name);
  };
  return {
    async write(name, content) {
      const path = pathOf(name);
      // Unlike that of another attempt still running, which would write into ours.
      const draft = `${path}.${process.pid}.${Date.now()}.part`;
      await mkdir(folder, { recursive: true });
      try {
        await pipeline(content, createWriteStream(draft, { mode: 0o600 }));
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      return (await stat(path)).size;
    },
    async read(name) {
      const path = pathOf(name);
      const found = await stat(path).catch(() => null);
      return found ? { content: createReadStream(path), bytes: found.size } : null;
    },
    remove: (name) => rm(pathOf(name), { force: true }),
    async list() {
      const names = await readdir(folder).catch(() => []);
      const found = await Promise.all(
        names.map(async (name) => ({ name, writtenAt: (await stat(join(folder, name)).catch(() => null))?.mtime })),
      );
      return found.flatMap(({ name, writtenAt }) => (writtenAt ? [{ name, writtenAt }] : []));
    },
  };
}
