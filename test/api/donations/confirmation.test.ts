import assert from 'node:assert/strict';
import { setTimeout as later } from 'node:timers/promises';
import { temporalWorkflows } from '../../../api/plugins/workflows.ts';
import { UnavailableError } from '../../../domain/errors.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { donation, push } from '../../support/donations.ts';
import { ScriptedRelay } from '../../support/sending.ts';
import { createNamespace } from '../../support/temporal.ts';
import { runWorker } from '../../support/worker.ts';

describe('the confirmation of a donation', () => {
  let api: TestApi;
  const relay = new ScriptedRelay(1);
  before(async () => {
    api = await startApi();
    const place = await createNamespace();
    const real = temporalWorkflows(place.client);
    api.workflows.start = (start) => (api.workflows.failure ? Promise.reject(api.workflows.failure) : real.start(start));
    // A push may make the page with all that follows a donation on it.
    const followup = {
      send_email: true,
      email_subject: 'Thank you, {{ user.first_name }}',
      email_body: '<p>We have got your donation.</p>',
    };
    await push(api, {
      donationpage: { name: 'thanks', followup },
      user: { email: 'first@example.org' },
      action: { skip_confirmation: true },
    });
    await runWorker(place, { DATABASE_URL: api.databaseUrl, SMTP_URL: 'smtp://127.0.0.1:1' }, { relay });
  });
  after(() => api.close());

  const rows = async () =>
    (await api.pool.query('select u.email, m.status from core_transactionalmailing m join core_user u on u.id = m.user_id order by m.id'))
      .rows;
  const sent = async (email: string) => {
    for (let tries = 0; tries < 3000; tries++) {
      if ((await rows()).some((row) => row.email === email && row.status === 'sent')) return;
      await later(50);
    }
    throw new Error(JSON.stringify(await rows()));
  };

  it('goes out once, however often the push is sent', async () => {
    const body = donation({
      donationpage: { name: 'thanks' },
      user: { email: 'second@example.org' },
      order: { donation_import_id: 'once' },
    });
    const key = { 'idempotency-key': 'confirm' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => api.call('POST', '/rest/v1/donationpush/', body, n % 2 ? key : {})),
    );
    assert.ok(answers.some(({ statusCode }) => statusCode === 200));
    await sent('second@example.org');
    assert.deepEqual(relay.written, ['second@example.org']);
  });

  it('is suppressed by skip_confirmation', async () => {
    await push(api, { donationpage: { name: 'thanks' }, user: { email: 'third@example.org' }, action: { skip_confirmation: true } });
    assert.deepEqual(
      (await rows()).map(({ email }) => email),
      ['second@example.org'],
    );
  });

  it('that the relay puts off is tried for two days, not for ever, and has failed then with its words', async () => {
    const words = '450 4.1.2 Recipient address rejected: Domain not found';
    relay.answer = () => ({ kind: 'deferred', reply: words });
    try {
      await push(api, { donationpage: { name: 'thanks' }, user: { email: 'nobody@nowhere.example' } });
      const of = async () =>
        (await api.pool.query('select status, detail from core_transactionalmailing order by id desc limit 1')).rows[0];
      const becomes = async (status: string, detail: string) => {
        for (let tries = 0; tries < 600; tries++) {
          const row = await of();
          if (row.status === status && row.detail === detail) return;
          await later(50);
        }
        throw new Error(JSON.stringify(await of()));
      };
      // The relay was away for a week before it was asked about this one: that is not held against it.
      await api.pool.query(`update core_transactionalmailing set created_at = created_at - interval '7 days' where status <> 'sent'`);
      await becomes('pending', words);
      await api.pool.query(
        `update core_transactionalmailing set put_off_since = put_off_since - interval '49 hours' where status <> 'sent'`,
      );
      await becomes('failed', words);
    } finally {
      relay.answer = () => ({ kind: 'accepted', reply: '250 ok' });
    }
  });

  it('waits in the database while the workflow service is away: the donation is taken all the same', async () => {
    api.workflows.failure = new UnavailableError('away');
    try {
      await push(api, { donationpage: { name: 'thanks' }, user: { email: 'fourth@example.org' } });
    } finally {
      api.workflows.failure = null;
    }
    assert.deepEqual((await rows()).at(-1), { email: 'fourth@example.org', status: 'pending' });
  });
});
