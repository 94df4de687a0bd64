import { hash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES = ['@codemirror', '@lezer'];

/** Another one whenever the editor would be another: of its sources and of the packages it is made of. */
export const editorVersion: string = hash(
  'sha256',
  [
    ...globSync('*.js', { cwd: import.meta.dirname })
      .sort()
      .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')),
    ...globSync(`node_modules/{${PACKAGES.join(',')}}/*/package.json`, { cwd: ROOT })
      .sort()
      .map((file) => readFileSync(join(ROOT, file), 'utf8')),
  ].join('\n'),
  'base64url',
).slice(0, 10);

const KEPT = join(ROOT, 'node_modules/.cache/campaign-platform', `editor-${editorVersion}.js`);

let made: Promise<Buffer> | undefined;

/**
 * The editor of templates as one script for browsers. It is made once per version, a tenth of a second's work for a process of its own, and kept in node_modules/.cache:
 * `npm run build:editor` makes it ahead of time (in an image, say); where nothing can be written each process makes it once.
 */
export function editorBundle(): Promise<Buffer> {
  made ??= makeEditor().catch((error) => {
    made = undefined;
    throw error;
  });
  return made;
}

async function makeEditor(): Promise<Buffer> {
  if (existsSync(KEPT)) return readFileSync(KEPT);
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'editor.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'inline',
    write: false,
    logLevel: 'silent',
  });
  const script = Buffer.from(outputFiles[0]!.contents);
  try {
    mkdirSync(dirname(KEPT), { recursive: true });
    // Renamed when complete: several processes may make it at once.
    writeFileSync(`${KEPT}.${process.pid}`, script);
    renameSync(`${KEPT}.${process.pid}`, KEPT);
  } catch {
    // An image that cannot be written to: it is made anew next time.
  }
  return script;
}
