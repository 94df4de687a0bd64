import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRound } from '../../core/crm/round.ts';
import type { CoreDeps } from '../../core/deps.ts';
import { clearOld } from '../../core/retention.ts';
import { deliverDue } from '../../core/webhooks/deliver.ts';
import { createPool } from '../../db/pool.ts';
import { READY } from '../support/mailings.ts';
import { endSessions } from '../support/sessions.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

// What an operator sets for login or database against statements that were forgotten somewhere. What takes longer for its size would fail the same each time, for ever.
describe('a database that ends every statement after a while', () => {
  let platform: WholePlatform;

  before(async () => {
    platform = await wholePlatform({ WEBHOOKS_INSIDE: 'true' }, ['ann@example.org', 'bob@example.org']);
    const { pool } = platform.api;
    // As slow as with millions of people.
    await pool.query(`
      create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(2); return null; end';
      create trigger slow after insert on send_set execute function slow();
      create trigger slow after insert on send_shard execute function slow();
      create trigger slow after update on core_crmmap for each row execute function slow();
      create trigger slow after update on core_usermerge execute function slow();
      create trigger slow after update on core_erasure execute function slow();
      create trigger slow after insert on core_uploadblock execute function slow();
      create trigger slow after insert on core_action execute function slow();
      create trigger slow after delete on push_key execute function slow();
      insert into core_crmmap (user_id, status, wanted, done) select id, 'synced', 1, 1 from core_user`);
    const { rows } = await pool.query('select current_database() as name');
    for (const limit of ['statement_timeout', 'transaction_timeout'])
      await pool.query(`alter database ${rows[0].name} set ${limit} = '1s'`);
    await endSessions(pool, rows[0].name);
    // A second is soon over where the machine has much else to do: who is told 503 comes again. What takes longer for its size is told so each time.
    const { call } = platform.api;
    platform.api.call = async (...asked) => {
      for (let tries = 1; ; tries++) {
        const answer = await call(...asked);
        if (answer.statusCode !== 503 || tries === 20) return answer;
      }
    };
  });
  after(() => platform?.close());

  it('lets the users of a mailing be built, and its sending begin, however long that takes', async () => {
    const uri = await platform.ready(READY);
    const { status, progress } = await platform.watch(await platform.post(`${uri}queue/`));
    assert.deepEqual([status, progress], ['completed', 2]);
  });

  it('lets somebody be erased, others be merged, and a file of people be imported', async () => {
    const { api } = platform;
    const ids = await Promise.all(['cy', 'di', 'ed'].map((name) => api.create('user', { email: `${name}@example.org` })));
    const [gone, primary, merged] = ids.map((uri) => Number(uri.split('/').at(-2)));
    await platform.post('/rest/v1/eraser/', { user_id: gone }, 303);
    for (let status = 'pending'; status === 'pending'; await sleep(100))
      status = (await api.pool.query('select status from core_erasure where user_id = $1', [gone])).rows[0].status;
    assert.match((await api.read(ids[0]!)).email, /erased\.invalid$/);

    const wish = { primary_user: primary, users: [merged], address_user: primary, source_user: primary };
    const job = await platform.watch(await platform.post('/rest/v1/usermerge/', wish), ({ status }) => status !== 'pending');
    assert.equal(job.status, 'complete');

    const page = await api.create('importpage', { name: 'import', list: '/rest/v1/list/1/' });
    const form = `--b\r\nContent-Disposition: form-data; name="page"\r\n\r\n${page}\r\n--b\r\nContent-Disposition: form-data; name="upload"; filename="a.csv"\r\n\r\nemail\nfay@example.org\n\r\n--b--\r\n`;
    const taken = await api.call('POST', '/rest/v1/upload/', Buffer.from(form), { 'content-type': 'multipart/form-data; boundary=b' });
    assert.equal(taken.statusCode, 201, taken.body);
    const uri = String(taken.headers.location).slice(api.env.BASE_URL.length);
    const upload = await platform.watch(uri, ({ is_completed }) => is_completed);
    assert.equal(upload.has_errors, 0);
    assert.equal((await api.read('/rest/v1/user/?email=fay@example.org')).meta.total_count, 1);
  });

  it('lets what is kept for a while be cleared', async () => {
    const { databaseUrl, env } = platform.api;
    const pool = createPool(databaseUrl, 2);
    try {
      await pool.query(`insert into push_key (key_digest, body_digest, created_at) values ('x', 'y', now() - interval '10 years')`);
      const { pushKeys } = await clearOld({ pool, env, log: { info() {} } } as unknown as CoreDeps);
      assert.equal(pushKeys, 1);
    } finally {
      await pool.end();
    }
  });

  it('lets a report run for as long as its own limit says', async () => {
    const answer = await platform.api.call('GET', '/rest/v1/report/run/sql/?query=select%20count(*)%20from%20generate_series(1,20000000)');
    assert.equal(answer.statusCode, 200, answer.body);
  });

  it('lets thousands of deliveries be put off whose webhook does not answer', async () => {
    const { api } = platform;
    await api.pool.query(`
      create function slow_for_many() returns trigger language plpgsql as 'begin if (select count(*) from changed) > 1 then perform pg_sleep(2); end if; return null; end';
      create trigger slow after update on core_webhookdelivery referencing new table as changed execute function slow_for_many()`);
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const uri = await api.create('webhook', { url: 'http://127.0.0.1:9/hook', events: ['action'], secret });
    const id = Number(uri.split('/').at(-2));
    await api.pool.query(
      `insert into core_webhookdelivery (webhook_id, event, resource, resource_id) select $1, 'action', 'action', n from generate_series(1, 3) n`,
      [id],
    );
    const pool = createPool(api.databaseUrl, 2);
    try {
      const env = { ...api.env, WEBHOOKS_INSIDE: true };
      await deliverDue({ pool, env }, id, new AbortController().signal);
      const { rows } = await pool.query(
        'select failures, (select count(*)::int from core_webhookdelivery where next_at <= now()) as due from core_webhook',
      );
      assert.deepEqual(rows, [{ failures: 1, due: 0 }]);
    } finally {
      await pool.end();
    }
  });

  it('lets a round of the CRM sync find who has changed', async () => {
    const { databaseUrl, env } = platform.api;
    const pool = createPool(databaseUrl, 2);
    try {
      const { changed } = await openRound({ pool, env, log: console } as unknown as CoreDeps, new AbortController().signal);
      assert.equal(changed, 2);
    } finally {
      await pool.end();
    }
  });
});
