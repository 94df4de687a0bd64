import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnv } from '../../config/env.ts';
import { startPlatform } from '../../embedded/platform.ts';
import { ApiClient } from '../demo/client.ts';
import { type FuzzOptions, fuzz, schemathesis } from './schemathesis.ts';

/** Every operation by itself, on a platform that has one object of the most common kinds. @returns the exit code */
export async function everyOperation(
  options: Pick<FuzzOptions, 'perOperation' | 'seed' | 'only'>,
  say: (what: string) => void,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'campaign-platform-fuzz-'));
  const env = readEnv({
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    WORKER_PROCESSES: '1',
    LOG_LEVEL: 'warn',
    OPEN_RATE_LIMIT_PER_MINUTE: '0',
  });
  const program = await schemathesis(say);
  const platform = await startPlatform(env, { say });
  try {
    const login = { username: env.ADMIN_USERNAME, password: env.ADMIN_PASSWORD };
    const api = new ApiClient(platform.baseUrl, login.username, login.password);
    await api.write('POST', '/rest/v1/list/', { name: 'Fuzzed' });
    await api.write('POST', '/rest/v1/signuppage/', { name: 'fuzzed', list: '/rest/v1/list/1/' });
    await api.write('POST', '/rest/v1/action/', { page: 'fuzzed', email: 'fuzzed@example.org' });
    await api.write('POST', '/rest/v1/mailer/', { subjects: ['Fuzzed'], html: '<p>Fuzzed</p>', includes: { lists: ['Fuzzed'] } });
    return await fuzz(program, { baseUrl: platform.baseUrl, login, folder, ...options });
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
