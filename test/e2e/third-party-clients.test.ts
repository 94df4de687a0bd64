import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readEnv } from '../../config/env.ts';
import { type Platform, startPlatform } from '../../embedded/platform.ts';
import { pythonEnvironment } from '../../tools/python-environment.ts';
import { dataFolder } from '../support/data-folder.ts';
import { sharedServers } from '../support/shared-servers.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples/clients');

/** What to install, the script that runs its methods, and how pip is asked. */
const CLIENTS: [requirement: string, script: string, options?: Parameters<typeof pythonEnvironment>[2]][] = [
  // Its own setup installs everything it can speak to unless it is told not to.
  ['parsons==6.1.0', 'parsons_methods.py', { words: ['--no-binary=parsons'], variables: { PARSONS_LIMITED_DEPENDENCIES: 'true' } }],
  ['django-actionkit-client==0.21.3', 'django_actionkit_methods.py'],
];

/** Clients written by others, as they are published, against the whole platform. */
describe('third-party clients', () => {
  let platform: Platform | undefined;
  const settings = { PORT: '0', DATA_DIR: dataFolder(), WORKER_PROCESSES: '1', API_STATUS_CODES: 'live' };
  const { ADMIN_USERNAME, ADMIN_PASSWORD } = readEnv(settings);
  after(() => platform?.stop());

  for (const [requirement, script, options] of CLIENTS) {
    it(`${requirement}: every method that ${script} runs does what it promises`, async function () {
      const programs = await pythonEnvironment(requirement, () => {}, options).catch((error: Error) => {
        console.log(`      ${requirement} cannot be run here: ${error.message.split('\n')[0]}`);
        return null;
      });
      if (programs === null) return this.skip();
      platform ??= await startPlatform(readEnv({ ...settings, ...(await sharedServers()) }));
      const variables = { ...process.env, API_URL: platform.baseUrl, API_USERNAME: ADMIN_USERNAME, API_PASSWORD: ADMIN_PASSWORD };
      const run = promisify(execFile)(join(programs, 'python'), [join(EXAMPLES, script)], { env: variables });
      const { stdout } = await run.catch((error: { stdout: string }) => error);
      assert.deepEqual(
        stdout.split('\n').filter((line) => line.startsWith('FAILED')),
        [],
      );
      assert.ok(stdout.includes('\n0 failed'), stdout);
    });
  }
});
