import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSweepActivities } from '../../activities/sweep.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { inActivity } from '../support/in-activity.ts';
import { READY } from '../support/mailings.ts';
import { ScriptedRelay, seedMailing } from '../support/sending.ts';

describe('the sweep, where Temporal does not answer', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  /** A client that answers for what `answers` says alone, and for anything else never. */
  function sweeping(answers: (id: string) => boolean) {
    const started: string[] = [];
    const silent = () => sleep(4000).then(() => Promise.reject(new Error('no answer')));
    const answer = async (id: string) => (answers(id) ? void started.push(id) : silent());
    const handle = (id: string) => ({ describe: () => answer(id), signal: () => answer(id) });
    const start = (_: string, { workflowId }: { workflowId: string }) => answer(workflowId);
    const temporal = {
      workflow: { start, getHandle: handle, list: async function* () {} },
      schedule: { getHandle: handle },
      withDeadline: (_: number, call: () => Promise<unknown>) => call(),
    };
    const log = { info() {}, warn() {}, error() {} };
    const parts = { env: api.env, pool: api.pool, sendPool: api.pool, temporal: temporal as never, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...parts, shuttingDown: new AbortController().signal }));
    return { started, startForgotten };
  }

  const erasures = async (names: string[]): Promise<number[]> => {
    const { rows } = await api.pool.query(
      `with made as (insert into core_user (email) select name || '@example.org' from unnest($1::text[]) name returning id)
       insert into core_erasure (user_id, options, updated_at) select id, '[]', now() - interval '1 hour' from made returning id`,
      [names],
    );
    return rows.map(({ id }) => id);
  };

  it('for two of a kind, comes to those behind them with another look', async () => {
    const [, , third] = await erasures(['one', 'two', 'three']);
    await api.pool.query(`update core_erasure set updated_at = now() - interval '1 minute' where id = $1`, [third]);
    const { started, startForgotten } = sweeping((id) => id === `user-erase-${third}`);
    // Twelve times last of three by chance: once in half a million.
    for (let look = 0; look < 12 && !started.length; look++) await rejects(startForgotten(), /no answer/);
    deepEqual(started, [`user-erase-${third}`]);
  });

  it('for anything, is over within its minute, and settles what killed workers left before that', async () => {
    await erasures(['four', 'five']);
    for (let nth = 0; nth < 2; nth++) {
      const recurring = await api.create('mailer', READY);
      await api.create('recurringschedule', { mailing: recurring, period: 'daily' });
      await api.call('POST', `${await api.create('mailer', READY)}rebuild/`);
      const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
      await api.create('webhook', { url: `https://example.org/${nth}`, events: ['action'], secret });
    }
    const left = await seedMailing(api.pool, 1);
    await api.pool.query(`update send_shard set held_until = now() - interval '1 minute' where mailing_id = $1`, [left]);
    await api.pool.query(`update core_mailing set status = 'stopped' where id = $1`, [left]);
    for (let nth = 0; nth < 2; nth++) await seedMailing(api.pool, 1);
    await api.pool.query(`
      update core_mailing set updated_at = now() - interval '1 hour';
      update core_mailingrebuild set created_at = now() - interval '1 hour';
      insert into core_webhookdelivery (webhook_id, event, resource, resource_id, next_at)
        select id, 'action', 'action', 1, now() - interval '1 hour' from core_webhook`);
    const begun = performance.now();
    const look = rejects(sweeping(() => false).startForgotten(), /no answer/);
    const unsettled = 'select 1 from send_shard where mailing_id = $1 and held_until is not null';
    while ((await api.pool.query(unsettled, [left])).rowCount) {
      ok(performance.now() - begun < 20_000, 'they wait for everything else');
      await sleep(200);
    }
    await look;
    equal(Math.floor((performance.now() - begun) / 60_000), 0);
  });
});
