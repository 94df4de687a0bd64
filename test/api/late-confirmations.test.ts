import { deepEqual, equal } from 'node:assert/strict';
import { sendConfirmation } from '../../core/people/confirm.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { erase } from '../support/erasing.ts';
import { merge } from '../support/merging.ts';
import { Opened } from '../support/relay.ts';
import { ScriptedRelay } from '../support/sending.ts';

describe('mails about an action that waited for the relay or a worker', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
    await api.create('signuppage', {
      name: 'join',
      followup: {
        send_email: true,
        email_subject: 'Thanks',
        email_body: '<p>Hi</p>',
        send_notifications: true,
        notifications: ['staff@example.org'],
      },
    });
  });
  after(() => api.close());

  /** Somebody acts; then `meanwhile`; then their mails are sent. @returns what became of each */
  async function sentAfter(email: string, meanwhile: () => Promise<unknown>): Promise<string[][]> {
    const acted = await api.call('POST', '/rest/v1/action/', { page: 'join', email });
    equal(acted.statusCode, 201, acted.body);
    await meanwhile();
    const relay = new ScriptedRelay(1);
    const { rows } = await api.pool.query(`select id from core_transactionalmailing where status = 'pending' order by id`);
    for (const { id } of rows) await sendConfirmation({ pool: api.pool, env: api.env, relay }, id);
    const { rows: became } = await api.pool.query(
      'select kind, status, detail from core_transactionalmailing where id = any($1) order by id',
      [rows.map(({ id }) => id)],
    );
    return became.map(({ kind, status, detail }) => [kind, status, detail]);
  }
  const NEVER = ['skipped', 'this address is never mailed'];

  it('go to nobody who is never to be mailed since', async () => {
    deepEqual(await sentAfter('ann@example.org', () => api.create('blackholedemail', { email: 'Ann@example.org' })), [
      ['confirmation', ...NEVER],
      ['notification-1', 'sent', ''],
    ]);
    deepEqual(await sentAfter('ben@example.org', () => api.create('blackholedemail', { email: 'staff@example.org' })), [
      ['confirmation', 'sent', ''],
      ['notification-1', ...NEVER],
    ]);
  });

  it('go to nobody who is never to be mailed, into whom they were merged', async () => {
    const held = await api.create('user', { email: 'never@example.org' });
    await api.create('blackholedemail', { email: 'never@example.org' });
    const merged = async () => {
      const { id } = (await api.read('/rest/v1/user/?email=cleo@example.org')).objects[0];
      await merge(api.pool, (await api.read(held)).id, [id]);
    };
    deepEqual(await sentAfter('cleo@example.org', merged), [['confirmation', ...NEVER]]);
  });

  it('are not written any more by a worker that stood still over them for longer than others wait for it: they may be erased since', async () => {
    const opened = new Opened();
    let stands = async () => {};
    const { relay, lines } = await opened.relayThatWaits(() => stands());
    const become = async (email: string): Promise<string> => {
      const { action_id: action } = (await api.call('POST', '/rest/v1/action/', { page: 'join', email })).json();
      const which = `from core_transactionalmailing where action_id = $1 and kind = 'confirmation'`;
      const { id } = (await api.pool.query(`select id ${which}`, [action])).rows[0];
      await sendConfirmation({ pool: api.pool, env: api.env, relay }, id).catch(() => {});
      return (await api.pool.query(`select status ${which}`, [action])).rows[0].status;
    };
    equal(await become('awake@example.org'), 'sent');
    lines.length = 0;
    stands = async () => {
      const { id } = (await api.read('/rest/v1/user/?email=gone@example.org')).objects[0];
      await erase(api.pool, id);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11_000);
    };
    equal(await become('gone@example.org'), 'skipped');
    deepEqual(
      lines.filter((line) => /thanks/i.test(line)),
      [],
    );
    await opened.end();
  });
});
