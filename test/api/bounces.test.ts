import assert from 'node:assert/strict';
import { compileMailing } from '../../mail/compile.ts';
import { startApi, type TestApi } from '../support/api.ts';

/** Reports with the shapes of the examples in RFC 3464 and RFC 5965, about a mail whose bounce address is given. */
const dsn = (to: string, { action = 'failed', status = '5.1.1', diagnostic = 'smtp; 550 5.1.1 unknown user' } = {}) =>
  `From: Mail Delivery <MAILER-DAEMON@relay.example>
To: ${to}
Subject: Returned mail
Message-ID: <${Math.random()}@relay.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
 boundary="RAA14128.773615765/relay.example"

--RAA14128.773615765/relay.example

The original message could not be delivered.

--RAA14128.773615765/relay.example
content-type: message/delivery-status

Reporting-MTA: dns; relay.example
Arrival-Date: Thu, 7 Jul 1994 16:15:05 -0400

Final-Recipient: rfc822; somebody@example.org
Action: ${action}
Status: ${status}
Remote-MTA: dns; mail.example.org
Diagnostic-Code: ${diagnostic}
 (folded on)

--RAA14128.773615765/relay.example
content-type: message/rfc822

From: campaign@campaign.localhost
Subject: Hello

[original message goes here]

--RAA14128.773615765/relay.example--
`.replace(/\n/g, '\r\n');

const abuse = (about: string, type = 'abuse') =>
  `From: <abusedesk@provider.example>
To: <fbl@campaign.localhost>
Subject: FW: Earn money
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="part1_13d.2e68ed54_boundary"

--part1_13d.2e68ed54_boundary
Content-Type: text/plain; charset="US-ASCII"

This is an email abuse report.

--part1_13d.2e68ed54_boundary
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1

--part1_13d.2e68ed54_boundary
Content-Type: message/rfc822

${about}
--part1_13d.2e68ed54_boundary--
`.replace(/\r?\n/g, '\r\n');

describe('bounces and complaints', () => {
  let api: TestApi;
  let list: string;
  let people = 0;
  let mailingId: number;

  before(async () => {
    api = await startApi({ SOFT_BOUNCE_LIMIT: '3' });
    list = await api.create('list', { name: 'News' });
    mailingId = (await api.pool.query(`insert into core_mailing (status) values ('completed') returning id`)).rows[0].id;
  });
  after(() => api.close());

  async function subscriber(): Promise<{ uri: string; mail: ReturnType<ReturnType<typeof compileMailing>['render']> }> {
    const email = `person${++people}@example.org`;
    const uri = await api.create('user', { email });
    await api.create('subscription', { user: uri, list });
    const compiled = compileMailing(
      {
        mailingId,
        subjects: ['Hello'],
        previewTexts: [],
        html: '<p>Hi</p>',
        text: '',
        from: 'a@example.org',
        replyTo: '',
        wrapper: null,
        fields: {},
        language: '',
        pretendDate: null,
      },
      { baseUrl: api.env.BASE_URL, mailDomain: api.env.MAIL_DOMAIN, secretKey: api.env.SECRET_KEY },
    );
    return { uri, mail: compiled.render({ user_id: Number(uri.match(/(\d+)\/$/)![1]), position: 0, email }) };
  }

  async function report(raw: string) {
    const answer = await api.call('POST', '/rest/v1/bounce/', raw, { 'content-type': 'message/rfc822' });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json();
  }
  const statusOf = async (uri: string) => (await api.read(uri)).subscription_status;
  const changesOf = async (uri: string) =>
    (await api.read((await api.read(uri)).subscriptionhistory)).objects.map(({ change }: { change: string }) => change);

  it('take a user whose mail bounced hard off all lists', async () => {
    const { uri, mail } = await subscriber();
    // Some servers send the address back in lower or upper case.
    const done = await report(dsn(mail.envelopeFrom.toUpperCase()));
    assert.deepEqual([done.kind, done.user, done.mailing], ['hard', uri, `/rest/v1/mailing/${mailingId}/`]);
    assert.equal(await statusOf(uri), 'bounced');
    assert.deepEqual(await changesOf(uri), ['subscribe_api', 'unsubscribe_bounce']);
    const { code, diagnostic } = await api.read(done.bounce);
    assert.deepEqual([code, diagnostic], ['5.1.1', 'smtp; 550 5.1.1 unknown user (folded on)']);
  });

  it('only log soft ones, until there are too many of them', async () => {
    const { uri, mail } = await subscriber();
    const full = { status: '4.2.2', diagnostic: 'smtp; 452 mailbox full' };
    for (const status of ['subscribed', 'subscribed', 'bounced']) {
      assert.equal((await report(dsn(mail.envelopeFrom, full))).kind, 'soft');
      assert.equal(await statusOf(uri), status);
    }
    const policy = await subscriber();
    await api.pool.query(
      `insert into core_bounce (user_id, kind, created_at) select $1, 'soft', now() - interval '40 days' from generate_series(1, 5)`,
      [Number(policy.uri.match(/(\d+)\/$/)![1])],
    );
    assert.equal((await report(dsn(policy.mail.envelopeFrom, { status: '5.7.1' }))).kind, 'soft');
    assert.equal(await statusOf(policy.uri), 'subscribed');
  });

  it('count a report once, however often it comes', async () => {
    const { uri, mail } = await subscriber();
    const raw = dsn(mail.envelopeFrom, { status: '4.4.1' });
    assert.ok((await report(raw)).bounce);
    assert.equal((await report(raw)).bounce, null);
    assert.equal((await api.read(`/rest/v1/bounce/?user=${uri.match(/(\d+)\/$/)![1]}`)).meta.total_count, 1);
  });

  it('unsubscribe who complains, found by the mail they complain about', async () => {
    const { uri, mail } = await subscriber();
    const done = await report(abuse(mail.message));
    assert.deepEqual([done.kind, done.user], ['complaint', uri]);
    assert.equal(await statusOf(uri), 'unsubscribed');
    assert.ok((await changesOf(uri)).includes('unsubscribe_complaint'));
    const other = await subscriber();
    assert.equal((await report(abuse(other.mail.message, 'not-spam'))).kind, null);
    assert.equal(await statusOf(other.uri), 'subscribed');
  });

  it('change nothing for what is no report, is about nobody, or has a forged address', async () => {
    const { uri, mail } = await subscriber();
    const forged = mail.envelopeFrom.replace(/.{4}@/, 'aaaa@');
    const texts = [
      dsn(forged),
      dsn(mail.envelopeFrom, { action: 'delayed', status: '4.4.7' }),
      dsn(mail.envelopeFrom, { action: 'delivered' }),
    ];
    texts.push(`To: ${mail.envelopeFrom}\r\nSubject: Out of office\r\n\r\nI am away.`, 'x', '\0\xff', `To: ${'('.repeat(50_000)}\r\n\r\n`);
    for (const text of texts) assert.equal((await report(text)).kind, null);
    assert.equal(await statusOf(uri), 'subscribed');
    await api.call('DELETE', uri);
    assert.equal((await report(dsn(mail.envelopeFrom))).bounce, null);
  });

  it('need credentials and a message', async () => {
    const raw = { 'content-type': 'message/rfc822' };
    assert.equal((await api.call('POST', '/rest/v1/bounce/', 'x', { ...raw, authorization: '' })).statusCode, 401);
    assert.equal((await api.call('POST', '/rest/v1/bounce/', 'x', { 'content-type': 'text/plain' })).statusCode, 415);
    assert.equal((await api.call('POST', '/rest/v1/bounce/', 'x'.repeat(3_000_000), raw)).statusCode, 413);
  });
});
