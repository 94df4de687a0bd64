import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/**
 * A ZIP archive of one file, written as the file is read. It fails as the reading does, and the reading ends with it.
 * @param bytes how many there are
 */
export function zipped(name: string, content: Readable, bytes: number): Readable {
  const archive = new ZipFile();
  const output = archive.outputStream as Readable;
  for (const part of [archive, content]) part.once('error', (error: Error) => output.destroy(error));
  output.once('close', () => content.destroy());
  archive.addReadStream(content, name, { size: bytes });
  archive.end();
  return output;
}
