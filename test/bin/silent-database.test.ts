import { equal, match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { COMPILED } from '../../embedded/programs.ts';
import { dataFolder } from '../support/data-folder.ts';

/** What a command ends with, and says, at a database that takes connections and says nothing. */
async function run(words: string[]): Promise<{ code: number | null; said: string; address: string }> {
  const silent = createServer((caller) => caller.on('error', () => {})).listen(0, '127.0.0.1');
  await new Promise((listening) => silent.once('listening', listening));
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const [name, ...args] = words;
  const child = spawn(process.execPath, [new URL(`../../bin/${name}.ts`, import.meta.url).pathname, ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: COMPILED,
      DATABASE_URL: `postgresql://someone:secret@${address}/nothing`,
      TEMPORAL_ADDRESS: '127.0.0.1:2',
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const code = await new Promise<number | null>((ended) => child.on('close', ended));
  silent.close();
  return { code, said: said.trim(), address };
}

describe('a database that is silent', () => {
  for (const [words, code] of [
    [['cli', 'admin', 'create', 'root', '--generate'], 3],
    [['backup', join(dataFolder(), 'backup')], 1],
    [['migrate'], 1],
  ] as [string[], number][])
    it(`is said to be by ${words[0]}, with the setting that leads to it, and is not waited for without end`, async () => {
      const ended = await run(words);
      const problem = ended.said.startsWith('{') ? JSON.parse(ended.said).msg : ended.said;
      equal(problem, `DATABASE_URL: no PostgreSQL answers at ${ended.address}: it is silent`);
      equal(ended.code, code);
    });

  it('is said to be where a pool asks it', async () => {
    const { code, said } = await run(['geo-load', new URL('../../package.json', import.meta.url).pathname]);
    match(said, /^DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:\d+: it is silent$/);
    equal(code, 1);
  });
});
