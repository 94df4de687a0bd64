import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type BundlerPlugin, bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { FAILURES } from '../config/payload-codec.ts';

const ROOT = dirname(import.meta.dirname);
const MAKER = join(import.meta.dirname, 'make-workflow-bundle.ts');
export const ENCRYPTED = 'encrypted';

/**
 * The workflows as one script. It is made once per state of their sources and of the SDK and kept in node_modules/.cache, so that workers start
 * at once: `npm run build:workflows` makes it ahead of time (in an image, say); where nothing can be written it is made anew each time.
 * It is made by a process of its own, for that takes more memory than a worker has ever again.
 * @param plugins what else goes into it
 * @param encrypted for workers whose failures are encrypted
 */
export async function workflowBundle(plugins: BundlerPlugin[] = [], encrypted = false): Promise<WorkflowBundleOption> {
  const codePath = pathOf(plugins, encrypted);
  // Plugins are objects of this process.
  if (!existsSync(codePath) && plugins.length === 0)
    await promisify(execFile)(process.execPath, [MAKER, ...(encrypted ? [ENCRYPTED] : [])], { env: { PATH: process.env['PATH'] } }).catch(
      () => {},
    );
  if (existsSync(codePath)) return { codePath };
  return makeWorkflowBundle(plugins, encrypted);
}

/** Makes it here and now. The same parameters. */
export async function makeWorkflowBundle(plugins: BundlerPlugin[], encrypted: boolean): Promise<WorkflowBundleOption> {
  const codePath = pathOf(plugins, encrypted);
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT, 'workflows/index.ts'),
    logger: new DefaultLogger('WARN'),
    plugins,
    ...(encrypted && { failureConverterPath: FAILURES }),
  });
  try {
    mkdirSync(dirname(codePath), { recursive: true });
    // Renamed when complete: several workers may start at once.
    writeFileSync(`${codePath}.${process.pid}`, code);
    renameSync(`${codePath}.${process.pid}`, codePath);
  } catch {
    return { code };
  }
  return { codePath };
}

const pathOf = (plugins: BundlerPlugin[], encrypted: boolean): string =>
  join(
    ROOT,
    'node_modules/.cache/campaign-platform',
    `workflows-${[sourceHash(), ...plugins.map(({ name }) => name), ...(encrypted ? [ENCRYPTED] : [])].join('-')}.js`,
  );

/** Over everything that may be in the bundle; its name in the cache. */
function sourceHash(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'node_modules/@temporalio/workflow/package.json')));
  for (const file of globSync('{workflows,domain}/**/*.ts', { cwd: ROOT }).sort()) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 24);
}
