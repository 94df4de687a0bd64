import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runDkimCommand } from '../../../cli/dkim.ts';
import { dkimVerdicts } from '../../support/dkim.ts';
import { idIn, READY } from '../../support/mailings.ts';
import { type WholePlatform, wholePlatform } from '../../support/whole-platform.ts';

const run = promisify(execFile);

describe('mail of a domain with DKIM keys', () => {
  let platform: WholePlatform;
  const zone = new Map<string, string>();

  /** The command, as operators run it. */
  const dkim = (...words: string[]) =>
    run(process.execPath, [new URL('../../../bin/dkim.ts', import.meta.url).pathname, ...words], {
      env: { ...process.env, DATABASE_URL: platform.api.databaseUrl },
    });
  /** Puts what the command says to publish into the zone. */
  const publish = async (...words: string[]) => {
    const { stdout } = await dkim(...words);
    zone.set(/^ {2}name {3}(.*)$/m.exec(stdout)![1]!, /^ {2}value {2}(.*)$/m.exec(stdout)![1]!);
    return stdout;
  };
  const verdicts = async () => Promise.all(platform.sink.inbox.list().map(({ content }) => dkimVerdicts(content.toString('latin1'), zone)));
  const BOTH = [
    ['campaign-ed25519', 'pass'],
    ['campaign-rsa', 'pass'],
  ];

  before(async () => {
    platform = await wholePlatform({ DEFAULT_FROM: '"Us" <us@example.org>' }, [
      'ada@people.example',
      'bob@people.example',
      'cy@people.example',
    ]);
  });
  after(() => platform?.close());
  beforeEach(() => platform.sink.reset());

  it('is not signed before there is a key', async () => {
    const uri = await platform.ready(READY);
    await platform.watch(await platform.post(`${uri}proofs/`, { proofs: 1, reviewers: ['boss@example.org'] }));
    assert.deepEqual(await verdicts(), [[['', 'none']]]);
  });

  it('is signed with both keys the command makes: proofs, bulk mail, confirmations', async () => {
    const { api, sink } = platform;
    assert.match(await publish('make', 'example.org'), /begin from now on are signed with it/);
    await publish('make', 'Example.ORG', '--algorithm', 'ed25519');
    const uri = await platform.ready({
      ...READY,
      html: `<p>Hello  {{ user.first_name|default:"friend" }}</p>\n\n\n<p>\t${'long '.repeat(60)}</p>`,
    });
    await platform.watch(await platform.post(`${uri}proofs/`, { proofs: 1, reviewers: ['boss@example.org'] }));
    await platform.watch(await platform.post(`${uri}queue/`));
    await api.create('signuppage', { name: 'join', followup: { send_email: true, email_subject: 'Welcome', email_body: '<p>Hello</p>' } });
    await platform.post('/rest/v1/action/', { page: 'join', email: 'ada@people.example' });
    for (let waited = 0; sink.inbox.list().length < 5 && waited < 200_000; waited += 50) await new Promise((go) => setTimeout(go, 50));
    assert.deepEqual(await verdicts(), [BOTH, BOTH, BOTH, BOTH, BOTH]);
  });

  it('of a domain below it is signed with its keys', async () => {
    const uri = await platform.ready({ ...READY, fromline: '"Ann" <ann@news.example.org>' });
    await platform.watch(await platform.post(`${uri}queue/`));
    assert.deepEqual(await verdicts(), [BOTH, BOTH, BOTH]);
  });

  it('of another domain is not', async () => {
    const uri = await platform.ready({ ...READY, fromline: '"Ann" <ann@notexample.org>' });
    await platform.watch(await platform.post(`${uri}queue/`));
    assert.deepEqual((await verdicts())[0], [['', 'none']]);
  });

  it('keeps the key a run began with, while others take the new one; that key cannot be removed meanwhile', async () => {
    const { api } = platform;
    assert.match(await publish('make', 'example.org', '--selector', 'next'), /signs until you say: npm run dkim -- use example.org next/);
    const uri = await platform.ready({ ...READY, mails_per_second: 0.25 });
    const progress = await platform.post(`${uri}queue/`);
    await platform.watch(progress, ({ status }) => status === 'sending');
    // In this process: starting two others may take longer than sending does.
    const here = (...words: string[]) => runDkimCommand(api.pool, api.env.SECRET_KEY, words);
    await here('use', 'example.org', 'next');
    await assert.rejects(here('remove', 'example.org', 'campaign-rsa'), new RegExp(`being sent with this key: ${idIn(uri)}`));
    await platform.watch(progress);
    assert.deepEqual(await verdicts(), [BOTH, BOTH, BOTH]);
    await dkim('remove', 'example.org', 'campaign-rsa');
    platform.sink.reset();
    const later = await platform.ready(READY);
    await platform.watch(await platform.post(`${later}queue/`));
    assert.deepEqual((await verdicts())[0], [
      ['campaign-ed25519', 'pass'],
      ['next', 'pass'],
    ]);
    assert.equal((await api.read(`${later}status/`)).status, 'completed');
  });

  it('never leaves unsigned when its key cannot be opened: the mailing dies before the first mail and says why', async () => {
    const { api, sink } = platform;
    await api.pool.query(`update dkim_key set private_key = translate(private_key, 'ABCD', 'DCBA') where selector = 'next'`);
    const uri = await platform.ready(READY);
    const ended = await platform.watch(await platform.post(`${uri}queue/`));
    assert.equal(ended.status, 'died');
    assert.match(ended.errors[0], /the DKIM key next of example\.org cannot be opened with this SECRET_KEY/);
    assert.equal(sink.counts().received, 0);
  });

  it('keeps its private keys to itself: encrypted where they are stored, out of reach of reports, never printed', async () => {
    const { api } = platform;
    const { rows } = await api.pool.query('select private_key from dkim_key');
    assert.ok(rows.length === 2 && rows.every((row) => !Buffer.from(row.private_key, 'base64').toString('latin1').includes('PRIVATE')));
    for (const table of ['dkim_key', 'public.dkim_key']) {
      const answer = await api.call('POST', '/rest/v1/report/run/sql/', { query: `select * from ${table}` });
      assert.equal(answer.statusCode, 400, answer.body);
    }
    const { stdout } = await dkim('list');
    assert.match(stdout, /^example\.org {2}next {2}rsa .* signs$/m);
    assert.doesNotMatch(stdout, /PRIVATE|private/);
    assert.ok(!rows.some((row) => stdout.includes(row.private_key)));
  });

  it('says what is wrong with a command', async () => {
    const { pool, env } = platform.api;
    const refused = (words: string[], options: object, why: RegExp) =>
      assert.rejects(runDkimCommand(pool, env.SECRET_KEY, words, options), why);
    await refused(['make', 'not a domain'], {}, /“not a domain” is no domain/);
    await refused(['make', 'example.org'], { algorithm: 'dsa' }, /one of rsa, ed25519/);
    await refused(['make', 'example.org'], { selector: 'a b' }, /is no selector/);
    await refused(['make', 'example.org'], { selector: 'next' }, /has a key with the selector next already/);
    await refused(['use', 'example.org', 'none'], {}, /has no key with the selector none/);
    await assert.rejects(dkim('frobnicate'), /npm run dkim -- make DOMAIN/);
  });
});
