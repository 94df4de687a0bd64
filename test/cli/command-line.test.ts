import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../cli/command-line.ts';
import { lineOf, spoken } from '../../cli/watch.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { recentRate } from '../../domain/recent-rate.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';

describe('the command line', () => {
  let api: TestApi;
  let url: string;
  let person: string;
  before(async () => {
    api = await startApi();
    url = await api.app.listen({ port: 0, host: '127.0.0.1' });
    person = await api.create('user', { email: 'ada@example.org', first_name: 'Ada', last_name: 'Love\u001b[31mlace' });
    const list = await api.create('list', { name: 'All' });
    await api.create('signuppage', { name: 'join', list });
    await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'ada@example.org' });
  });
  after(() => api.close());

  interface Said {
    code: number;
    out: string;
    problem: string;
    asked: string[];
  }

  const nothing = (): Said => ({ code: -1, out: '', problem: '', asked: [] });
  /** @param more `said` is filled while it runs */
  const run = async (
    args: string[],
    more: { settings?: Record<string, string>; answer?: string; input?: string; said?: Said } = {},
  ): Promise<Said> => {
    const { said = nothing() } = more;
    const settings = {
      API_URL: url,
      API_USERNAME: 'admin',
      API_PASSWORD: 'test-password',
      DATABASE_URL: api.databaseUrl,
      ...more.settings,
    };
    const { answer } = more;
    said.code = await runCommand(args, settings, {
      out: (text) => {
        said.out += text;
      },
      redraw: null,
      problem: (text) => {
        said.problem += text;
      },
      ask:
        answer === undefined
          ? null
          : async (question) => {
              said.asked.push(question);
              return answer;
            },
      input: async () => more.input ?? '',
    });
    return said;
  };
  const json = async (args: string[], more = {}) => {
    const { code, out, problem } = await run([...args, '--json'], more);
    assert.equal(code, 0, problem);
    return JSON.parse(out);
  };

  it('lists mailings as a table and as JSON', async () => {
    const draft = await makeReady(api, { subjects: ['A draft'] });
    const sent = await makeReady(api, { subjects: ['Sent\nlong ago'.replace('\n', ' ')] });
    await setMailing(api, sent, { status: 'completed', expected_send_count: 1 });
    const { code, out } = await run(['mailing', 'list']);
    assert.equal(code, 0);
    const [heading, ...lines] = out.split('\n');
    assert.match(heading!, /^ *id {2}status +accepted +of +skipped +failed +uncertain +subject$/);
    assert.match(lines[0]!, /completed +0 +1 +0 +0 +0 +Sent long ago/);
    const found = await json(['mailing', 'list', '--status', 'draft,stopped', '--limit', '1']);
    assert.deepEqual(
      found.map(({ id, progress }: { id: number; progress: { expected_send_count: number } }) => [id, progress.expected_send_count]),
      [[idIn(draft), 1]],
    );
  });

  it('shows where a mailing stands', async () => {
    const uri = await makeReady(api);
    const { out } = await run(['mailing', 'show', String(idIn(uri))]);
    assert.match(out, /^status +draft$/m);
    assert.match(out, /^waiting +1$/m);
    assert.equal((await json(['mailing', 'show', String(idIn(uri))])).progress.finished, true);
  });

  it('stops and resumes, and asks before mail goes out', async () => {
    const uri = await makeReady(api);
    const id = String(idIn(uri));
    const draft = await run(['mailing', 'resume', id, '--yes']);
    assert.deepEqual([draft.code, draft.problem], [1, `Mailing ${id} is draft: only a stopped or a died one can be resumed.`]);
    const nothing = await run(['mailing', 'stop', id]);
    assert.equal(nothing.code, 1);
    assert.match(nothing.problem, /nothing to stop/);

    await setMailing(api, uri, { status: 'sending', started_at: new Date(), expected_send_count: 1 });
    assert.match((await run(['mailing', 'stop', id])).out, /is being stopped/);
    assert.equal(api.workflows.signals.at(-1)?.message, 'stop');

    await setMailing(api, uri, { status: 'stopped' });
    assert.equal((await run(['mailing', 'resume', id])).code, 2);
    const declined = await run(['mailing', 'resume', id], { answer: 'n' });
    assert.deepEqual([declined.code, declined.asked], [1, [`Send mailing ${id} to the 1 person left? [y/N] `]]);
    assert.equal((await api.read(uri)).status, 'stopped');
    assert.deepEqual(await json(['mailing', 'resume', id, '--yes']), { id: Number(id), left: 1 });
    assert.equal((await api.read(uri)).status, 'queued');
  });

  it('holds all sends at once', async () => {
    const [sending, scheduled, draft] = [await makeReady(api), await makeReady(api), await makeReady(api)];
    await setMailing(api, sending, { status: 'sending', started_at: new Date(), expected_send_count: 1 });
    await setMailing(api, scheduled, { status: 'scheduled', scheduled_for: '2041-01-01' });
    const { held, ended } = await json(['sends', 'hold']);
    assert.ok([sending, scheduled].every((uri) => held.includes(idIn(uri))));
    assert.ok(!held.includes(idIn(draft)));
    assert.deepEqual(ended, []);
    for (const uri of [sending, scheduled]) await setMailing(api, uri, { status: 'stopped' });
    const again = await makeReady(api);
    await setMailing(api, again, { status: 'recurring' });
    assert.match(
      (await run(['sends', 'hold'])).out,
      new RegExp(`^(Nothing was on its way|Being stopped).*\nRecurring, and going out when their time comes: ${idIn(again)}\\.`, 's'),
    );
    await setMailing(api, again, { status: 'draft' });
    assert.equal((await run(['sends', 'everything'])).code, 2);
  });

  it('holds what is being sent first, and many that wait at once: where no worker is up, each of them is waited for', async () => {
    await api.pool.query(`update core_mailing set status = 'draft', stop_requested = false`);
    const waiting = [];
    for (let n = 0; n < 12; n++) waiting.push(idIn(await makeReady(api)));
    const sending = await makeReady(api);
    await api.pool.query(`update core_mailing set status = 'scheduled', scheduled_for = '2041-01-01' where id = any($1)`, [waiting]);
    await setMailing(api, sending, { status: 'sending', started_at: new Date(), expected_send_count: 1 });
    const began = performance.now();
    const { held } = await json(['sends', 'hold']);
    assert.deepEqual(held, [idIn(sending), ...waiting]);
    // One after the other it would be three seconds for each.
    assert.ok(performance.now() - began < 24_000, `${performance.now() - began} ms`);
    const { rows } = await api.pool.query('select id from core_mailing where stop_requested order by updated_at limit 1');
    assert.deepEqual(rows, [{ id: idIn(sending) }]);
    await api.pool.query(`update core_mailing set status = 'draft', stop_requested = false`);
  });

  it('says what it could not hold, and holds the others', async () => {
    await api.pool.query(`update core_mailing set status = 'draft', stop_requested = false`);
    const all = [await makeReady(api), await makeReady(api), await makeReady(api)];
    for (const uri of all) await setMailing(api, uri, { status: 'sending', started_at: new Date(), expected_send_count: 1 });
    const [first, second, third] = all.map(idIn);
    const group = await api.create('authgroup', { name: 'readers', grants: ['mailer:read'] });
    await api.create('authuser', { username: 'reader', password: 'reader-password', is_staff: true, groups: [group] });
    const reader = { API_USERNAME: 'reader', API_PASSWORD: 'reader-password' };
    const refused = await run(['sends', 'hold'], { settings: reader });
    assert.equal(refused.code, 1);
    assert.match(refused.out, /^Nothing was stopped\./);
    assert.match(refused.problem, new RegExp(`^NOT stopped: ${first} \\(.*mailer:send.*\\), ${second} `));

    const back = awayAt(api, (nth) => nth === 1);
    try {
      const some = await run(['sends', 'hold', '--json']);
      assert.equal(some.code, 3);
      const { held, not_stopped } = JSON.parse(some.out);
      assert.deepEqual([held, not_stopped], [[second, third], [{ id: first, why: 'The API answered 503. Away.' }]]);
      assert.match(some.problem, new RegExp(`^NOT stopped: ${first} `));
    } finally {
      back();
    }
    for (const uri of all) await setMailing(api, uri, { status: 'stopped' });
  });

  it('watches a send until it has ended', async () => {
    const uri = await makeReady(api);
    const id = String(idIn(uri));
    assert.equal((await run(['mailing', 'watch', id])).code, 2, 'a draft is not on its way');
    await setMailing(api, uri, { status: 'rebuilding_at_send' });
    const said = nothing();
    const watching = run(['mailing', 'watch', id], { said });
    while (!said.out) await sleep(20);
    said.out = '';
    await setMailing(api, uri, { status: 'sending', started_at: new Date(), expected_send_count: 1 });
    while (!said.out) await sleep(20);
    await setMailing(api, uri, { status: 'completed', finished_at: new Date() });
    const { code, out } = await watching;
    assert.equal(code, 0);
    assert.match(out, /^sending .*0 of 1 accepted/);
    assert.match(out, /completed /);
    await setMailing(api, uri, { status: 'stopped' });
    const stopped = await run(['mailing', 'watch', id]);
    assert.deepEqual([stopped.code, stopped.problem], [1, `Mailing ${id} is stopped.`]);
  });

  it('tells of a send in one line: how far, how fast, how long, and what it waits for', () => {
    const progress = {
      finished: false,
      rate: 0,
      progress: 50,
      failed: 1,
      skipped: 0,
      uncertain: 2,
      expected_send_count: 200,
      phase: 'sending',
      pause: null,
      errors: [],
    };
    assert.equal(
      lineOf('sending', progress, 10),
      'sending  ███████·······················  25 %, 50 of 200 accepted, 1 failed, 2 uncertain, 10 mails/s, 15 s left',
    );
    // Of little it is not rounded to nothing, nor to twice as much: the time left says otherwise.
    assert.match(lineOf('sending', progress, 0.5), /, 0\.5 mails\/s, 5 min left$/);
    assert.match(lineOf('sending', progress, 0.04), /, 0\.04 mails\/s, 1 h 2 min left$/);
    assert.match(lineOf('sending', progress, 1), /, 1 mail\/s, 3 min left$/);
    const pause = { reason: 'relay away: \u001b[2J', until: '2026-01-01T14:03:00' };
    assert.match(lineOf('sending', { ...progress, pause }, 10), /, paused until 2026-01-01T14:03:00: relay away: {2}\[2J$/);
    assert.match(lineOf('sending', { ...progress, phase: null }, 0), /, no worker answers for it, or Temporal is away: see doctor$/);
    assert.match(lineOf('sending', { ...progress, progress: 196 }, 10), / 98 %, 196 of 200 accepted/);
    const whole = (accepted: number) =>
      lineOf('sending', { ...progress, expected_send_count: 100, progress: accepted, failed: 0, uncertain: 0 }, 10);
    for (let accepted = 0; accepted <= 100; accepted++)
      assert.match(whole(accepted), new RegExp(` ${accepted} %, ${accepted} of 100 accepted`));
    assert.deepEqual([20, 61, 3600 * 3 + 300].map(spoken), ['20 s', '2 min', '3 h 5 min']);
    assert.equal(recentRate([{ at: 0, done: 0 }]), null);
    // Of a moment nothing can be said; and that nothing was done only of a time in which a slow one does something.
    const over = (at: number, done: number) =>
      recentRate([
        { at: 0, done: 0 },
        { at, done },
      ]);
    assert.deepEqual([over(50, 64), over(2000, 0), over(29_000, 0), over(29_000, 1), over(30_000, 0)], [null, null, null, 1 / 29, 0]);
    assert.equal(
      recentRate([
        { at: 0, done: 0 },
        { at: 500, done: 3 },
        { at: 2000, done: 100 },
      ]),
      50,
    );
  });

  it('lists what is on its way and what came to a halt with people left', async () => {
    const uri = await makeReady(api);
    await setMailing(api, uri, { status: 'stopped' });
    const done = await makeReady(api);
    await setMailing(api, done, { status: 'completed', finished_at: new Date() });
    const ids = (await json(['sends'])).map(({ id }: { id: number }) => id);
    assert.ok(ids.includes(idIn(uri)) && !ids.includes(idIn(done)));
    assert.match((await run(['sends'])).out, /^id +status +accepted +left/);
    await setMailing(api, done, { expected_send_count: 3 });
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, uncertain) values ($1, 0, 1, 3, 3, true, 2, 1)`,
      [idIn(done)],
    );
    assert.match(
      (await run(['sends'])).out,
      new RegExp(`^ *${idIn(done)} +completed +2 +0 +1 .* somebody to settle who is uncertain`, 'm'),
    );
    await api.pool.query('delete from send_shard where mailing_id = $1', [idIn(done)]);
    assert.equal((await run(['sends', 'all'])).code, 2);
  });

  it('lists what is on its way also behind a hundred that came to a halt later, and while its audience is built', async () => {
    const [sending, building] = [await makeReady(api, { subjects: ['A subject '.repeat(9).trim()] }), await makeReady(api)];
    await setMailing(api, sending, { status: 'sending', started_at: new Date(), expected_send_count: 1 });
    await setMailing(api, building, { status: 'rebuilding_at_send' });
    const { rows } = await api.pool.query(
      `insert into core_mailing (status, html) select 'stopped', '' from generate_series(1, 101) returning id`,
    );
    const watched = mostAtOnce(api);
    const ids = (await json(['sends'])).map(({ id }: { id: number }) => id);
    assert.ok([sending, building].every((uri) => ids.includes(idIn(uri))));
    // The runs of these are nowhere.
    assert.match(
      (await run(['sends'])).out,
      new RegExp(`^${idIn(sending)} +sending .* no worker answers for it, or Temporal is away`, 'm'),
    );
    assert.match((await run(['mailing', 'show', String(idIn(sending))])).out, /held up +no worker answers for it/);
    assert.match((await run(['sends'])).out, /A subject…$/m, 'that it goes on is seen');
    const most = watched.end();
    assert.ok(most >= 2 && most <= 10, `${most} requests at once`);
    await api.pool.query('delete from core_mailing where id = any($1)', [rows.map(({ id }) => id)]);
    for (const uri of [sending, building]) await setMailing(api, uri, { status: 'stopped' });
  });

  it('finds users, and lets nothing of theirs move the cursor', async () => {
    const { out } = await run(['user', 'find', 'ADA@example.org']);
    assert.match(out, /ada@example\.org {2}Ada Love \[31mlace {2}subscribed/);
    assert.equal((await json(['user', 'find', String(idIn(person))]))[0].email, 'ada@example.org');
    for (const nobody of ['nobody@example.org', '999999']) assert.equal((await run(['user', 'find', nobody])).code, 1);
  });

  it('lets nothing that a mailing died of move the cursor', async () => {
    const uri = await makeReady(api);
    await setMailing(api, uri, { status: 'died', errors: JSON.stringify(['invalid input syntax for type integer: "\u001b[2J\u0007\n1"']) });
    const { code, problem } = await run(['mailing', 'watch', String(idIn(uri))]);
    assert.deepEqual([code, problem], [1, `Mailing ${idIn(uri)} is died. invalid input syntax for type integer: " [2J  1"`]);
  });

  it('makes a superuser without the API', async () => {
    const away = { settings: { API_URL: 'http://127.0.0.1:1' } };
    const { username, password } = await json(['admin', 'create', 'root2', '--generate', '--email', ' root@example.org '], away);
    const answer = await api.call('GET', '/rest/v1/authuser/', undefined, { authorization: basic({ username, password }) });
    assert.equal(answer.statusCode, 200);
    assert.equal((await api.pool.query('select email from auth_user where username = $1', [username])).rows[0].email, 'root@example.org');
    assert.equal((await run(['admin', 'create', 'root2', '--generate'])).code, 1);
    const given = await run(['admin', 'create', 'root3', '--password-stdin'], { input: 'of my own choice\n' });
    assert.deepEqual([given.code, given.out], [0, 'root3 is a superuser now.']);
    const login = basic({ username: 'root3', password: 'of my own choice' });
    assert.equal((await api.call('GET', '/rest/v1/authuser/', undefined, { authorization: login })).statusCode, 200);
  });

  for (const [args, problem] of [
    [['mailing'], /^mailing needs one of list, show, watch, stop, resume; "help" says what each does$/],
    [['mailing', 'toString'], /^mailing has no toString: it has list, show, watch, stop, resume; "help"/],
    [['constructor', 'call'], /no command/],
    [['mailing', 'show'], /needs the id/],
    [['mailing', 'show', '7x'], /7x is not an id/],
    [['mailing', 'show', '7', '8'], /one mailing/],
    [['mailing', 'list', '--status', 'sent'], /--status takes draft, model/],
    [['mailing', 'list', '--limit', '0'], /--limit/],
    [['mailing', 'stop', '7', '--yes'], /takes no --yes/],
    [['mailing', 'list', '--nothing'], /nothing/],
    [['admin', 'create', 'a:b', '--generate'], /colon/],
    [['admin', 'create', 'short', '--password-stdin'], /at least 8/],
    [['admin', 'create', 'none'], /--generate/],
    [['admin', 'create', 'both', '--generate', '--password-stdin'], /not both/],
    [
      ['admin', 'create', 'lost', '--generate', '--email', 'root at example.org'],
      /^--email: “root at example.org” is not an email address\.$/,
    ],
    [['admin', 'create', 'lost', '--generate', '--email', ''], /not an email address/],
  ] as [string[], RegExp][]) {
    it(`refuses ${args.join(' ')}`, async () => {
      const said = await run(args);
      assert.equal(said.code, 2);
      assert.match(said.problem, problem);
      assert.equal(said.out, '');
    });
  }

  it('says when the platform is away or does not let it in', async () => {
    const away = await run(['mailing', 'list'], { settings: { API_URL: 'http://127.0.0.1:1' } });
    assert.deepEqual([away.code, /cannot be reached/.test(away.problem)], [3, true]);
    const stranger = await run(['mailing', 'list'], { settings: { API_PASSWORD: 'wrong' } });
    assert.deepEqual([stranger.code, /does not know/.test(stranger.problem)], [3, true]);
    const nobody = await run(['admin', 'create', 'x', '--generate'], { settings: { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/c' } });
    assert.deepEqual([nobody.code, nobody.problem], [3, 'DATABASE_URL: no PostgreSQL answers at 127.0.0.1:1: nothing listens there']);
  });

  it('runs as a process, with help and an exit code', async () => {
    const cli = join(import.meta.dirname, '../../bin/cli.ts');
    const process_ = (args: string[]) =>
      new Promise<{ code: number; out: string }>((resolve) => {
        const child = execFile(
          process.execPath,
          [cli, ...args],
          { env: { ...process.env, API_URL: url, API_PASSWORD: 'test-password' } },
          (_, out) => resolve({ code: child.exitCode!, out }),
        );
        child.stdin?.end();
      });
    const help = await process_(['help']);
    assert.deepEqual([help.code, /mailing resume ID/.test(help.out)], [0, true]);
    assert.equal((await process_(['mailing', 'show', '999999'])).code, 1);
  });

  it('takes saved reports over and says of each whether it runs', async () => {
    await ensureReportRole(api.pool, api.env);
    const folder = await mkdtemp(join(tmpdir(), 'reports-'));
    try {
      const file = join(folder, 'reports.json');
      const reports = [
        { name: 'People', short_name: 'people', sql: 'SELECT COUNT(*) AS "n" FROM `core_user`' },
        { name: 'One', short_name: 'one', sql: 'select id from core_user where id = {{ user }}' },
        { name: 'Counter', short_name: 'counter', sql: 'select @c := 1' },
        { name: 'Absent', short_name: 'absent', sql: 'select 1 from core_nothing' },
      ];
      await writeFile(file, JSON.stringify({ objects: reports }));
      const outcomes = await json(['reports', 'import', file]);
      assert.deepEqual(
        outcomes.map(({ short_name, outcome, detail }: Record<string, string>) => [short_name, outcome, detail!.split(':')[0]]),
        [
          ['people', 'imported', 'runs'],
          ['one', 'imported', 'can be read; it needs parameters to run'],
          ['counter', 'refused', 'MySQL dialect'],
          ['absent', 'imported', 'does not run'],
        ],
      );
      await writeFile(join(folder, 'mine.sql'), 'select 7/2');
      await writeFile(join(folder, 'more.csv'), 'name,short_name,sql\nMore,more,"select ""x"""\n');
      assert.equal((await json(['reports', 'import', folder]))[0].detail, 'runs');
      assert.equal((await json(['reports', 'import', join(folder, 'more.csv')]))[0].detail, 'runs');
      assert.deepEqual((await api.call('GET', '/rest/v1/report/run/mine/')).json(), [['3.5000']]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says in a sentence which file of reports cannot be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reports-'));
    try {
      await mkdir(join(folder, 'mine.sql'));
      await symlink(join(folder, 'gone'), join(folder, 'more.json'));
      await writeFile(join(folder, 'file'), '');
      for (const [path, words] of [
        [folder, `${join(folder, 'mine.sql')} cannot be read (EISDIR)`],
        [join(folder, 'file', 'x.sql'), `${join(folder, 'file', 'x.sql')} cannot be read (ENOTDIR)`],
        [join(folder, 'more.json'), `${join(folder, 'more.json')} is not there`],
      ] as const) {
        const { code, problem } = await run(['reports', 'import', path]);
        assert.deepEqual([code, problem], [2, words]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says how far an import of reports came when the API goes away, and goes on when it is called again', async () => {
    await ensureReportRole(api.pool, api.env);
    const file = join(await mkdtemp(join(tmpdir(), 'reports-')), 'reports.json');
    const reports = ['a', 'b', 'c'].map((name) => ({ name, short_name: `broken_off_${name}`, sql: 'select 1' }));
    await writeFile(file, JSON.stringify(reports));
    // Each is sent, then run: it is away for the run of the second.
    const back = awayAt(api, (nth) => nth > 3);
    try {
      const { code, out, problem } = await run(['reports', 'import', file]);
      assert.equal(code, 3);
      assert.match(out, /^broken_off_a +imported +runs\nbroken_off_b +imported +whether it runs is not known$/m);
      assert.match(problem, /^The API answered 503\. Away\. 2 of 3 reports are done, 1 are left: the same command goes on with them\.$/);
      const nothing = await run(['reports', 'import', file]);
      assert.deepEqual([nothing.code, nothing.out, nothing.problem], [3, '', 'The API answered 503. Away.']);
    } finally {
      back();
    }
    const outcomes = await json(['reports', 'import', file]);
    assert.deepEqual(
      outcomes.map(({ outcome }: { outcome: string }) => outcome),
      ['there already', 'there already', 'imported'],
    );
    await writeFile(file, JSON.stringify([{ ...reports[0], sql: 'select 2' }]));
    assert.equal((await json(['reports', 'import', file]))[0].outcome, 'refused');
    await rm(join(file, '..'), { recursive: true });
  });
});

/** An API that answers some of the changes it is asked for with 503, by their number. @returns ends it */
function awayAt({ app: { server } }: TestApi, isAway: (nth: number) => boolean): () => void {
  const emit = server.emit.bind(server);
  let nth = 0;
  server.emit = (event: string, ...args: unknown[]) => {
    if (event !== 'request' || (args[0] as IncomingMessage).method !== 'POST' || !isAway(++nth)) return emit(event, ...args);
    (args[1] as ServerResponse).writeHead(503).end('{"errors": {"service": ["Away."]}}');
    return true;
  };
  return () => {
    server.emit = emit;
  };
}

/** How many requests the API has at a time, at most, until it is ended. */
function mostAtOnce({ app }: TestApi): { end: () => number } {
  let now = 0;
  let most = 0;
  const began = (_: IncomingMessage, answer: ServerResponse) => {
    most = Math.max(most, ++now);
    answer.once('close', () => now--);
  };
  app.server.on('request', began);
  return {
    end: () => {
      app.server.off('request', began);
      return most;
    },
  };
}
