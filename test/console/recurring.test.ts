import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { workflowId } from '../../workflows/contracts.ts';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs, text } from '../support/console-visitor.ts';
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

  /** The hidden fields of the form, as the page has them. */
  const hidden = async (at: string) => {
    const { body } = await visitor.get(`${at}schedule/`);
    return hiddenIn(body);
  };
  const hiddenIn = (body: string) => {
    const form = /<form[^>]* action="[^"]*recurring"[^>]*>(.*?)<\/form>/s.exec(body)![1]!;
    const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)![1]!;
    return { _csrf: value('_csrf'), version: value('version') };
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
    // Nothing is missing of it: copies go out, each to an audience of its own.
    const shown = text((await visitor.get(at)).body);
    match(
      shown,
      /Progress Each time it recurs a copy of it is made and sent; this one itself is not\. Audience – Built anew for each copy\./,
    );
    doesNotMatch(shown, /ot built yet|nothing was sent/i);
    match(text((await visitor.get('/console/mailings/?group=recurring')).body), /Recurring built anew for each copy created/);

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
    equal((await visitor.submit(`${at}schedule/`, `${at}recurring`, { ...MONDAYS, period: 'hourly', minute: '1' })).statusCode, 303);
    match((await visitor.get(`${at}schedule/`)).body, /every hour, 1 minute past/);
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
    const answer = await visitor.submit(`${empty.at}schedule/`, `${empty.at}recurring`, { ...MONDAYS, minute: '', hour: '24', day: '31' });
    equal(answer.statusCode, 400);
    // All of it at once: what the mailing has not got, and each field at its place.
    match(answer.body, /<p>The HTML is missing\.<\/p><p>A from line is missing\.<\/p>/);
    for (const field of ['minute', 'hour', 'day']) match(answer.body, new RegExp(`id="${field}-hint"><strong class="wrong">`), field);
    const alone = await visitor.submit(`${empty.at}schedule/`, `${empty.at}recurring`, MONDAYS);
    match(alone.body, /A from line is missing\./);
    await api.call('PATCH', uri, { notes: 'x' });
    const shown = await hidden(at);
    await setMailing(api, uri, { status: 'sending' });
    equal((await visitor.post(`${at}recurring`, { ...shown, ...MONDAYS })).statusCode, 400);
    equal((await visitor.post('/console/mailings/4711/recurring', { ...shown, ...MONDAYS })).statusCode, 404);
  });

  it('tell whoever changes when they recur second, and keep what they chose', async () => {
    const { uri, at } = await made();
    const first = await hidden(at);
    equal((await visitor.post(`${at}recurring`, { ...first, ...MONDAYS })).statusCode, 303);
    const schedule = (await api.read(uri)).recurring_schedule;
    // Made by somebody else meanwhile; changed; ended; and sent with something that cannot be, before it was looked at.
    const second = await visitor.post(`${at}recurring`, { ...first, ...MONDAYS, hour: '17' });
    equal(second.statusCode, 409);
    match(second.body, /Somebody else has changed when this mailing recurs.*name="hour"[^>]*value="17"/s);
    equal((await api.read(schedule)).hour, 9);
    equal((await visitor.post(`${at}recurring`, { ...hiddenIn(second.body), ...MONDAYS, hour: '17' })).statusCode, 303);
    equal((await api.read(schedule)).hour, 17);

    const third = await hidden(at);
    await api.call('PATCH', schedule, { hour: 18 });
    const wrong = await visitor.post(`${at}recurring`, { ...third, ...MONDAYS, minute: 'x' });
    equal(wrong.statusCode, 400);
    equal((await visitor.post(`${at}recurring`, { ...hiddenIn(wrong.body), ...MONDAYS })).statusCode, 409);
    equal((await api.read(schedule)).hour, 18);

    const fourth = await hidden(at);
    equal((await visitor.submit(`${at}schedule/`, `${at}stop`)).statusCode, 303);
    equal((await visitor.post(`${at}recurring`, { ...fourth, ...MONDAYS })).statusCode, 409);
    equal((await api.read(uri)).status, 'draft');
    await api.call('DELETE', schedule);
    equal((await visitor.post(`${at}recurring`, { ...fourth, ...MONDAYS })).statusCode, 409);
  });

  it('are made or changed by one of two at the same moment, and by two presses once', async () => {
    for (const again of [false, true]) {
      const { at } = await made();
      if (again) equal((await visitor.submit(`${at}schedule/`, `${at}recurring`, { ...MONDAYS, hour: '5' })).statusCode, 303);
      const shown = await hidden(at);
      const sent = (hours: string[]) =>
        Promise.all(hours.map((hour) => visitor.copy().post(`${at}recurring`, { ...shown, ...MONDAYS, hour })));
      deepEqual((await sent(['7', '8'])).map(({ statusCode }) => statusCode).sort(), [303, 409]);
      const { at: other } = await made();
      const pressed = { ...(await hidden(other)), ...MONDAYS };
      const both = await Promise.all([1, 2].map(() => visitor.copy().post(`${other}recurring`, pressed)));
      deepEqual(
        both.map(({ statusCode }) => statusCode),
        [303, 303],
      );
    }
  });

  it('take the right to send', async () => {
    const { uri, at } = await made();
    const writer = await enterAs(api, 'writer', ['mailer:read', 'mailer:write']);
    const page = await writer.get(`${at}schedule/`);
    doesNotMatch(page.body, /Let it recur/);
    equal((await writer.post(`${at}recurring`, { _csrf: writer.token(page), ...MONDAYS })).statusCode, 403);
    equal((await api.read(uri)).status, 'draft');
  });
});
