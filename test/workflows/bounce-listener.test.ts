import assert from 'node:assert/strict';
import nodemailer from 'nodemailer';
import { startApi, type TestApi } from '../support/api.ts';
import { abuse, dsn } from '../support/mail-reports.ts';
import { subscriberWithMail } from '../support/subscriber.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('bounces that come by mail', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('mean the same as those posted: a worker records them, each report once', async () => {
    const list = await api.create('list', { name: 'News' });
    const { rows } = await api.pool.query(`insert into core_mailing (status) values ('completed') returning id`);
    const settings = { DATABASE_URL: api.databaseUrl, SMTP_URL: 'smtp://127.0.0.1:1' };
    const place = await createNamespace();
    const worker = await runWorker(place, { ...settings, BOUNCE_PORT: '0', COMPLAINT_ADDRESS: 'fbl@reports.example' });
    const relay = nodemailer.createTransport({ host: '127.0.0.1', port: worker.bounces!.port, ignoreTLS: true });
    const send = (to: string, raw: string) => relay.sendMail({ envelope: { from: '', to }, raw });

    const [gone, angry] = [await subscriberWithMail(api, list, rows[0].id), await subscriberWithMail(api, list, rows[0].id)];
    const report = dsn(gone.mail.envelopeFrom);
    await send(gone.mail.envelopeFrom, report);
    await send('fbl@reports.example', abuse(angry.mail.message));
    assert.equal((await api.read(gone.uri)).subscription_status, 'bounced');
    assert.equal((await api.read(angry.uri)).subscription_status, 'unsubscribed');
    const leaving = await subscriberWithMail(api, list, rows[0].id);
    const [, address] = /<mailto:([^?>]+)/.exec(leaving.mail.message)!;
    await send(address!, 'From: me@example.org\r\nSubject: unsubscribe\r\n\r\n\r\n');
    assert.equal((await api.read(leaving.uri)).subscription_status, 'unsubscribed');
    const again = await api.call('POST', '/rest/v1/bounce/', report, { 'content-type': 'message/rfc822' });
    assert.equal(again.json().bounce, null);
    const { objects } = await api.read('/rest/v1/bounce/');
    assert.deepEqual(
      objects.map(({ user, kind }: { user: string; kind: string }) => [user, kind]),
      [
        [gone.uri, 'hard'],
        [angry.uri, 'complaint'],
      ],
    );
  });
});
