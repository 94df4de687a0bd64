import assert from 'node:assert/strict';
import { runErasure } from '../../core/people/erasure-job.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { donation } from '../support/donations.ts';
import { idIn } from '../support/mailings.ts';

describe('somebody erased a second time, with more options', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
    // As the worker does it.
    api.workflows.start = async ({ input }) => {
      await runErasure({ pool: api.pool, env: api.env, log: { warn() {} } as never }, (input as { jobId: number }).jobId);
      return 'started';
    };
  });
  after(() => api.close());

  const erase = async (body: object) => assert.equal((await api.call('POST', '/rest/v1/eraser/', body)).statusCode, 303);
  /** A push that is refused, and what is left of it. */
  async function attempt(email: string): Promise<() => Promise<string[]>> {
    const wrong = donation({ order: { card_code: '123' }, user: { email, first_name: 'Zed', last_name: 'Zulu' } });
    assert.equal((await api.call('POST', '/rest/v1/donationpush/', wrong)).statusCode, 400);
    const { resource_uri: uri } = (await api.read(`/rest/v1/donationattempt/?email=${encodeURIComponent(email)}&order_by=-id`)).objects[0];
    return async () => {
      const left = await api.read(uri);
      return [left.email.toLowerCase(), left.name];
    };
  }

  it('is cleared from the log of refused donations, under every address they had', async () => {
    const uri = await api.create('user', { email: 'Zed.Old@example.org' });
    const old = await attempt('zed.old@example.org');
    assert.equal((await api.call('PATCH', uri, { email: 'Zéd@example.org' })).statusCode, 202);
    const last = await attempt('zéd@EXAMPLE.org');
    const somebody = await attempt('somebody@example.org');
    await erase({ email: 'zéd@example.org' });
    for (const left of [old, last]) assert.equal((await left())[1], 'Zed Zulu', 'nobody asked for these yet');
    await erase({ user_id: idIn(uri), user_fields: true });
    await erase({ user_id: idIn(uri), order_user_details: true });
    for (const left of [old, last]) assert.deepEqual(await left(), ['', '']);
    assert.deepEqual(await somebody(), ['somebody@example.org', 'Zed Zulu']);
  });

  it('is found by an address in capitals that JavaScript makes other small letters of than the database', async () => {
    const uri = await api.create('user', { email: 'ΝΊΚΟΣ@example.org' });
    const refused = await attempt('ΝΊΚΟΣ@example.org');
    await erase({ user_id: idIn(uri) });
    await erase({ user_id: idIn(uri), order_user_details: true });
    assert.deepEqual(await refused(), ['', '']);
  });

  it('is named by no refused donation that comes with their akid afterwards', async () => {
    const uri = await api.create('user', { email: 'giver@example.org' });
    const { token: akid } = await api.read(uri);
    await erase({ user_id: idIn(uri), order_user_details: true });
    const wrong = donation({ user: { akid, first_name: 'Zacharias', last_name: 'Zulu' } });
    delete (wrong as { user: { email?: string } }).user.email;
    assert.equal((await api.call('POST', '/rest/v1/donationpush/', wrong)).statusCode, 400);
    const { email, name, errors } = (await api.read('/rest/v1/donationattempt/?order_by=-id')).objects[0];
    assert.deepEqual([email, name, errors], ['', '', { user: ['akid'] }]);
  });

  it('is not taken for whoever has that address since', async () => {
    const uri = await api.create('user', { email: 'again@example.org' });
    const before = await attempt('again@example.org');
    await erase({ user_id: idIn(uri) });
    await api.create('user', { email: 'again@example.org' });
    const since = await attempt('again@example.org');
    await erase({ user_id: idIn(uri), order_user_details: true });
    assert.deepEqual(
      [await before(), await since()],
      [
        ['', ''],
        ['again@example.org', 'Zed Zulu'],
      ],
    );
  });
});
