import { setTimeout as sleep } from 'node:timers/promises';
import { workflowId } from '../../workflows/contracts.ts';
import { idIn, READY } from '../support/mailings.ts';
import { Opened } from '../support/relay.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

describe('a mail to one person that is on its way', () => {
  const opened = new Opened();
  let platform: WholePlatform;

  before(async () => {
    const silent = await opened.server(() => undefined);
    platform = await wholePlatform({ SMTP_URL: silent, SMTP_TIMEOUT_MS: '60000' }, ['ann@example.org']);
  });
  after(async () => {
    await platform?.close();
    await opened.end();
  });

  /** Waits for a heartbeat of that activity of a run, by which its worker's death is known in seconds: the one before it may be there still. */
  const beats = async (id: string, activity: string) => {
    for (let tries = 0; tries < 2000; tries++) {
      const found = await platform.place.client.workflow
        .getHandle(id)
        .describe()
        .catch(() => null);
      if (found?.raw.pendingActivities?.some((each) => each.activityType!.name === activity && each.lastHeartbeatTime)) return;
      await sleep(50);
    }
    throw new Error(`${activity} sends none`);
  };

  it('is heard of by heartbeats: the result of a report', async () => {
    await platform.api.create('queryreport', { name: 'One', short_name: 'one', sql: 'select 1' });
    const task = await platform.post('/rest/v1/report/background/one/', { email_to: ['boss@example.org'] });
    await platform.watch(task, ({ status }) => status === 'completed');
    await beats(workflowId.runReport(idIn(task)), 'mailReport');
  });

  it('is heard of by heartbeats: the notice that a mailing was stopped', async () => {
    const submitter = await platform.api.create('authuser', { username: 'boss', password: 'a-long-password', email: 'boss@example.org' });
    const mailing = await platform.ready({ ...READY, submitter });
    const progress = await platform.post(`${mailing}queue/`);
    await platform.watch(progress, ({ status }) => status === 'sending');
    await platform.post(`${mailing}stop/`, undefined, 202);
    await platform.watch(progress);
    const { rows } = await platform.api.pool.query<{ id: number }>('select id from core_mailingnotice');
    await beats(workflowId.sendNotice(rows[0]!.id), 'sendNotice');
  });
});
