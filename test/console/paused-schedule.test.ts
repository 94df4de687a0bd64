import { doesNotMatch, equal, match } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { workflowId } from '../../workflows/contracts.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, text } from '../support/console-visitor.ts';
import { idIn, READY } from '../support/mailings.ts';
import { createNamespace } from '../support/temporal.ts';

const PAUSED = /Its schedule is paused in Temporal: nothing goes out before somebody unpauses it there\./;

describe('a mailing that recurs whose schedule somebody paused in Temporal, in the console', () => {
  const recurring = async (api: TestApi) => {
    const mailing = await api.create('mailer', READY);
    await api.create('recurringschedule', { mailing, period: 'monthly' });
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    const at = `/console/mailings/${idIn(mailing)}/`;
    const seen = async (path = '') => {
      const { statusCode, body } = await visitor.get(`${at}${path}`);
      equal(statusCode, 200, body);
      return path === 'live' ? body : text(body);
    };
    return { seen, id: idIn(mailing) };
  };

  it('says so, for as long as it is', async () => {
    const place = await createNamespace();
    const api = await startApi({}, undefined, temporalWorkflows(place.client));
    try {
      const { seen, id } = await recurring(api);
      doesNotMatch(await seen(), /paused/);
      const schedule = place.client.schedule.getHandle(workflowId.runRecurring(id));
      await schedule.pause();
      // Whoever is not answered in time says nothing of it.
      const said = async (path: string, words: RegExp) => {
        while (!words.test(await seen(path))) await sleep(200);
      };
      for (const path of ['', 'live', 'schedule/']) await said(path, PAUSED);
      await said('live', /"said":"Recurring, paused in Temporal"/);
      await schedule.unpause();
      for (const path of ['', 'live', 'schedule/']) doesNotMatch(await seen(path), /paused/);
    } finally {
      await api.close();
    }
  });

  it('says nothing of it while nobody can be asked, and is there all the same', async () => {
    const api = await startApi();
    try {
      const { seen } = await recurring(api);
      api.workflows.paused = true;
      match(await seen(), PAUSED);
      api.workflows.paused = null;
      for (const path of ['', 'live', 'schedule/', 'edit/']) doesNotMatch(await seen(path), /paused/);
      match(await seen('schedule/'), /Recurs on day 1 of every month/);
    } finally {
      await api.close();
    }
  });
});
