import { doesNotMatch, equal, match } from 'node:assert/strict';
import { HealthBoard } from '../../console/health/board.ts';
import { well } from '../../domain/finding.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs, text } from '../support/console-visitor.ts';
import { makeReady, setMailing } from '../support/mailings.ts';

describe('the health page of the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let closeSink: () => Promise<void>;

  before(async () => {
    const sink = await startSmtpSink({ keep: 1 });
    closeSink = () => sink.close();
    api = await startApi({ SMTP_URL: sink.url, ALLOW_ASYNC_STANDBY: 'true' });
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(async () => {
    await api.close();
    await closeSink();
  });

  /** When all have answered. */
  const asked = async (who = visitor) => {
    const answer = await who.get('/console/health/live');
    equal(answer.statusCode, 200, text(answer.body));
    return { said: answer.json().said as string, page: text(answer.json().regions.health) };
  };

  it('says of each part whether it is well, and what to do where it is not', async () => {
    const began = performance.now();
    const first = await visitor.get('/console/health/');
    equal(first.statusCode, 200);
    const tookMs = performance.now() - began;
    const { said, page } = await asked();
    match(page, /database Well PostgreSQL/);
    match(page, /relay Well/);
    match(page, /temporal Not well TEMPORAL_ADDRESS is not set.* set TEMPORAL_ADDRESS/);
    match(said, /^1 part is not well$/);
    match(text((await visitor.get('/console/health/')).body), /1 part is not well/);
    equal(tookMs < 2_000, true, `the page waited ${tookMs} ms for its parts`);
  });

  it('does not show what was found a while ago as what is', async () => {
    let [time, answers] = [0, 0];
    const never = new Promise<never>(() => {});
    const board = new HealthBoard({ relay: async () => (answers++ ? never : [well('relay', 'it answers')]) }, () => time);
    const known = async () => (await board.look(20))['relay'];
    equal((await known())?.length, 1);
    time = 29_000;
    equal((await known())?.length, 1);
    time = 31_000;
    equal(await known(), null);
  });

  it('counts deliveries that wait to be made, and none of a webhook that is switched off', async () => {
    const hook = { url: 'https://example.org/', events: ['action'], secret: `whsec_${Buffer.alloc(32).toString('base64')}` };
    for (const active of [true, false]) {
      const uri = await api.create('webhook', { ...hook, active });
      await api.pool.query(
        `insert into core_webhookdelivery (webhook_id, event, resource, resource_id, asked_at, created_at)
         select $1, 'action', 'action', 1, t, t from (select now() - $2 * interval '1 hour' as t) at`,
        [Number(uri.split('/').at(-2)), active ? 3 : 900],
      );
    }
    match((await asked()).page, /Deliveries of webhooks 1 3\s*h /);
  });

  it('counts what waits in which queue, and how long nobody has been heard of', async () => {
    const uri = await makeReady(api, { subjects: ['x'] });
    const id = Number(uri.split('/').at(-2));
    await setMailing(api, uri, { status: 'sending', started_at: new Date(), expected_send_count: 10 });
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted, held_until) values ($1, 0, 1, 10, 0, 4, clock_timestamp() - interval '60 s')`,
      [id],
    );
    await api.pool.query(
      `insert into core_mailingrebuild (mailing_id, targeting_version, created_at) values ($1, 1, now() - interval '2 h')`,
      [id],
    );
    const { page } = await asked();
    match(page, new RegExp(`Mailing Left Open shards Last heard of ${id} 6 1 1\\s*min ago`));
    match(page, /Audiences to be built 1 2\s*h Proofs to be sent 0 –/);
    await setMailing(api, uri, { status: 'stopped' });
  });

  it('shows addresses of machines to who runs them alone', async () => {
    const looker = await enterAs(api, 'looker', ['mailer:read']);
    const { page } = await asked(looker);
    match(page, /relay Well/);
    doesNotMatch(page, /127\.0\.0\.1|TEMPORAL_ADDRESS|PostgreSQL/);
    const none = await api.create('authgroup', { name: 'none', grants: ['list:read'] });
    await api.create('authuser', { username: 'nobody', password: 'long-enough', is_staff: true, groups: [none] });
    const nobody = new ConsoleVisitor(api.app);
    await nobody.logIn({ username: 'nobody', password: 'long-enough' });
    equal((await nobody.get('/console/health/')).statusCode, 403);
    doesNotMatch((await nobody.get('/console/')).body, /console\/health/);
  });
});
