import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { atEnd } from '../support/endings.ts';
import { idIn } from '../support/mailings.ts';
import { type ReplicatedPlatform, readyMailing, replicatedPlatform } from '../support/replicated-platform.ts';

const STAFF = 'staff@example.org';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('numbers that an asynchronous standby gives out a second time, which is promoted without the last commits', () => {
  let platform: ReplicatedPlatform;
  const mails: string[] = [];
  const deliveries: string[] = [];

  before(async () => {
    const sink = await startSmtpSink({ onMail: ({ content }) => void mails.push(content.toString('latin1')) });
    atEnd(() => sink.close());
    const listener = createServer((request, response) => {
      deliveries.push(String(request.headers['webhook-id']));
      request.resume();
      response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => listener.once('listening', listening));
    atEnd(() => listener.close());
    platform = await replicatedPlatform(2, { SMTP_URL: sink.url, WEBHOOKS_INSIDE: 'true' });
    const { api, postgres } = platform;
    const hook = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
    await api.write('POST', '/rest/v1/webhook/', { url: hook, events: ['action'], secret: SECRET });
    const followup = { send_notifications: true, notifications: [STAFF] };
    await api.write('POST', '/rest/v1/signuppage/', { name: 'join', list: '/rest/v1/list/1/', followup });
    await api.write('POST', '/rest/v1/queryreport/', { name: 'Two', short_name: 'two', sql: 'select 2' });
    await api.write('PATCH', '/rest/v1/authuser/1/', { email: STAFF });
    await postgres.setSynchronous(false);
  });

  /** What others are told of somebody who acts, and of a mailing that is proofed and sent; and where its link leads. */
  async function happens(name: string) {
    const { api, url } = platform;
    const told = mails.length;
    await api.write('POST', '/rest/v1/action/', { page: 'join', email: `${name}@example.org` });
    const delivery = await until('a delivery', () => deliveries.splice(0)[0]);
    await api.write('POST', '/rest/v1/report/background/two/', { email_to: STAFF });
    const mailing = await readyMailing(api, {
      html: `<a href="https://${name}.example/">x</a>`,
      subjects: [name],
      submitter: '/rest/v1/authuser/1/',
    });
    await api.write('POST', `${mailing}proofs/`, { proofs: 1, reviewers: [STAFF] });
    const toStaff = (count: number) => {
      const found = mails.slice(told).filter((mail) => mail.includes(`To: ${STAFF}\r\n`));
      return found.length < count ? undefined : found;
    };
    await until('a notification, a report and a proof', () => toStaff(3));
    await api.write('POST', `${mailing}queue/`);
    const staff = await until('a notice', () => toStaff(4));
    const sent = mails.find((mail) => mail.includes(`Subject: ${name}\r\n`))!;
    const link = /\/click\/[\w.-]+\/\d+/.exec(sent.replaceAll('=\r\n', ''))![0];
    const followed = await fetch(new URL(link, url), { redirect: 'manual' });
    return {
      mailing: idIn(mailing),
      delivery,
      messageIds: staff.map((mail) => /^Message-ID:\s+<(.*)>\r$/im.exec(mail)![1]!),
      leadsTo: followed.headers.get('location'),
    };
  }

  it('have nothing that others keep of the lost ones taken for the new ones', async () => {
    const { postgres, url } = platform;
    await postgres.stopStandby();
    const lost = await happens('lost');
    await postgres.failOver();
    while (!(await fetch(new URL('/health/ready', url)).catch(() => null))?.ok) await sleep(200);
    const next = await happens('next');

    assert.equal(next.mailing, lost.mailing, 'its number was not given out again');
    assert.match(next.leadsTo!, /^https:\/\/next\.example\//);
    assert.notEqual(next.delivery, lost.delivery, 'whoever is told twice of one delivery leaves the second out');
    const shared = next.messageIds.filter((id) => lost.messageIds.includes(id));
    assert.deepEqual(shared, [], 'a mailbox shows one of two mails with the same Message-ID');
  });
});

async function until<Found>(what: string, look: () => Found | undefined): Promise<Found> {
  for (const end = performance.now() + 90_000; performance.now() < end; await sleep(100)) {
    const found = look();
    if (found !== undefined) return found;
  }
  return assert.fail(`${what} never came`);
}
