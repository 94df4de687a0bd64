import { deepEqual, equal, match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { ask } from '../../cli/ask.ts';
import { runCommand } from '../../cli/command-line.ts';
import { COMPILED } from '../../embedded/programs.ts';

const MAILING = { id: 7, status: 'sending', subjects: ['Hello'] };
const progressOf = (progress: number) => ({
  ...{ finished: false, status: 'sending', started_at: null, finished_at: null, rate: 1, progress, failed: 0, skipped: 0, uncertain: 0 },
  ...{ expected_send_count: 9, phase: 'sending', pause: null, errors: [] },
});

describe('the command line, where the API comes and goes', () => {
  let server: Server;
  let url: string;
  let answer: (path: string, response: ServerResponse) => void;
  let asked = 0;
  before(async () => {
    server = createServer((request, response) => {
      asked++;
      answer(request.url!, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const run = async (args: string[], onTerminal = false) => {
    const said = { code: -1, out: [] as string[], problem: [] as string[], drawn: [] as string[] };
    said.code = await runCommand(
      args,
      { API_URL: url },
      {
        out: (text) => void said.out.push(text),
        redraw: onTerminal ? (line) => void said.drawn.push(line) : null,
        problem: (text) => void said.problem.push(text),
        ask: null,
        input: async () => '',
      },
    );
    return said;
  };
  const brokenOff = (_: string, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
    response.write('{"meta":', () => response.destroy());
  };
  const well = (progress: number) => (path: string, response: ServerResponse) =>
    void response.end(JSON.stringify(path.includes('progress') ? progressOf(progress) : MAILING));
  /** What is answered to each look of a watch, which is two requests; the mailing is completed after the last. */
  const inTurn = (...looks: (typeof answer)[]) => {
    const asked = { progress: 0, mailing: 0 };
    answer = (path, response) => {
      const look = looks[asked[path.includes('progress') ? 'progress' : 'mailing']++];
      if (look) look(path, response);
      else
        response.end(
          JSON.stringify(path.includes('progress') ? { ...progressOf(9), finished: true } : { ...MAILING, status: 'completed' }),
        );
    };
  };

  for (const command of ['mailing list', 'mailing show 7', 'mailing watch 7', 'sends', 'sends hold', 'user find 7'])
    it(`says in a sentence that an answer to ${command} was broken off, or is not the API's`, async () => {
      answer = brokenOff;
      const broken = await run(command.split(' '));
      deepEqual([broken.code, broken.out, broken.problem.length], [3, [], 1]);
      match(broken.problem[0]!, /^The API at http:\S+ broke its answer off: .+\.$/);
      answer = (_, response) => void response.end('<html>Welcome to nginx!</html>');
      const other = await run(command.split(' '));
      deepEqual(
        [other.code, other.problem],
        [3, [`Something else than the API answers at ${url}: look at API_URL and BASE_URL, or a proxy before it.`]],
      );
    });

  it('goes on watching when the API is back, and says once that it was away', async () => {
    inTurn(well(1), brokenOff, brokenOff, brokenOff, well(2));
    const { code, out, problem } = await run(['mailing', 'watch', '7']);
    deepEqual([code, out.length, problem.length], [0, 3, 2]);
    match(problem[0]!, /broke its answer off: .+ Asking again\.$/);
    equal(problem[1], 'The API answers again.');
    inTurn(well(1), brokenOff, well(2));
    const shown = await run(['mailing', 'watch', '7'], true);
    deepEqual([shown.code, shown.problem, shown.drawn.length], [0, [], 4]);
    match(shown.drawn[1]!, /Asking again\.$/);
  });

  it('stops watching when its password is none any more: each further look would count as a wrong one', async () => {
    inTurn(well(1), (_, response) => void response.writeHead(401).end(), well(2));
    asked = 0;
    const { code, problem } = await run(['mailing', 'watch', '7']);
    deepEqual([code, problem.length, asked], [3, 1, 4]);
    match(problem[0]!, /does not know this user name and password/);
  });

  it('says of a Temporal that takes connections and is silent that there is no answer, not that it may have done something', async () => {
    const silent = createTcpServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const problem: string[] = [];
    const say = { out: () => {}, redraw: null, problem: (text: string) => void problem.push(text), ask: null, input: async () => '' };
    equal(await runCommand(['workers'], { TEMPORAL_ADDRESS: address }, say), 3);
    deepEqual(problem, [`TEMPORAL_ADDRESS: no answer from Temporal at ${address}`]);
    silent.close();
  });

  it('ends without a word when nobody reads what it prints', async () => {
    let progress = 0;
    answer = (path, response) => well(++progress)(path, response);
    const cli = new URL('../../bin/cli.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [cli, 'mailing', 'watch', '7'], {
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILED, API_URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (chunk) => (complaint += chunk));
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = await once(child, 'close');
    deepEqual([code, complaint], [0, '']);
  });

  for (const [keys, name] of [
    ['\u0003', 'Ctrl-C'],
    ['\u0004', 'Ctrl-D'],
  ] as const)
    it(`takes ${name} at a question for no answer`, async () => {
      const input = new PassThrough();
      const answered = ask('Send mailing 7? [y/N] ', input, new PassThrough().resume());
      input.write(keys);
      equal(await answered, '');
    });
});
