import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type pg from 'pg';
import { MESSAGE, type SendMailingInput, type SendProgress, workflowId } from '../../workflows/contracts.ts';
import { ledgerStates } from '../support/sending.ts';
import { type SimulatedPlatform, simulatedPlatform } from '../support/simulated-platform.ts';

const HOUR = 3_600_000;

describe('the sendMailing workflow, in simulated time', () => {
  let platform: SimulatedPlatform;
  let env: TestWorkflowEnvironment;
  let pool: pg.Pool;

  before(async () => {
    platform = await simulatedPlatform();
    ({ env, pool } = platform);
  });
  after(() => platform?.close());
  beforeEach(async () => {
    platform.relay.reset();
    await platform.clock.read();
  });

  const statusOf = async (id: number) => {
    const { rows } = await pool.query('select status, errors, expected_send_count, finished_at from core_mailing where id = $1', [id]);
    return rows[0];
  };
  const start = (id: number, more: Partial<SendMailingInput> = {}) => platform.start({ mailingId: id, ...more });

  it('sends to everybody and completes', async () => {
    const id = await platform.queuedMailing(120);
    equal(await (await start(id)).result(), 'completed');
    deepEqual(await ledgerStates(pool, id), { accepted: 120 });
    const row = await statusOf(id);
    deepEqual([row.status, row.errors, row.expected_send_count], ['completed', null, 120]);
    equal(platform.relay.written.length, 120);
  });

  it('waits for a time next month, and goes then', async () => {
    const began = await env.currentTimeMs();
    const id = await platform.queuedMailing(10, { scheduledFor: new Date(began + 30 * 24 * HOUR) });
    equal(await (await start(id)).result(), 'completed');
    const waited = await platform.duration(id);
    ok(waited >= 30 * 24 * HOUR && waited < 30 * 24 * HOUR + HOUR, `waited ${waited / HOUR} hours`);
    equal(platform.relay.written.length, 10);
  });

  it('follows a new time while it waits', async () => {
    const began = await env.currentTimeMs();
    const id = await platform.queuedMailing(5, { scheduledFor: new Date(began + 30 * 24 * HOUR) });
    const run = await start(id);
    await env.sleep(HOUR);
    await pool.query('update core_mailing set scheduled_for = $2 where id = $1', [id, new Date(began + 3 * HOUR)]);
    await run.signal(MESSAGE.reschedule);
    equal(await run.result(), 'completed');
    ok((await platform.duration(id)) < 4 * HOUR);
  });

  it('puts a mailing whose time was missed by more than the grace back to draft, unsent', async () => {
    const id = await platform.queuedMailing(5, { scheduledFor: new Date((await env.currentTimeMs()) - 3 * HOUR) });
    equal(await (await start(id)).result(), 'draft');
    const row = await statusOf(id);
    equal(row.status, 'draft');
    match(row.errors[0], /missed by more than 60 minutes; nothing was sent/);
    equal(platform.relay.written.length, 0);
  });

  it('dies unsent when its targeting was changed while it waited', async () => {
    const id = await platform.queuedMailing(5, { scheduledFor: new Date((await env.currentTimeMs()) + 24 * HOUR) });
    const run = await start(id);
    await env.sleep(HOUR);
    await pool.query('update core_mailing set targeting_version = targeting_version + 1 where id = $1', [id]);
    equal(await run.result(), 'died');
    match((await statusOf(id)).errors[0], /targeting was changed after the users were saved/);
    equal(platform.relay.written.length, 0);
  });

  it('goes back to draft when stopped before its time', async () => {
    const id = await platform.queuedMailing(5, { scheduledFor: new Date((await env.currentTimeMs()) + 24 * HOUR) });
    const run = await start(id);
    await env.sleep(HOUR);
    await run.signal(MESSAGE.stop);
    equal(await run.result(), 'stopped');
    equal((await statusOf(id)).status, 'draft');
    deepEqual(await ledgerStates(pool, id), { pending: 5 });
  });

  it('stops in mid-send with nothing uncertain, and goes on later with exactly the others', async () => {
    const id = await platform.queuedMailing(2000, { rate: 20 });
    const run = await start(id);
    platform.relay.after(100, () => platform.calledOff(id, () => run.signal(MESSAGE.stop)));
    equal(await run.result(), 'stopped');
    equal((await statusOf(id)).status, 'stopped');
    const states = await ledgerStates(pool, id);
    deepEqual(Object.keys(states).sort(), ['accepted', 'pending']);
    ok((states.accepted ?? 0) < 1000, `${states.accepted} were accepted`);
    await platform.requeue(id, { rate: null });
    const again = await start(id);
    equal(await again.result(), 'completed');
    // What operators read is of the whole mailing, not of the last run.
    const { currentDetails } = await again.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    equal(currentDetails, 'completed; 2000 accepted');
    deepEqual(await ledgerStates(pool, id), { accepted: 2000 });
    equal(new Set(platform.relay.written).size, 2000);
    equal(platform.relay.written.length, 2000);
  });

  it('tells operators how many of all were accepted, and when that was so', async () => {
    const id = await platform.queuedMailing(400, { rate: 1 });
    let seen = 0;
    /** While one of its mails is on its way to the relay. */
    const inTheMidst = async (mails: number, look: () => Promise<void>) => {
      const { promise: looked, resolve, reject } = Promise.withResolvers<void>();
      const last = seen + mails;
      platform.relay.answer = async () => {
        if (++seen === last) await look().then(resolve, reject);
        return seen > 5 ? { kind: 'accepted', reply: '250' } : { kind: 'failed', reply: '550 no' };
      };
      // Time is skipped only while somebody waits for the end.
      const ended = (await start(id)).result();
      await looked;
      equal(await ended, 'stopped');
    };
    const run = env.client.workflow.getHandle(workflowId.sendMailing(id));
    const told = async () =>
      /^Sending at 1 mail per second: (\d+) of (\d+) accepted as of (\S+) UTC\.$/.exec(
        (await run.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails,
      )!;
    const stop = () => platform.calledOff(id, () => run.signal(MESSAGE.stop));
    await inTheMidst(90, async () => {
      const [, accepted, of, at] = await told();
      deepEqual([of, Number(accepted) > 50 && Number(accepted) < 100], ['400', true], accepted);
      // As of the last slice, not of this moment: that is why it says when.
      const late = (await env.currentTimeMs()) - Date.parse(`${at}Z`);
      ok(late >= 0 && late < 60_000, at);
      await stop();
    });
    await platform.requeue(id, { rate: 1 });
    // As progress says it: those who were refused before are still of all it is for.
    await inTheMidst(3, async () => {
      equal((await told())[2], '400');
      await stop();
    });
  });

  it('treats a cancel in the operator’s UI as a stop', async () => {
    const id = await platform.queuedMailing(2000, { rate: 20 });
    const run = await start(id);
    platform.relay.after(60, () => platform.calledOff(id, () => run.cancel()));
    equal(await run.result(), 'stopped');
    equal((await statusOf(id)).status, 'stopped');
    ok(!('sending' in (await ledgerStates(pool, id))));
  });

  it('ignores a stop after the end', async () => {
    const id = await platform.queuedMailing(10);
    const run = await start(id);
    equal(await run.result(), 'completed');
    await run.signal(MESSAGE.stop).catch(() => {});
    equal((await statusOf(id)).status, 'completed');
  });

  it('keeps half a mail per second for a quarter of an hour within two percent', async () => {
    const id = await platform.queuedMailing(450, { rate: 0.5 });
    const times = platform.relay.recordTimes(platform.clock);
    const began = performance.now();
    equal(await (await start(id)).result(), 'completed');
    // What the machine takes passes in simulated time, too.
    const real = (performance.now() - began) / 1000;
    const seconds = ((times.at(-1) as number) - (times[0] as number)) / 1000;
    const rate = (times.length - 1) / seconds;
    equal(times.length, 450);
    ok(rate <= 0.51 && (times.length - 1) / (seconds - real) >= 0.49, `${rate} mails per second, ${real} s of real time`);
    // Over every minute, not only on the whole.
    for (let from = 0; times[from + 31]; from++) {
      const window = (times[from + 31] as number) - (times[from] as number);
      ok(window >= 60_000, `32 mails within ${window} ms`);
    }
  });

  it('outlasts a relay that is away for six hours, and says so meanwhile', async () => {
    const id = await platform.queuedMailing(200);
    const began = await env.currentTimeMs();
    const heard: (string | null)[] = [];
    platform.relay.answer = async () => {
      if ((await env.currentTimeMs()) - began >= 6 * HOUR) return { kind: 'accepted', reply: '250' };
      heard.push((await env.client.workflow.getHandle(workflowId.sendMailing(id)).query<SendProgress>(MESSAGE.progress)).phase);
      return { kind: 'unsent', reply: 'connect ECONNREFUSED', relay: 'down' };
    };
    const run = await start(id);
    await env.sleep(HOUR);
    const progress = await run.query<SendProgress>(MESSAGE.progress);
    equal(progress.phase, 'paused');
    match(progress.pause?.reason ?? '', /ECONNREFUSED/);
    equal(await run.result(), 'completed');
    // While the relay is only asked whether it is back, it is paused still.
    const first = heard.indexOf('paused');
    ok(first > 0 && heard.slice(first).every((phase) => phase === 'paused'), heard.join(' '));
    equal(new Set(platform.relay.written).size, 200);
    const waited = await platform.duration(id);
    ok(waited >= 6 * HOUR && waited < 6.2 * HOUR, `waited ${waited / HOUR} hours`);
  });

  it('gives a relay up that was asked in vain for as long as the setting says, however many hours nothing might be sent in', async () => {
    const began = await env.currentTimeMs();
    const utc = (at: number) => new Date(at).toISOString().slice(11, 16);
    Object.assign(platform.settings, { SEND_RELAY_GIVE_UP_HOURS: 5, SENDING_TIMEZONE: 'UTC' });
    Object.assign(platform.settings, { SENDING_HOURS: `${utc(began - HOUR / 2)}-${utc(began + 2 * HOUR)}` });
    try {
      const id = await platform.queuedMailing(5);
      platform.relay.answer = () => ({ kind: 'unsent', reply: 'connect ECONNREFUSED', relay: 'down' });
      equal(await (await start(id)).result(), 'died');
      match((await statusOf(id)).errors[0], /the relay was away for 5 hours: connect ECONNREFUSED/);
      const waited = await platform.duration(id);
      ok(waited > 48 * HOUR && waited < 50 * HOUR, `waited ${waited / HOUR} hours`);
    } finally {
      Object.assign(platform.settings, { SENDING_HOURS: undefined, SEND_RELAY_GIVE_UP_HOURS: 72 });
    }
  });

  it('dies when the relay refuses our credentials, and goes on when they are mended', async () => {
    const id = await platform.queuedMailing(50);
    platform.relay.answer = () => ({ kind: 'unsent', reply: '535 bad credentials', relay: 'refused-credentials' });
    equal(await (await start(id)).result(), 'died');
    const row = await statusOf(id);
    equal(row.status, 'died');
    match(row.errors[0], /535 bad credentials/);
    platform.relay.reset();
    await platform.requeue(id);
    equal(await (await start(id)).result(), 'completed');
    deepEqual(await ledgerStates(pool, id), { accepted: 50 });
  });

  it('dies with the reason when tracking makes its links longer than a template may be', async () => {
    const id = await platform.queuedMailing(5);
    const html = '<a href="http://a.b/">x</a>'.repeat(20_000);
    await pool.query(`update core_mailing set html = $2, text = 'Hi' where id = $1`, [id, html]);
    equal(await (await start(id)).result(), 'died');
    const row = await statusOf(id);
    equal(row.status, 'died');
    match(row.errors[0], /the templates cannot be compiled: html: /);
    equal(platform.relay.written.length, 0);
    await pool.query(`update core_mailing set html = '<p>Shorter</p>' where id = $1`, [id]);
    await platform.requeue(id);
    equal(await (await start(id)).result(), 'completed');
  });

  it('dies with the reason when what was frozen cannot be compiled, instead of trying for ever', async () => {
    const id = await platform.queuedMailing(1000, { rate: 5 });
    const run = await start(id);
    await env.sleep(5000);
    await pool.query(
      `update send_run set content = jsonb_set(content, '{content,html}', '"{{ nothing_of_the_kind }}"'), started_at = now() where mailing_id = $1`,
      [id],
    );
    equal(await run.result(), 'died');
    const row = await statusOf(id);
    equal(row.status, 'died');
    match(row.errors[0], /nothing_of_the_kind/);
    const states = await ledgerStates(pool, id);
    deepEqual([states.sending, states.uncertain], [undefined, undefined], JSON.stringify(states));
  });

  it('continues as a new run, and a stop that arrives around it holds', async () => {
    const id = await platform.queuedMailing(3000, { rate: 5 });
    const run = await start(id, { slicesPerRun: 2 });
    const first = run.firstExecutionRunId;
    let told = false;
    platform.relay.answer = async () => {
      if (!told && (await platform.latest(id)).runId !== first) {
        told = true;
        await platform.calledOff(id, () => env.client.workflow.getHandle(run.workflowId).signal(MESSAGE.stop));
      }
      return { kind: 'accepted', reply: '250' };
    };
    equal(await env.client.workflow.getHandle(run.workflowId).result(), 'stopped');
    const states = await ledgerStates(pool, id);
    ok((states.accepted ?? 0) > 50 && (states.pending ?? 0) > 1000, JSON.stringify(states));
    equal((await statusOf(id)).status, 'stopped');
  });
});
