import assert from 'node:assert/strict';
import { workflowId } from '../../workflows/contracts.ts';
import { completing } from '../support/completing.ts';
import { idIn, READY } from '../support/mailings.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

const PEOPLE = ['ann@example.org', 'bob@example.org'];
/** Five seconds between the two, so that a machine that stands still for some does not miss them. */
const SLOWLY = { mails_per_second: 0.2 };

describe('an activity of a send that is completed by hand, with what is no answer of it', () => {
  let platform: WholePlatform;
  let { complete, holding } = {} as ReturnType<typeof completing>;

  before(async () => {
    platform = await wholePlatform({}, PEOPLE);
    ({ complete, holding } = completing(platform));
  });
  after(() => platform?.close());

  const handleOf = (id: string) => platform.place.client.workflow.getHandle(id);

  for (const answer of [null, { stage: 'waiting', lateAfterMinutes: 15 }])
    it(`is run again where a send was opened, and answered ${JSON.stringify(answer)}: it goes out at its time`, async () => {
      const uri = await platform.ready({ ...READY, scheduled_for: '2100-01-01T00:00:00' });
      const progress = await platform.post(`${uri}queue/`);
      await platform.watch(progress, ({ phase }) => phase === 'waiting');
      const run = workflowId.sendMailing(idIn(uri));
      await holding('lock table core_mailing in access exclusive mode', async () => {
        await handleOf(run).signal('reschedule');
        await complete(run, 'openSend', answer, true);
      });
      await platform.api.call('PATCH', uri, { scheduled_for: new Date().toISOString().slice(0, 19) });
      const { status, progress: accepted } = await platform.watch(progress);
      assert.deepEqual([status, accepted], ['completed', PEOPLE.length]);
    });

  for (const answer of [null, { count: 2 }])
    it(`is run again where a send had its users built, and answered ${JSON.stringify(answer)}: those of now get it`, async () => {
      const uri = await platform.ready({ ...READY, rebuild_query_at_send: true });
      await platform.api.pool.query(
        `with u as (insert into core_user (email, subscription_status) values ('eve@example.org', 'subscribed') returning id)
       insert into core_subscription (user_id, list_id) select id, 1 from u`,
      );
      let progress = '';
      await holding('lock table core_subscription in access exclusive mode', async () => {
        progress = await platform.post(`${uri}queue/`);
        await complete(workflowId.sendMailing(idIn(uri)), 'buildTargetsAtSend', answer, true);
      });
      const { status, progress: accepted } = await platform.watch(progress);
      assert.deepEqual([status, accepted], ['completed', PEOPLE.length + 1]);
      await platform.api.pool.query(`delete from core_user where email = 'eve@example.org'`);
    });

  for (const answer of [null, 7, { accepted: 2 }])
    it(`is run again where the end of a send was recorded, and answered ${JSON.stringify(answer)}: no commits are said to be lost`, async () => {
      const uri = await platform.ready({ ...READY, ...SLOWLY });
      const progress = await platform.post(`${uri}queue/`);
      await platform.watch(progress, ({ status, progress }) => status === 'sending' && progress > 0);
      await holding(`select from core_mailing where id = ${idIn(uri)} for update`, () =>
        complete(workflowId.sendMailing(idIn(uri)), 'finishSend', answer, true),
      );
      assert.equal(await handleOf(workflowId.sendMailing(idIn(uri))).result(), 'completed');
      assert.deepEqual([(await platform.api.read(uri)).status, (await platform.api.read(progress)).progress], ['completed', PEOPLE.length]);
    });

  for (const answer of [
    { next: 'closed', accepted: 0 },
    { next: 'closed', accepted: 0, waitMs: 1000 },
    { next: 'finished', accepted: 0, waitMs: 0 },
  ])
    it(`is over where it was a slice, and answered ${JSON.stringify(answer)}: the next one sends`, async () => {
      const uri = await platform.ready({ ...READY, ...SLOWLY });
      const progress = await platform.post(`${uri}queue/`);
      await complete(workflowId.sendMailing(idIn(uri)), 'sendSlice', answer);
      const { status, progress: accepted } = await platform.watch(progress);
      assert.deepEqual([status, accepted], ['completed', PEOPLE.length]);
    });

  for (const answer of [
    { pending: 2, reasons: [], lanes: 1 },
    { pending: 2, reasons: [], lanes: 1e9, rate: null, sliceSeconds: 12, giveUpHours: 72 },
    { pending: 2, reasons: {}, lanes: 0, rate: null, sliceSeconds: 12, giveUpHours: 72 },
  ])
    it(`is run again where a send was begun, and answered ${JSON.stringify(answer)}: it goes out`, async () => {
      const uri = await platform.ready(READY);
      let progress = '';
      await holding('lock table send_run in access exclusive mode', async () => {
        progress = await platform.post(`${uri}queue/`);
        await complete(workflowId.sendMailing(idIn(uri)), 'beginSending', answer, true);
      });
      const { status, progress: accepted } = await platform.watch(progress);
      assert.deepEqual([status, accepted], ['completed', PEOPLE.length]);
    });

  it('is run again where a send was to be built first, and was not: those of now get it', async () => {
    const uri = await platform.ready({ ...READY, rebuild_query_at_send: true, scheduled_for: '2100-01-01T00:00:00' });
    const run = workflowId.sendMailing(idIn(uri));
    const progress = await platform.post(`${uri}queue/`);
    await platform.watch(progress, ({ phase }) => phase === 'waiting');
    await platform.api.pool.query('delete from core_subscription where user_id = 2');
    await platform.api.pool.query('update core_mailing set scheduled_for = now() where id = $1', [idIn(uri)]);
    await holding(`select from core_mailing where id = ${idIn(uri)} for no key update`, async () => {
      await handleOf(run).signal('reschedule');
      await complete(run, 'markRebuilding', false, true);
    });
    const { status, progress: accepted } = await platform.watch(progress);
    await platform.api.pool.query('insert into core_subscription (user_id, list_id) values (2, 1)');
    assert.deepEqual([status, accepted], ['completed', 1]);
  });
});
