import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { WITHHELD } from '../../../domain/allow-list.ts';
import { READY } from '../../support/mailings.ts';
import { type WholePlatform, wholePlatform } from '../../support/whole-platform.ts';

describe('an instance that mails the addresses of its allow-list alone', () => {
  let platform: WholePlatform;
  const PEOPLE = ['ann@example.org', 'Tester@Ours.Example', 'bob@example.org', 'cy@example.com', 'dan@sub.ours.example'];

  before(async () => {
    platform = await wholePlatform({ SEND_ONLY_TO: 'ann@example.org, ours.example' }, PEOPLE);
  });
  after(() => platform?.close());
  beforeEach(() => platform.sink.reset());

  const mailed = () => platform.sink.inbox.list().flatMap(({ to }) => to.map((address) => address.toLowerCase()));

  it('skips everybody else in a mailing, with the reason', async () => {
    const { api } = platform;
    const uri = await platform.ready(READY);
    const ended = await platform.watch(await platform.post(`${uri}queue/`));
    assert.deepEqual([ended.status, ended.progress, ended.skipped, ended.failed], ['completed', 2, 3, 0]);
    assert.deepEqual(mailed().sort(), ['ann@example.org', 'tester@ours.example']);
    const { rows } = await api.pool.query('select distinct detail from send_record where state = 4');
    assert.deepEqual(rows, [{ detail: WITHHELD }]);
  });

  it('sends no proofs to others, and says so', async () => {
    const uri = await platform.ready(READY);
    const poll = await platform.post(`${uri}proofs/`, { proofs: 1, reviewers: ['boss@example.com', 'qa@ours.example'] });
    const proofs = await platform.watch(poll);
    assert.deepEqual([proofs.success, proofs.sent], [false, 1]);
    assert.deepEqual(proofs.errors, [`proof 1 for reviewer 1: ${WITHHELD}`]);
    assert.deepEqual(mailed(), ['qa@ours.example']);
  });

  it('sends no other mail to others', async () => {
    const { api } = platform;
    await api.create('signuppage', { name: 'join', followup: { send_email: true, email_subject: 'Welcome', email_body: '<p>Hello</p>' } });
    for (const email of ['cy@example.com', 'ann@example.org']) await platform.post('/rest/v1/action/', { page: 'join', email });
    const statuses = async () =>
      (
        await api.pool.query(
          'select u.email, m.status, m.detail from core_transactionalmailing m join core_user u on u.id = m.user_id order by m.id',
        )
      ).rows;
    for (let tries = 0; tries < 4000 && (await statuses()).some(({ status }) => ['pending', 'sending'].includes(status)); tries++)
      await sleep(50);
    assert.deepEqual(await statuses(), [
      { email: 'cy@example.com', status: 'skipped', detail: WITHHELD },
      { email: 'ann@example.org', status: 'sent', detail: '' },
    ]);
    assert.deepEqual(mailed(), ['ann@example.org']);
  });
});
