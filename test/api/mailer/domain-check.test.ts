import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runDkimCommand } from '../../../cli/dkim.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { checkAndStore } from '../../../core/senders/stored-checks.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { makeReady, setMailing } from '../../support/mailings.ts';
import { type NameServer, startNameServer } from '../../support/name-server.ts';
import { insertPeople } from '../../support/people.ts';

const run = promisify(execFile);

describe('the check of a from domain', () => {
  let api: TestApi;
  let dns: NameServer;
  let settings: Record<string, string>;

  before(async () => {
    dns = await startNameServer();
    settings = {
      DNS_SERVERS: dns.address,
      MAIL_DOMAIN: 'mail.example.org',
      SENDING_ADDRESSES: '192.0.2.1, 2001:db8::1',
      REQUIRE_DOMAIN_CHECK: 'true',
    };
    api = await startApi(settings);
    await ensureReportRole(api.pool, api.env);
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [{ id: 1, email: 'ann@example.org', lists: [1] }]);
  });
  after(() => api?.close());

  /** The command as operators run it; its exit code and what it printed. */
  const check = async (...words: string[]) => {
    const program = new URL('../../../bin/check-domain.ts', import.meta.url).pathname;
    const env = { ...process.env, ...settings, DATABASE_URL: api.databaseUrl };
    return run(process.execPath, [program, ...words], { env }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout, stderr }) => ({ code, stdout: stdout || stderr }),
    );
  };
  const checkJson = async () => JSON.parse((await check('example.org', '--json')).stdout);
  const queue = (uri: string) => api.call('POST', `${uri}queue/`);
  const refusal = async (uri: string): Promise<string> => {
    const answer = await queue(uri);
    assert.equal(answer.statusCode, 400, answer.body);
    return answer.json().errors.fromline[0];
  };

  it('is asked for by queue where the instance says so, and what is missing is named', async () => {
    const uri = await makeReady(api);
    assert.match(
      await refusal(uri),
      /not been checked within the last 168 hours that example\.org .* npm run check-domain -- example\.org/,
    );
    const { code, stdout } = await check('example.org');
    assert.equal(code, 1);
    assert.match(stdout, /^spf +missing +mail\.example\.org +it has no SPF record/m);
    assert.match(stdout, /^dkim +missing +example\.org +it has no key: npm run dkim -- make example\.org$/m);
    assert.match(stdout, /^reverse_dns +missing +192\.0\.2\.1 +it has no name/m);
    assert.match(stdout, /^dmarc +advised /m);
    assert.match(stdout, /example\.org is not set up for sending\.$/m);
    const said = await refusal(uri);
    for (const part of [
      /^example\.org is not set up for sending/,
      /spf of mail\.example\.org/,
      /dkim of example\.org/,
      /reverse_dns of 192\.0\.2\.1/,
    ]) {
      assert.match(said, part);
    }
    assert.doesNotMatch(said, /dmarc/);
  });

  it('is passed when SPF, DKIM and reverse DNS are right, and then the mailing is queued', async () => {
    const made = await runDkimCommand(api.pool, api.env.SECRET_KEY, ['make', 'example.org']);
    Object.assign(dns.records, {
      'TXT example.org': ['other=1', 'v=spf1 include:spf.example.org -all'],
      'TXT spf.example.org': ['v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 -all'],
      'TXT mail.example.org': ['v=spf1 a:out.example.org ip6:2001:db8::1 -all'],
      'A out.example.org': ['192.0.2.1'],
      'AAAA out.example.org': ['2001:db8::1'],
      'PTR 1.2.0.192.in-addr.arpa': ['out.example.org'],
      [`PTR ${'1.0.0.0.'.padEnd(48, '0.')}8.b.d.0.1.0.0.2.ip6.arpa`]: ['out.example.org'],
      [`TXT ${/^ {2}name {3}(.*)$/m.exec(made)![1]}`]: [/^ {2}value {2}(.*)$/m.exec(made)![1]!],
      'MX example.org': ['mx.example.org'],
      'TXT _dmarc.example.org': ['v=DMARC1; p=none'],
    });
    const passed = await checkJson();
    assert.deepEqual(
      passed.items
        .filter(({ status }: { status: string }) => status !== 'ok')
        .map(({ name, about }: Record<string, string>) => [name, about]),
      [['mx', 'mail.example.org']],
    );
    assert.equal(passed.passed, true);
    assert.equal((await queue(await makeReady(api))).statusCode, 201);
    // Another domain has to pass one of its own.
    assert.match(await refusal(await makeReady(api, { fromline: '"Ann" <ann@elsewhere.example>' })), /that elsewhere\.example is set up/);
  });

  it('looks at the addresses of all relays that mail goes to, where none are set', async () => {
    const { SENDING_ADDRESSES: _, ...env } = api.env;
    const relays = { SMTP_RELAYS: 'smtp://192.0.2.1?weight=2 smtp://[2001:db8::1]:2525', SMTP_URL: 'smtp://198.51.100.9' };
    const { items } = await checkAndStore(api.pool, 'example.org', { ...env, ...relays });
    const looked = items.filter(({ name }) => name === 'reverse_dns').map(({ about, status }) => [about, status]);
    assert.deepEqual(looked, [
      ['192.0.2.1', 'ok'],
      ['2001:db8::1', 'ok'],
    ]);
  });

  it('is not undone by one that was begun before it and ends after it, nor kept by one of before the clock of the database was set back', async () => {
    const { 'TXT mail.example.org': spf, ...unmended } = dns.records;
    const stored = async () => (await api.pool.query(`select passed from sender_check where domain = 'example.org'`)).rows[0].passed;
    const query = async (text: string, values: unknown[]) => {
      if (/insert into "?sender_check/.test(text)) {
        dns.records = { ...unmended, 'TXT mail.example.org': spf! };
        assert.equal((await checkAndStore(api.pool, 'example.org', api.env)).passed, true);
      }
      return api.pool.query(text, values);
    };
    dns.records = unmended;
    const older = await checkAndStore(Object.create(api.pool, { query: { value: query } }), 'example.org', api.env);
    assert.deepEqual([older.passed, await stored()], [false, true]);
    await api.pool.query(`update sender_check set passed = false, checked_at = now() + interval '1 day' where domain = 'example.org'`);
    await checkAndStore(api.pool, 'example.org', api.env);
    assert.equal(await stored(), true);
  });

  const broken: [what: string, change: () => Record<string, string[]>, item: string, why: RegExp][] = [
    [
      'SPF without one of the addresses',
      () => ({ 'TXT mail.example.org': ['v=spf1 ip4:192.0.2.1 -all'] }),
      'spf',
      /does not allow 2001:db8::1: fail/,
    ],
    [
      'two SPF records',
      () => ({ 'TXT mail.example.org': ['v=spf1 +all', 'v=spf1 -all'] }),
      'spf',
      /does not allow 192\.0\.2\.1: permerror/,
    ],
    [
      'another key',
      () => ({ 'TXT campaign-rsa._domainkey.example.org': ['v=DKIM1; k=rsa; p=AAAA'] }),
      'dkim',
      /shows another key; publish v=DKIM1/,
    ],
    ['a name that leads elsewhere', () => ({ 'PTR 1.2.0.192.in-addr.arpa': ['other.example.org'] }), 'reverse_dns', /does not lead back/],
  ];
  for (const [what, change, item, why] of broken) {
    it(`is not passed with ${what}`, async () => {
      const good = { ...dns.records };
      Object.assign(dns.records, change());
      const { passed, items } = await checkJson();
      dns.records = good;
      assert.equal(passed, false);
      const wrong = items.filter(({ status, required }: Record<string, unknown>) => required && status !== 'ok');
      assert.deepEqual(
        wrong.map(({ name }: { name: string }) => name),
        [item],
      );
      assert.match(wrong[0].detail, why);
    });
  }

  it('that the name servers leave open changes nothing; an old one counts for nothing', async () => {
    assert.equal((await checkJson()).passed, true);
    dns.broken = true;
    const { code, stdout } = await check('example.org');
    dns.broken = false;
    assert.equal(code, 1);
    assert.match(stdout, /unknown .* the name servers did not answer/);
    assert.equal((await queue(await makeReady(api))).statusCode, 201);
    const uri = await makeReady(api);
    // The latter was made before the clock of the database was set back.
    for (const at of [`now() - interval '169 hours'`, `now() + interval '1 hour'`]) {
      await api.pool.query(`update sender_check set checked_at = ${at}`);
      assert.match(await refusal(uri), /not been checked within the last 168 hours/, at);
    }
    await setMailing(api, uri, { status: 'draft' });
  });

  it('is not asked for where the instance does not say so', async () => {
    const lax = await startApi();
    try {
      await ensureReportRole(lax.pool, lax.env);
      await lax.create('list', { name: 'News' });
      await insertPeople(lax.pool, [{ id: 1, email: 'ann@example.org', lists: [1] }]);
      assert.equal((await lax.call('POST', `${await makeReady(lax)}queue/`)).statusCode, 201);
    } finally {
      await lax.close();
    }
  });
});
