import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import { createNoticeActivities } from '../../../activities/notices/activities.ts';
import { finalReason } from '../../../core/final-reason.ts';
import { RelayDownError } from '../../../core/people/send-once.ts';
import { TASK_QUEUE } from '../../../workflows/contracts.ts';
import { inActivity } from '../../support/in-activity.ts';
import { atOnce, idIn, READY } from '../../support/mailings.ts';
import { ScriptedRelay } from '../../support/sending.ts';
import { type WholePlatform, wholePlatform } from '../../support/whole-platform.ts';

const BOSS = 'boss@office.example';

describe('people are told about a mailing', () => {
  let platform: WholePlatform;
  let submitter: string;

  before(async () => {
    platform = await wholePlatform({}, ['ann@example.org', 'bob@example.org', 'cy@example.org', 'dan@example.org']);
    submitter = await platform.api.create('authuser', { username: 'boss', password: 'a-long-password', email: BOSS });
  });
  after(() => platform?.close());
  beforeEach(() => {
    platform.sink.setRules([]);
    platform.sink.reset();
  });

  const noticesOf = async (uri: string) =>
    (
      await platform.api.pool.query('select id, kind, status, detail from core_mailingnotice where mailing_id = $1 order by id', [
        idIn(uri),
      ])
    ).rows;
  /** Waits until nothing is under way. */
  const settled = async (uri: string, expected: number) => {
    for (let tries = 0; tries < 3000; tries++) {
      const rows = await noticesOf(uri);
      if (rows.length >= expected && rows.every(({ status }) => !['pending', 'sending'].includes(status))) return rows;
      await sleep(50);
    }
    throw new Error(JSON.stringify(await noticesOf(uri)));
  };
  const mailsTo = (address: string) => Promise.all(platform.sink.inbox.list(address).map(({ content }) => simpleParser(content)));

  it('the submitter, once, when it is completed, with its numbers; nobody when there is no submitter', async () => {
    platform.sink.setRules([{ at: 'rcpt', match: 'cy@', reply: '550 no such user' }]);
    const uri = await platform.ready({ ...READY, submitter });
    await platform.watch(await platform.post(`${uri}queue/`));
    const [notice] = await settled(uri, 1);
    assert.deepEqual([notice.kind, notice.status], ['completed', 'sent']);
    const [mail, ...more] = await mailsTo(BOSS);
    assert.equal(more.length, 0);
    assert.equal(mail!.subject, `Mailing ${idIn(uri)} is completed`);
    assert.match(
      mail!.text!,
      /^ +3 {2}accepted by the relay\n +1 {2}refused by the relay\n +0 {2}skipped\n +0 {2}uncertain\n +0 {2}not sent$/m,
    );
    assert.match(mail!.text!, /Subject: Hello/);
    assert.ok(mail!.text!.includes(`${platform.api.env.BASE_URL}/rest/v1/mailer/${idIn(uri)}/`));

    const alone = await platform.ready(READY);
    await platform.watch(await platform.post(`${alone}queue/`));
    assert.deepEqual(await noticesOf(alone), []);
  });

  it('the submitter when it is stopped, and when it dies, with the reason; not when it was called back unsent', async () => {
    const stopped = await platform.ready({ ...READY, submitter, mails_per_second: 0.1 });
    const progress = await platform.post(`${stopped}queue/`);
    await platform.watch(progress, ({ status, progress }) => status === 'sending' && progress > 0);
    await platform.post(`${stopped}stop/`, undefined, 202);
    await settled(stopped, 1);
    const later = await platform.ready({ ...READY, submitter, scheduled_for: '2041-01-01T00:00:00' });
    await platform.post(`${later}queue/`);
    await platform.post(`${later}stop/`, undefined, 202);
    await platform.watch(`${later}status/`, ({ status }) => status === 'draft');
    const died = await platform.api.create('mailer', {
      ...READY,
      submitter,
      rebuild_query_at_send: true,
      includes: { raw_sql: ['select id / 0 from core_user'] },
    });
    await platform.watch(await platform.post(`${died}queue/`));
    await settled(died, 1);
    assert.deepEqual((await mailsTo(BOSS)).map(({ subject }) => subject).sort(), [
      `Mailing ${idIn(stopped)} was stopped`,
      `Mailing ${idIn(died)} has died: it cannot go on`,
    ]);
    const [last] = (await mailsTo(BOSS)).filter(({ subject }) => subject!.includes('died'));
    assert.match(last!.text!, /Why: The rebuild before sending failed\.[\s\S]*division by zero/);
    assert.deepEqual(await noticesOf(later), []);
  });

  it('reviewers, each with a final proof as sending begins, and again when it goes on after a stop', async () => {
    const uri = await platform.ready({
      ...READY,
      html: '<p>Hello {{ user.email }}</p>',
      reviewers: ['/rest/v1/user/2/', '/rest/v1/user/3/'],
      excludes: { users: [2, 3] },
      mails_per_second: 0.05,
    });
    const progress = await platform.post(`${uri}queue/`);
    await settled(uri, 2);
    await platform.post(`${uri}stop/`, undefined, 202);
    await platform.watch(progress);
    for (const address of ['bob@example.org', 'cy@example.org']) {
      const [mail, ...more] = await mailsTo(address);
      assert.equal(more.length, 0);
      assert.equal(mail!.subject, '[FINAL PROOF] Hello');
      assert.match(mail!.text!, /Hello ann@example\.org/);
      // Its links name nobody.
      assert.match(String(mail!.headers.get('list') && JSON.stringify(mail!.headers.get('list'))), /proof/);
    }
    await atOnce(platform.api, uri);
    await platform.post(`${uri}queue/`);
    const rows = await settled(uri, 4);
    assert.deepEqual(
      rows.map(({ kind, status }) => [kind, status]),
      Array.from({ length: 4 }, () => ['final_proof', 'sent']),
    );
    const ids = (await mailsTo('bob@example.org')).map(({ messageId }) => messageId);
    assert.equal(new Set(ids).size, 2);
    await platform.watch(progress);
  });

  it('reviewers, with the subject and the preview text the first of them gets', async () => {
    const uri = await platform.ready({
      ...READY,
      subjects: ['One', 'Two', 'Three'],
      preview_text: ['first', 'second', 'third'],
      reviewers: ['/rest/v1/user/4/'],
      excludes: { users: [4] },
    });
    await platform.watch(await platform.post(`${uri}queue/`));
    await settled(uri, 1);
    const [mailed] = await mailsTo('ann@example.org');
    const [proof] = await mailsTo('dan@example.org');
    assert.equal(proof!.subject, `[FINAL PROOF] ${mailed!.subject}`);
    const preview = (html: string | false) => /first|second|third/.exec(String(html))![0];
    assert.equal(preview(proof!.html), preview(mailed!.html));
  });

  it('without the mailing noticing when that fails: refused, no address, nobody there', async () => {
    const { api } = platform;
    platform.sink.setRules([{ at: 'rcpt', match: 'boss@|bob@', reply: '550 never heard of you' }]);
    const blank = await api.create('authuser', { username: 'blank', password: 'a-long-password', email: '' });
    const uri = await platform.ready({ ...READY, submitter, reviewers: ['/rest/v1/user/2/'], excludes: { users: [2] } });
    const ended = await platform.watch(await platform.post(`${uri}queue/`));
    assert.deepEqual([ended.status, ended.progress, ended.failed], ['completed', 3, 0]);
    assert.deepEqual(
      (await settled(uri, 2)).map(({ kind, status, detail }) => [kind, status, detail.slice(0, 3)]),
      [
        ['final_proof', 'failed', '550'],
        ['completed', 'failed', '550'],
      ],
    );
    const other = await platform.ready({ ...READY, submitter: blank });
    await platform.watch(await platform.post(`${other}queue/`));
    assert.deepEqual(
      (await settled(other, 1)).map(({ status }) => status),
      ['skipped'],
    );
  });

  it('also when nobody started the mail: the sweep does', async () => {
    const { api, place } = platform;
    const uri = await platform.ready(READY);
    await api.pool.query(
      `insert into core_mailingnotice (mailing_id, kind, account_id, updated_at) values ($1, 'stopped', $2, now() - interval '1 minute')`,
      [idIn(uri), idIn(submitter)],
    );
    await place.client.workflow.execute('sweep', { workflowId: 'sweep', taskQueue: TASK_QUEUE.campaign, args: [{}] });
    assert.deepEqual(
      (await settled(uri, 1)).map(({ status }) => status),
      ['sent'],
    );
    assert.equal((await mailsTo(BOSS)).length, 1);
  });

  it('once, through an outage of the relay, and never a second time when a worker died over it', async () => {
    const { api } = platform;
    const relay = new ScriptedRelay(1);
    const log = { info() {}, warn() {}, error() {} };
    const { sendNotice } = inActivity(createNoticeActivities({ pool: api.pool, env: api.env, relay, log }));
    const uri = await platform.ready(READY);
    const insert = async (status: string, age = '0 days') =>
      (
        await api.pool.query(
          `insert into core_mailingnotice (mailing_id, kind, account_id, status, created_at) values ($1, 'stopped', $2, $3, now() - $4::interval) returning id`,
          [idIn(uri), idIn(submitter), status, age],
        )
      ).rows[0].id as number;
    const statusOf = async (id: number) => (await noticesOf(uri)).find((row) => row.id === id);

    const waiting = await insert('pending');
    relay.answer = () => ({ kind: 'unsent', reply: '421 later', relay: 'busy' });
    await assert.rejects(sendNotice({ jobId: waiting }), (error: Error) => error instanceof RelayDownError && finalReason(error) === null);
    assert.equal((await statusOf(waiting)).status, 'pending');
    relay.answer = () => ({ kind: 'accepted', reply: '250' });
    for (let tries = 0; tries < 3; tries++) await sendNotice({ jobId: waiting });
    assert.equal((await statusOf(waiting)).status, 'sent');
    assert.deepEqual(relay.written, [BOSS]);

    const lost = await insert('sending');
    await sendNotice({ jobId: lost });
    assert.equal((await statusOf(lost)).status, 'uncertain');
    const stale = await insert('pending', '3 days');
    await sendNotice({ jobId: stale });
    assert.equal((await statusOf(stale)).status, 'failed');
    assert.deepEqual(relay.written, [BOSS]);
  });
});
