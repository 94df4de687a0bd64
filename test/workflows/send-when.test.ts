import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type pg from 'pg';
import { MESSAGE, type SendProgress } from '../../workflows/contracts.ts';
import { become, ledgerStates } from '../support/sending.ts';
import { type SimulatedPlatform, simulatedPlatform } from '../support/simulated-platform.ts';

const MINUTE = 60_000;

describe('when a mailing leaves, in simulated time', () => {
  let platform: SimulatedPlatform;
  let env: TestWorkflowEnvironment;
  let pool: pg.Pool;

  before(async () => {
    platform = await simulatedPlatform({ SEND_UNDO_SECONDS: '300' });
    ({ env, pool } = platform);
  });
  after(() => platform?.close());
  beforeEach(async () => {
    platform.relay.reset();
    await platform.clock.read();
  });

  const statusOf = async (id: number) => (await pool.query('select status, errors from core_mailing where id = $1', [id])).rows[0];
  const queuedNow = async (people: number, more = {}) => {
    const id = await platform.queuedMailing(people, more);
    await pool.query('update core_mailing set queued_at = $2 where id = $1', [id, new Date(await env.currentTimeMs())]);
    return id;
  };

  const detailsOf = async (run: WorkflowHandle) =>
    (await run.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;

  it('is stopped within the undo delay, and nobody was mailed', async () => {
    const id = await queuedNow(50);
    const run = await platform.start({ mailingId: id });
    await env.sleep(2 * MINUTE);
    const progress = await run.query<SendProgress>(MESSAGE.progress);
    deepEqual([progress.phase, progress.pause?.reason], ['waiting', 'it can still be stopped before the first mail']);
    const until = `${progress.pause!.until.slice(0, 19)} UTC`;
    equal(await detailsOf(run), `Waiting until ${until}, so that it can be stopped before the first mail.`);
    await run.signal(MESSAGE.stop);
    equal(await run.result(), 'stopped');
    equal((await statusOf(id)).status, 'draft');
    deepEqual(await ledgerStates(pool, id), { pending: 50 });
    equal(platform.relay.written.length, 0);
  });

  it('goes out when the undo delay is over', async () => {
    const id = await queuedNow(10);
    const run = await platform.start({ mailingId: id });
    equal(await run.result(), 'completed');
    const took = await platform.duration(id);
    ok(took >= 5 * MINUTE && took < 6 * MINUTE, `${took} ms`);
    equal(platform.relay.written.length, 10);
  });

  it('pauses outside the sending hours, says so, and goes on inside them', async () => {
    // One whose clocks are never put forward or back: the same time tomorrow is a day away, whenever this runs.
    const zone = 'America/Phoenix';
    const shown = (at: number) =>
      new Date(at).toLocaleTimeString('en-US', { timeZone: zone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' });
    const began = await env.currentTimeMs();
    Object.assign(platform.settings, {
      SENDING_HOURS: `${shown(began - 60 * MINUTE)}-${shown(began + 3 * MINUTE)}`,
      SENDING_TIMEZONE: zone,
    });
    try {
      const times = platform.relay.recordTimes(platform.clock);
      const id = await platform.queuedMailing(150, { rate: 0.5 });
      const run = await platform.start({ mailingId: id });
      await env.sleep(20 * MINUTE);
      const { phase, pause } = await run.query<SendProgress>(MESSAGE.progress);
      equal(phase, 'paused');
      // What operators read of the run says the same as what clients do.
      equal(await detailsOf(run), `Paused until ${pause!.until.slice(0, 19)} UTC: ${pause!.reason}`);
      match(pause!.reason, /^outside the sending hours, \d\d:\d\d-\d\d:\d\d America\/Phoenix$/);
      const opens = Date.parse(pause!.until) - began;
      ok(opens > 22.9 * 60 * MINUTE && opens < 23.1 * 60 * MINUTE, pause!.until);
      const before = times.length;
      ok(before > 30 && before < 100, `${before} mails before the pause`);
      equal((await statusOf(id)).status, 'sending');
      equal(await run.result(), 'completed');
      deepEqual(await ledgerStates(pool, id), { accepted: 150 });
      ok(times.slice(0, before).every((time) => time < began + 3 * MINUTE + 1000));
      // A minute less: the hours begin at a full one.
      ok(times.slice(before).every((time) => time > began + 23 * 60 * MINUTE - 2 * MINUTE));
    } finally {
      Object.assign(platform.settings, { SENDING_HOURS: undefined });
    }
  });

  it('waits for those the relay has put off, and says with which words it did, naming nobody', async () => {
    const retry = platform.settings.SEND_RETRY_SECONDS;
    Object.assign(platform.settings, { SEND_UNDO_SECONDS: 0, SEND_RETRY_SECONDS: 1800 });
    try {
      platform.relay.answer = ({ envelopeTo }) => ({ kind: 'deferred', reply: `451 4.7.1 <${envelopeTo}> greylisted, come back` });
      const id = await platform.queuedMailing(10);
      const run = await platform.start({ mailingId: id });
      await env.sleep(10 * MINUTE);
      const { phase, pause } = await run.query<SendProgress>(MESSAGE.progress);
      equal(phase, 'paused');
      equal(pause!.reason, 'recipients were put off by the relay: 451 4.7.1 <[address]> greylisted, come back');
      platform.relay.reset();
      platform.settings.SEND_RETRY_SECONDS = retry;
      equal(await run.result(), 'completed');
      deepEqual(await ledgerStates(pool, id), { accepted: 10 });
    } finally {
      Object.assign(platform.settings, { SEND_UNDO_SECONDS: 300, SEND_RETRY_SECONDS: retry });
    }
  });

  it('is over outside the sending hours where nobody of it waits any more', async () => {
    const now = await env.currentTimeMs();
    const utc = (at: number) => new Date(at).toISOString().slice(11, 16);
    Object.assign(platform.settings, { SENDING_HOURS: `${utc(now + 600 * MINUTE)}-${utc(now + 660 * MINUTE)}`, SENDING_TIMEZONE: 'UTC' });
    try {
      const id = await platform.queuedMailing(3);
      const run = await platform.start({ mailingId: id });
      await env.sleep(10 * MINUTE);
      equal((await run.query<SendProgress>(MESSAGE.progress)).phase, 'paused');
      // As workers leave it that end, or are killed, right behind the last mail.
      const became = [2, 5, 3].map((state, n) => ({ position: n + 1, state, detail: state === 2 ? null : 'why' }));
      await become(pool, id, became);
      await pool.query('update send_shard set claimed_to = 3, accepted = 1, uncertain = 1, failed = 1 where mailing_id = $1', [id]);
      equal(await run.result(), 'completed');
      const took = await platform.duration(id);
      ok(took < 120 * MINUTE, `${took} ms`);
      deepEqual(await ledgerStates(pool, id), { accepted: 1, failed: 1, uncertain: 1 });
      equal(platform.relay.written.length, 0);
    } finally {
      Object.assign(platform.settings, { SENDING_HOURS: undefined });
    }
  });

  it('is stopped while it waits for the sending hours', async () => {
    const now = await env.currentTimeMs();
    const utc = (at: number) => new Date(at).toISOString().slice(11, 16);
    Object.assign(platform.settings, { SENDING_HOURS: `${utc(now + 120 * MINUTE)}-${utc(now + 180 * MINUTE)}`, SENDING_TIMEZONE: 'UTC' });
    try {
      const id = await platform.queuedMailing(10);
      const run = await platform.start({ mailingId: id });
      await env.sleep(30 * MINUTE);
      await run.signal(MESSAGE.stop);
      equal(await run.result(), 'stopped');
      deepEqual(await ledgerStates(pool, id), { pending: 10 });
      equal((await statusOf(id)).status, 'stopped');
    } finally {
      Object.assign(platform.settings, { SENDING_HOURS: undefined });
    }
  });
});
