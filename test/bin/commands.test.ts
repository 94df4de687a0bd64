import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { COMPILED } from '../../embedded/programs.ts';
import { legislators } from '../support/congress.ts';
import { dataFolder } from '../support/data-folder.ts';

const NOWHERE = { DATABASE_URL: 'postgresql://someone:secret@127.0.0.1:1/nothing', TEMPORAL_ADDRESS: '127.0.0.1:2' };

const CODEC = { PAYLOAD_KEYS: `a:${Buffer.alloc(32, 1).toString('base64')}`, CODEC_PORT: '0' };

interface Ended {
  code: number | null;
  said: string;
}

const program = (name: string) => new URL(`../../bin/${name}.ts`, import.meta.url).pathname;

function begin(name: string, args: string[], env: Record<string, string>): { child: ChildProcess; said: () => string } {
  const child = spawn(process.execPath, [program(name), ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILED, ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  return { child, said: () => said };
}

function run(name: string, args: string[], env: Record<string, string>): Promise<Ended> {
  const { child, said } = begin(name, args, env);
  return new Promise((ended) => child.on('close', (code) => ended({ code, said: said() })));
}

const lines = (said: string) => said.trim().split('\n');

describe('commands', () => {
  const folder = dataFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  /** An embedded cluster would be made here. */
  const own = { DATA_DIR: join(folder, 'data') };

  /** Every command there is, with the file it is in. */
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const all = Object.entries(scripts).flatMap(([name, line]) => {
    const file = /\bbin\/([\w-]+)\.ts$/.exec(line)?.[1];
    return file ? [[name, file] as const] : [];
  });

  for (const [name, file] of new Map([...all, ['smtp-sink', 'smtp-sink']] as [string, string][])) {
    it(`say how they are called when they are given what they do not take: ${name}`, async () => {
      const { code, said } = await run(file, ['--no-such-flag'], own);
      equal(code, 2, said);
      match(said, /no-such-flag/);
      ok(!said.includes('    at '), said);
      ok(!existsSync(own.DATA_DIR), 'nothing was made for it');
    });
  }

  // The migration waits for a database that says nothing.
  const begun = { migrate: /asked/, 'codec-server': /decrypts for/ };
  const waits = /goes on when/;
  for (const [name, under] of Object.entries({ api: waits, worker: waits, ...begun }))
    it(`end with the npm they were started by: ${name}`, async () => {
      const silent = createServer((caller) => caller.once('data', () => hear('asked')).on('error', () => {})).listen(0, '127.0.0.1');
      await new Promise((listening) => silent.once('listening', listening));
      const { port } = silent.address() as AddressInfo;
      const own = { migrate: { DATABASE_URL: NOWHERE.DATABASE_URL.replace(':1/', `:${port}/`) }, 'codec-server': CODEC }[name];
      const env = {
        PATH: process.env['PATH'],
        HOME: folder,
        DATA_DIR: folder,
        PORT: '0',
        SMTP_URL: 'smtp://127.0.0.1:1',
        ...NOWHERE,
        ...own,
      };
      const npm = spawn('npm', ['run', '--silent', name], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
        cwd: new URL('../..', import.meta.url).pathname,
      });
      let said = '';
      const hear = (more: string) => {
        said += more;
        if (under.test(said)) npm.kill('SIGTERM');
      };
      npm.stdout.on('data', hear);
      // Open for as long as one of them is there.
      await new Promise((closed) => npm.stdout.on('close', closed));
      silent.close();
      match(said, /"msg":"stopping"/);
    });

  it('say how they are called when they are asked', async () => {
    for (const name of ['chaos', 'backup']) {
      const { code, said } = await run(name, ['--help'], own);
      equal(code, 0, said);
      ok(said.startsWith(`npm run ${name} -- `), said);
    }
  });

  it('say what a bench measures and takes', async () => {
    const wrong = await run('../bench/run', ['render', '--no-such-flag'], own);
    equal(wrong.code, 2, wrong.said);
    ok(lines(wrong.said)[0]!.includes('no-such-flag') && !wrong.said.includes('    at '), wrong.said);
    const asked = await run('../bench/run', ['render', '--help'], own);
    deepEqual([asked.code, lines(asked.said).at(-1)], [0, 'npm run bench -- render [--mails 100000] [--rounds 5] [--json]']);
  });

  for (const name of ['targets-load', 'rates-load', 'geo-load', 'restore', 'backup', 'check-domain', 'dkim', 'describe']) {
    it(`say how they are called when they are given too little: ${name}`, async () => {
      const { code, said } = await run(name, [], own);
      equal(code, 2, said);
      match(said, new RegExp(`^npm run ${name.replace('-load', ':load')} -- `));
      ok(!existsSync(own.DATA_DIR), 'nothing was made for it');
    });
  }

  for (const [name, args, what] of [
    ['restore', ['one', 'two'], '“two” is one word too many'],
    ['settings', ['--env', 'more'], '“more” is one word too many'],
    ['fuzz', ['--per-operation', 'many'], '--per-operation takes a whole number from 1 on, not “many”'],
    ['fuzz', ['--at-once', '--focus', '('], '--focus takes a regular expression, not “(”'],
    ['chaos', ['--fault', 'boredom'], 'There is no fault boredom; there are '],
    ['chaos', ['--mutant', 'none'], 'There is no mutant none; there are '],
    ['chaos', ['--rounds', '0'], '--rounds takes a whole number from 1 on'],
    ['demo', ['--crash', 'sink'], '--crash takes one of '],
    ['smtp-sink', ['--port', '70000'], '--port takes a whole number from 0 to 65535'],
    ['smtp-sink', ['--rules', '{'], '--rules takes a list'],
    ['check-client', ['--api', 'nowhere'], '--api takes an address'],
    ['check-client', ['--port', 'x'], '--port takes a whole number'],
    ['dkim', ['make', 'example.org', 'campaign', 'more'], '“more” is one word too many'],
  ] as [string, string[], string][]) {
    it(`name the word that is wrong: ${name} ${args.join(' ')}`, async () => {
      const { code, said } = await run(name, args, own);
      equal(code, 2, said);
      ok(lines(said)[0]!.startsWith(what), said);
      ok(!said.includes('    at '), said);
    });
  }

  it('name the port that is taken, and the setting that asks for it', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => holder.once('listening', listening));
    const { port } = holder.address() as { port: number };
    try {
      const api = await run('api', [], { ...NOWHERE, ...own, PORT: String(port) });
      equal(api.code, 1, api.said);
      ok(api.said.includes(`PORT: 127.0.0.1:${port} is taken by another program`), api.said);
      const sink = await run('smtp-sink', ['--port', String(port), '--http-port', '0'], {});
      equal(sink.code, 1, sink.said);
      oneLine(sink.said, `127.0.0.1:${port} is taken by another program`);
    } finally {
      holder.close();
    }
  });

  for (const [name, what] of [
    ['targets-load', 'there is no such file'],
    ['rates-load', 'there is no such file'],
    ['geo-load', 'there is no such file'],
    ['restore', 'holds no whole backup'],
  ] as const) {
    it(`name a file that is not there before anything is made: ${name}`, async () => {
      const { code, said } = await run(name, ['/nowhere/at-all'], own);
      equal(code, 1, said);
      oneLine(said, `/nowhere/at-all`, what);
      ok(!existsSync(own.DATA_DIR), 'nothing was made for it');
    });
  }

  for (const [what, at] of [
    ['there is a file of that name already', () => file('taken', '')],
    ['is not empty', () => folder],
  ] as const) {
    it(`name a folder that a backup cannot go to before a database is asked: ${what}`, async () => {
      file('something', '');
      const { code, said } = await run('backup', [at()], NOWHERE);
      equal(code, 1, said);
      oneLine(said, at(), what);
    });
  }

  for (const [name, args] of [
    ['backup', [join(folder, 'no-backup')]],
    ['geo-load', [file('some.csv', 'zip,state_fips\n')]],
    ['check-domain', ['example.org']],
    ['dkim', ['list']],
  ] as const) {
    it(`name DATA_DIR where there is no database in it, and make none: ${name}`, async () => {
      const { code, said } = await run(name, [...args], own);
      equal(code, 1, said);
      oneLine(said, 'DATA_DIR: ', own.DATA_DIR);
      deepEqual([own.DATA_DIR, join(folder, 'no-backup')].filter(existsSync), []);
    });
  }

  it('say in a sentence what is wrong with a file', async () => {
    oneLine((await run('rates-load', [file('rates.xml', '<a/>')], NOWHERE)).said, 'This is no file of daily rates');
    equal((await run('targets-load', [file('targets.yaml', 'a: [')], NOWHERE)).code, 2);
  });

  for (const [name, args] of [
    ['backup', [join(folder, 'backup')]],
    ['geo-load', [file('geo.csv', 'zip,state_fips\n')]],
    ['targets-load', [file('congress.yaml', stringify(legislators().slice(0, 3)))]],
    ['dkim', ['list']],
    ['migrate', []],
  ] as const) {
    it(`name the setting whose service is away: ${name}`, async () => {
      const { code, said } = await run(name, [...args], NOWHERE);
      equal(code, 1, said);
      oneLine(said, 'DATABASE_URL: no PostgreSQL answers at 127.0.0.1:1', 'nothing listens there');
      ok(!said.includes('secret'));
    });
  }

  it('say that a pooler before the database is too old', async () => {
    // As pgbouncer 1.18 answers who brings settings for the connection: an ErrorResponse of the protocol.
    const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: options'].map((field) => `${field}\0`).join('');
    const refusal = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), Buffer.from(`${fields}\0`)]);
    refusal.writeInt32BE(refusal.length - 1, 1);
    const pooler = createServer((caller) => caller.once('data', () => caller.end(refusal)).on('error', () => {}));
    await new Promise<void>((listening) => pooler.listen(0, '127.0.0.1', listening));
    const url = `postgresql://someone:secret@127.0.0.1:${(pooler.address() as AddressInfo).port}/nothing`;
    const { code, said } = await run('migrate', [], { ...NOWHERE, DATABASE_URL: url });
    pooler.close();
    equal(code, 1, said);
    oneLine(said, 'DATABASE_URL: ', 'unsupported startup parameter: options; a pgbouncer before it has to be 1.21 or later');
  });

  for (const [name, settings] of [
    // What the client of Temporal says of a proxy it cannot use stands in the log like all else.
    ['api', { PORT: '0', grpc_proxy: 'ftp://127.0.0.1' }],
    ['worker', { SMTP_URL: 'smtp://127.0.0.1:3' }],
  ] as const) {
    it(`name at start what is away, wait for it, and end when they are told to: ${name}`, async () => {
      const { child, said } = begin(name, [], { ...NOWHERE, ...settings, ...own });
      try {
        for (const setting of ['DATABASE_URL: no PostgreSQL answers', 'TEMPORAL_ADDRESS: no Temporal server answers at 127.0.0.1:2']) {
          while (!said().includes(setting)) {
            equal(child.exitCode, null, said());
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        }
        ok(!said().includes('    at '), said());
        for (const line of lines(said())) ok(line.startsWith('{'), line);
      } finally {
        const over = new Promise((resolve) => child.on('close', (...how) => resolve(how)));
        child.kill();
        // By themselves: the first process of a container is not ended by a signal that it does not listen for.
        deepEqual(await over, [0, null]);
      }
    });
  }
});

/** One line, with these words in it. */
function oneLine(said: string, ...words: string[]): void {
  equal(lines(said).length, 1, said);
  for (const word of words) ok(said.includes(word), said);
}
