import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { MAILING_STATUSES } from '../../domain/words.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn, READY } from '../support/mailings.ts';
import { endSessions } from '../support/sessions.ts';

describe('GET /metrics', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const scrape = async () => {
    const answer = await api.call('GET', '/metrics');
    assert.equal(answer.statusCode, 200);
    assert.match(answer.headers['content-type'] as string, /^text\/plain; version=0\.0\.4/);
    return answer.body;
  };

  it('asks for credentials', async () => {
    assert.equal((await api.call('GET', '/metrics', undefined, { authorization: '' })).statusCode, 401);
  });

  it('tells requests by route, never by what stood in them', async () => {
    await api.call('GET', '/rest/v1/user/1987654321/');
    await api.call('GET', '/rest/v1/user/?email=ada@example.org');
    const text = await scrape();
    assert.match(text, /campaign_http_request_seconds_count\{method="GET",route="\/rest\/v1\/user\/:id\/",status="404"\} 1/);
    assert.match(text, /campaign_http_request_seconds_count\{method="GET",route="\/rest\/v1\/user\/",status="200"\} 1/);
    assert.doesNotMatch(text, /ada|1987654321/);
  });

  it('tells mailings by status, and of those being sent what became of whom', async () => {
    const uri = await api.create('mailer', { subjects: ['Hello'], html: '<p>Hello</p>' });
    const id = Number(uri.match(/(\d+)\/$/)![1]);
    await api.pool.query(`update core_mailing set status = 'sending', expected_send_count = 100 where id = $1`, [id]);
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, failed, uncertain, held_until)
       values ($1, 1, 1, 60, 40, 35, 2, 3, clock_timestamp() + interval '4 seconds'), ($1, 2, 61, 100, 60, 0, 0, 0, null)`,
      [id],
    );
    const text = await scrape();
    assert.match(text, /campaign_mailings\{status="sending"\} 1/);
    for (const [outcome, count] of Object.entries({ accepted: 35, failed: 2, uncertain: 3, skipped: 0, pending: 60 })) {
      assert.match(text, new RegExp(`campaign_send_recipients\\{mailing_id="${id}",outcome="${outcome}"\\} ${count}\n`));
    }
    assert.match(text, new RegExp(`campaign_send_shards_open\\{mailing_id="${id}"\\} 2`));
    const lag = Number(text.match(/campaign_send_ledger_lag_seconds\{mailing_id="\d+"\} ([\d.]+)/)![1]);
    assert.ok(lag >= 5.9 && lag < 8, `a lease of 10 s that has 4 s left was renewed 6 s ago, not ${lag}`);
  });

  it('tells since when a mailing has committed nothing: one whose dead worker left a shard that is taken up later goes on committing', async () => {
    const id = Number((await api.create('mailer', { subjects: ['Hello'], html: '<p>Hello</p>' })).match(/(\d+)\/$/)![1]);
    await api.pool.query(`update core_mailing set status = 'sending', expected_send_count = 100 where id = $1`, [id]);
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, held_until)
       values ($1, 1, 1, 60, 40, clock_timestamp() + interval '9 seconds'), ($1, 2, 61, 100, 60, clock_timestamp() - interval '3 minutes')`,
      [id],
    );
    const lag = async () =>
      Number((await scrape()).match(new RegExp(`campaign_send_ledger_lag_seconds\\{mailing_id="${id}"\\} ([\\d.]+)`))![1]);
    const one = await lag();
    assert.ok(one >= 0.9 && one < 5, `it committed a second ago, not ${one}`);
    await api.pool.query(`update send_shard set held_until = clock_timestamp() - interval '1 minute' where mailing_id = $1 and shard = 1`, [
      id,
    ]);
    const none = await lag();
    assert.ok(none >= 69.9 && none < 80, `nobody has committed for 70 s, not ${none}`);
  });

  it('tells of whom nobody knows, also once their mailing has ended, which is when they can be settled, and not any more once they are', async () => {
    const id = idIn(await api.create('mailer', READY));
    const told = async () => (await scrape()).match(new RegExp(`^campaign_uncertain_recipients\\{mailing_id="${id}"\\} (\\d+)`, 'm'))?.[1];
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, accepted, uncertain) values ($1, 1, 1, 9, 9, true, 7, 2)`,
      [id],
    );
    const exception = `insert into send_exception (mailing_id, position, user_id, shard, state, changed_at) select $1, n, n, 1, 5, now() from generate_series(8, 9) n`;
    await api.pool.query(exception, [id]);
    assert.equal(await told(), undefined, 'a draft');
    for (const status of ['sending', 'stopped', 'died', 'completed']) {
      await api.pool.query('update core_mailing set status = $2, expected_send_count = 9 where id = $1', [id, status]);
      assert.equal(await told(), '2', status);
    }
    assert.equal((await api.call('POST', `/rest/v1/mailer/${id}/uncertain/accept/`)).statusCode, 200);
    assert.equal(await told(), undefined);
  });

  it('tells of every status how many mailings have it, none among them: what was not told before cannot be seen to grow', async () => {
    const text = await scrape();
    for (const status of MAILING_STATUSES) assert.match(text, new RegExp(`campaign_mailings\\{status="${status}"\\} \\d`), status);
  });

  it('tells the use of the pool, and that the database answers', async () => {
    const text = await scrape();
    assert.match(text, /campaign_pool_connections\{state="busy"\} \d+/);
    assert.match(text, /campaign_database_up 1/);
  });

  it('says that the database is away to whoever has asked before, and to nobody else', async () => {
    const ofMailings = /^campaign_(mailings|send_\w+|uncertain_recipients|rebuilds?_\w+)\b.*$/gm;
    assert.match((await scrape()).match(ofMailings)!.join('\n'), /campaign_send_shards_open\{.*campaign_rebuilds_unfinished 0/s);
    const name = new URL(api.databaseUrl).pathname.slice(1);
    const client = new pg.Client({ connectionString: Object.assign(new URL(api.databaseUrl), { pathname: '/postgres' }).href });
    await client.connect();
    try {
      await client.query(`alter database ${name} allow_connections false`);
      await endSessions(client, name);
      await sleep(2 * api.env.ACCOUNT_CACHE_MS);
      const text = await scrape();
      assert.match(text, /campaign_database_up 0/);
      // Of several API processes the largest number counts: one that has lost the database would hold a mailing under way that has ended.
      assert.equal(text.match(ofMailings), null);
      assert.match(text, /campaign_http_request_seconds_count/);
      const stranger = `Basic ${Buffer.from('admin:guessed').toString('base64')}`;
      assert.equal((await api.call('GET', '/metrics', undefined, { authorization: stranger })).statusCode, 503);
      assert.equal((await api.call('GET', '/rest/v1/list/')).statusCode, 503);
    } finally {
      await client.query(`alter database ${name} allow_connections true`);
      await client.end();
    }
    const text = await scrape();
    assert.match(text, /campaign_database_up 1/);
    assert.match(text, /campaign_send_shards_open\{/);
  });
});
