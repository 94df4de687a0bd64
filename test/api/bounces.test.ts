import assert from 'node:assert/strict';
import { compileOneOff } from '../../mail/one-off.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { abuse, dsn } from '../support/mail-reports.ts';
import { idIn } from '../support/mailings.ts';
import { merge } from '../support/merging.ts';
import { subscriberWithMail } from '../support/subscriber.ts';

describe('bounces and complaints', () => {
  let api: TestApi;
  let list: string;
  let mailingId: number;

  before(async () => {
    api = await startApi({ SOFT_BOUNCE_LIMIT: '3' });
    list = await api.create('list', { name: 'News' });
    mailingId = (await api.pool.query(`insert into core_mailing (status) values ('completed') returning id`)).rows[0].id;
  });
  after(() => api.close());

  const subscriber = () => subscriberWithMail(api, list, mailingId);

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

  it('do not count soft ones of an address that went with a merge towards that of who stays', async () => {
    const full = { status: '4.2.2', diagnostic: 'smtp; 452 mailbox full' };
    const [stays, goes] = [await subscriber(), await subscriber()];
    for (let n = 0; n < 2; n++) await report(dsn(goes.mail.envelopeFrom, full));
    await merge(api.pool, idIn(stays.uri), [idIn(goes.uri)]);
    assert.equal((await api.read(`/rest/v1/bounce/?user=${idIn(stays.uri)}`)).meta.total_count, 2);
    for (const status of ['subscribed', 'subscribed', 'bounced']) {
      assert.equal((await report(dsn(stays.mail.envelopeFrom, full))).kind, 'soft');
      assert.equal(await statusOf(stays.uri), status);
    }
  });

  it('of an address that was corrected meanwhile leave the new one as it is: they are only logged', async () => {
    const { uri, mail } = await subscriber();
    const { email: old } = await api.read(uri);
    const full = { status: '4.2.2', diagnostic: 'smtp; 452 mailbox full' };
    await report(dsn(mail.envelopeFrom, { ...full, about: `rfc822; ${old}` }));
    assert.equal((await api.call('PATCH', uri, { email: `right.${old}` })).statusCode, 202);
    for (const about of [
      { about: `rfc822; ${old.toUpperCase()}` },
      { about: `rfc822;<${old}>` },
      { about: 'rfc822; forwarded@elsewhere.example', original: `rfc822;${old.replace('@', '+40')}` },
    ]) {
      const done = await report(dsn(mail.envelopeFrom, about));
      assert.deepEqual([done.kind, typeof done.bounce, await statusOf(uri)], ['hard', 'string', 'subscribed'], about.about);
    }
    for (let n = 0; n < 3; n++) await report(dsn(mail.envelopeFrom, { ...full, about: `rfc822; ${old}` }));
    assert.equal(await statusOf(uri), 'subscribed');
    for (const status of ['subscribed', 'subscribed', 'bounced']) {
      assert.equal((await report(dsn(mail.envelopeFrom, { ...full, about: `rfc822; right.${old}` }))).kind, 'soft');
      assert.equal(await statusOf(uri), status);
    }
  });

  it('of the address there is, or of one nobody knows, count after a correction, too; those of the old one no longer than mail is on its way', async () => {
    for (const about of ['rfc822; NEW', 'rfc822; forwarded@elsewhere.example', 'unknown; somebody']) {
      const { uri, mail } = await subscriber();
      const { email: old } = await api.read(uri);
      assert.equal((await api.call('PATCH', uri, { email: `new.${old}` })).statusCode, 202);
      await report(
        dsn(mail.envelopeFrom, { about: about.replace('NEW', `new.${old}`), original: about.includes('NEW') ? `rfc822; ${old}` : '' }),
      );
      assert.equal(await statusOf(uri), 'bounced', about);
    }
    const { uri, mail } = await subscriber();
    const { email: old } = await api.read(uri);
    assert.equal((await api.call('PATCH', uri, { email: `new.${old}` })).statusCode, 202);
    // Mail to the new one is forwarded to the old one by now.
    await api.pool.query(`update core_formeremail set created_at = now() - interval '40 days' where email = $1`, [old]);
    await report(dsn(mail.envelopeFrom, { about: `rfc822; ${old}` }));
    assert.equal(await statusOf(uri), 'bounced');
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

  it('unsubscribe who complains about a confirmation: its unsubscribe address says whose it is', async () => {
    const { uri, mail } = await subscriber();
    const settings = { baseUrl: api.env.BASE_URL, mailDomain: api.env.MAIL_DOMAIN, secretKey: api.env.SECRET_KEY };
    const content = { subject: 'Thanks', from: 'a@example.org', html: '<p>Thanks</p>', wrapper: null, language: '' };
    const person = { user_id: idIn(uri), email: mail.envelopeTo, position: 0 };
    const { message } = compileOneOff(content, settings).render(person, '5-1a2263ac413');
    assert.equal((await report(abuse(message.replace(/(?<=unsubscribe\+0\.\d+\.)[\w-]{4}/, 'aaaa')))).kind, null);
    const done = await report(abuse(message));
    assert.deepEqual([done.kind, done.user, done.mailing], ['complaint', uri, null]);
    assert.equal(await statusOf(uri), 'unsubscribed');
    assert.ok((await changesOf(uri)).includes('unsubscribe_complaint'));
  });

  it('have company: a mail to the unsubscribe address of a mail takes its reader off all lists, once', async () => {
    const { uri, mail } = await subscriber();
    const [, address] = /<mailto:([^?>]+)\?subject=unsubscribe>/.exec(mail.message)!;
    const letter = (to: string) => `From: me@example.org\r\nTo: ${to}\r\nSubject: unsubscribe\r\n\r\n`;
    assert.equal((await report(letter(address!.replace(/.{4}@/, 'aaaa@')))).kind, null);
    // A bounce repeats the header of the mail it is about: that alone unsubscribes nobody.
    assert.equal((await report(`To: <${mail.envelopeFrom}>\r\nSubject: x\r\n\r\n${mail.message}`)).kind, null);
    assert.equal(await statusOf(uri), 'subscribed');
    const done = await report(letter(`"Us"\r\n <${address}>`));
    assert.deepEqual(done, { kind: 'unsubscribe', user: uri, mailing: `/rest/v1/mailing/${mailingId}/`, bounce: null });
    assert.equal((await report(letter(address!.toUpperCase()))).kind, 'unsubscribe');
    assert.equal(await statusOf(uri), 'unsubscribed');
    assert.deepEqual((await changesOf(uri)).sort(), ['subscribe_api', 'unsubscribe_email']);
    const actions = await api.read(`/rest/v1/unsubscribeaction/?user=${uri.match(/(\d+)\/$/)![1]}`);
    assert.deepEqual(
      actions.objects.map(({ mailing }: { mailing: string }) => mailing),
      [`/rest/v1/mailing/${mailingId}/`],
    );
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

  it('are sent as a mail: none of their fields is said to be taken', async () => {
    const { fields, allowed_list_http_methods: methods } = await api.read('/rest/v1/bounce/schema/');
    const taken = Object.keys(fields).filter((name) => !fields[name].readonly);
    assert.deepEqual([methods, taken], [['get', 'post'], []]);
  });

  it('need credentials and a message', async () => {
    const raw = { 'content-type': 'message/rfc822' };
    assert.equal((await api.call('POST', '/rest/v1/bounce/', 'x', { ...raw, authorization: '' })).statusCode, 401);
    assert.equal((await api.call('POST', '/rest/v1/bounce/', 'x', { 'content-type': 'text/plain' })).statusCode, 415);
    assert.equal((await api.call('POST', '/rest/v1/bounce/', 'x'.repeat(3_000_000), raw)).statusCode, 413);
  });
});
