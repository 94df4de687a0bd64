import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { workflowId } from '../../workflows/contracts.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { idIn, READY, setMailing } from '../support/mailings.ts';

const MONDAYS = { period: 'weekly', weekday: '1', day: '1', hour: '9', minute: '5', timezone: 'America/New_York' };

describe('mailings that recur, in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const made = async (more: object = READY) => {
    const uri = await api.create('mailer', more);
    return { uri, at: `/console/mailings/${idIn(uri)}/` };
  };

  it('are made, changed and ended there, as over the API', async () => {
    const { uri, at } = await made();
    const answer = await visitor.submit(`${at}schedule/`, `${at}recurring`, MONDAYS);
    deepEqual([answer.statusCode, answer.headers.location], [303, `${at}schedule/?done=recurring`]);
    const { status, recurring_schedule: schedule } = await api.read(uri);
    equal(status, 'recurring');
    const { period, weekday, hour, minute, timezone, active } = await api.read(schedule);
    deepEqual([period, weekday, hour, minute, timezone, active], ['weekly', 1, 9, 5, 'America/New_York', true]);
    equal(api.workflows.schedules.get(workflowId.runRecurring(idIn(uri)))?.spec.cronExpressions[0], '5 9 * * 1');
    const page = (await visitor.get(`${at}schedule/?done=recurring`)).body;
    match(page, /It recurs from now on\./);
    match(page, /every Monday at 09:05, by the clocks of America\/New_York/);
    doesNotMatch(page, /Goes out at/);
    match((await visitor.get(at)).body, /How it recurs …/);

    equal((await visitor.submit(`${at}schedule/`, `${at}recurring`, { ...MONDAYS, period: 'monthly', day: '28' })).statusCode, 303);
    match((await visitor.get(`${at}schedule/`)).body, /on day 28 of every month at 09:05/);
    const copy = await api.create('mailer', READY);
    await setMailing(api, copy, { status: 'completed', recurring_source_mailing_id: idIn(uri) });
    match((await visitor.get(`${at}schedule/`)).body, new RegExp(`mailings/${idIn(copy)}/">No\\. ${idIn(copy)}</a>`));

    equal((await visitor.submit(`${at}schedule/`, `${at}stop`)).statusCode, 303);
    equal((await api.read(uri)).status, 'draft');
    // What was chosen is still there, to begin anew with.
    match((await visitor.get(`${at}schedule/`)).body, /<option value="monthly" selected>/);
    equal((await visitor.submit(`${at}schedule/`, `${at}recurring`, { ...MONDAYS, period: 'hourly' })).statusCode, 303);
    match((await visitor.get(`${at}schedule/`)).body, /every hour, 5 minutes past/);
  });

  it('are not made of what cannot be, and what was typed stays', async () => {
    const { uri, at } = await made();
    for (const [field, value] of Object.entries({
      minute: '60',
      hour: 'nine',
      day: '',
      timezone: 'Nowhere/<Land>',
      period: 'yearly',
      weekday: '9',
    })) {
      const answer = await visitor.submit(`${at}schedule/`, `${at}recurring`, { ...MONDAYS, [field]: value });
      equal(answer.statusCode, 400, field);
      match(answer.body, /class="wrong"|note bad/, field);
    }
    equal((await api.read(uri)).status, 'draft');
    const empty = await made({ subjects: ['Hello'] });
    const answer = await visitor.submit(`${empty.at}schedule/`, `${empty.at}recurring`, MONDAYS);
    equal(answer.statusCode, 400);
    match(answer.body, /The mailing lacks html, fromline\./);
    await api.call('PATCH', uri, { notes: 'x' });
    await setMailing(api, uri, { status: 'sending' });
    const token = visitor.token(await visitor.get(at));
    equal((await visitor.post(`${at}recurring`, { _csrf: token, ...MONDAYS })).statusCode, 400);
    equal((await visitor.post('/console/mailings/4711/recurring', { _csrf: token, ...MONDAYS })).statusCode, 404);
  });

  it('take the right to send', async () => {
    const { uri, at } = await made();
    const group = await api.create('authgroup', { name: 'writers', grants: ['mailer:read', 'mailer:write'] });
    await api.create('authuser', { username: 'writer', password: 'long-enough', is_staff: true, groups: [group] });
    const writer = new ConsoleVisitor(api.app);
    await writer.logIn({ username: 'writer', password: 'long-enough' });
    const page = await writer.get(`${at}schedule/`);
    doesNotMatch(page.body, /Let it recur/);
    equal((await writer.post(`${at}recurring`, { _csrf: writer.token(page), ...MONDAYS })).statusCode, 403);
    equal((await api.read(uri)).status, 'draft');
  });
});
