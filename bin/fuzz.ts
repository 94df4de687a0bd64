import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnv } from '../config/env.ts';
import { startPlatform } from '../embedded/platform.ts';
import { ApiClient } from '../tools/demo/client.ts';
import { fuzz, schemathesis } from '../tools/fuzz/schemathesis.ts';
import { command, wholeNumber } from './command.ts';

// The whole API, by its OpenAPI document, on a platform of its own.
const number = { type: 'string' } as const;
const options = { 'per-operation': { ...number, default: '12' }, seed: { ...number, default: '1' }, only: { type: 'string' } } as const;
const say = (what: string) => console.log(`… ${what}`);

await command(
  'npm run fuzz -- [--per-operation 12] [--seed 1] [--only /rest/v1/list/]',
  options,
  async (_words, values) => {
    const perOperation = wholeNumber('--per-operation', values['per-operation']);
    const seed = wholeNumber('--seed', values.seed, 0);
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
      process.exitCode = await fuzz(program, { baseUrl: platform.baseUrl, login, perOperation, seed, folder, only: values.only });
    } finally {
      await platform.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  0,
);
