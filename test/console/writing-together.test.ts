import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor, enterAs } from '../support/console-visitor.ts';
import { idIn, READY, setMailing } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';

const FORM = { subject: ['Walk', ''], preview_text: ['', ''], from: READY.fromline, html: '<p>ours</p>', text: '', tags: 'one, two' };
const TIME = { at: '2031-07-04T09:30', zone: 'UTC', rate: '', anew: '1' };

describe('writing and scheduling with others, in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;

  before(async () => {
    api = await startApi();
    await insertPeople(api.pool, [{ id: 1, email: 'ada@example.org' }]);
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const made = async () => {
    const uri = await api.create('mailer', READY);
    return { uri, at: `/console/mailings/${idIn(uri)}/` };
  };
  /** The hidden fields of a form, as its page has them. */
  const hidden = async (url: string, who = visitor) => {
    const page = await who.get(url);
    return { _csrf: who.token(page), version: /name="version" value="([^"]*)"/.exec(page.body)![1]! };
  };

  it('says what may have been overlooked as it is saved and before it is sent, the wrapper included', async () => {
    const { uri, at } = await made();
    const wrapper = await api.create('emailwrapper', { name: 'Pictures', template: '<img src="http://example.org/a.png">{{ content }}' });
    await api.call('PATCH', uri, { emailwrapper: wrapper });
    const wrapped = {
      ...FORM,
      ...(await hidden(`${at}edit/`)),
      emailwrapper: String(idIn(wrapper)),
      autosave: '1',
      html: '<p>Über uns</p>',
    };
    const { advice } = (await visitor.post(`${at}edit/`, wrapped)).json();
    match(advice, /One picture has no alt text.*fetched without TLS.*no link to unsubscribe/s);
    match((await visitor.get(`${at}confirm/queue`)).body, /Look at this first:.*One picture has no alt text/s);
  });

  it('offers the custom fields of people to be put in', async () => {
    await api.create('alloweduserfield', { name: 'favourite_tree' });
    const { at } = await made();
    match((await visitor.get(`${at}edit/`)).body, /data-insert="\{\{ user\.custom_fields\.favourite_tree \}\}"/);
  });

  it('offers of them what can stand in a mail, as it can', async () => {
    for (const name of [
      'favourite colour',
      'año',
      '2024_vote',
      'is-member',
      'a.b',
      "mother's name",
      '_inside',
      'say "x"',
      'x}}y',
      '{% if %}',
      'back\\slash',
    ])
      await api.create('alloweduserfield', { name });
    const { uri, at } = await made();
    const offered = [...(await visitor.get(`${at}edit/`)).body.matchAll(/data-insert="([^"]*custom_fields[^"]*)"/g)].map(([, place]) =>
      place!.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
    );
    ok(offered.includes('{{ user.custom_fields["favourite colour"] }}'), `${offered}`);
    ok(offered.length >= 6);
    for (const place of offered) equal((await api.call('PATCH', uri, { html: `<p>${place}</p>` })).statusCode, 202, place);
  });

  it('sends whoever writes a test mail of what they wrote, before there is an audience, and nobody else', async () => {
    const { uri, at } = await made();
    const test = async (html: string) => visitor.post(`${at}edit/test`, { ...FORM, ...(await hidden(`${at}edit/`)), html });
    const [job] = (await api.pool.query(`update auth_user set email = '' where username = $1 returning email`, [ADMIN.username])).rows;
    equal(job.email, '');
    const nowhere = await test('<p>nowhere</p>');
    equal(nowhere.statusCode, 400);
    match(nowhere.body, /Your account has no email address/);
    equal((await api.read(uri)).html, '<p>nowhere</p>');
    await api.pool.query(`update auth_user set email = 'Ada@example.org' where username = $1`, [ADMIN.username]);
    equal((await test('<p>{{ broken</p>')).statusCode, 400);
    const answer = await test('<p>Dear {{ user.first_name }}</p>');
    deepEqual([answer.statusCode, answer.headers.location], [303, `${at}edit/?tested=1`]);
    match((await visitor.get(`${at}edit/?tested=1`)).body, /A test mail to the address of your account is on its way/);
    const { rows } = await api.pool.query('select reviewers, proofs, proof_users, made_up from core_mailingproof where mailing_id = $1', [
      idIn(uri),
    ]);
    deepEqual(rows, [{ reviewers: ['Ada@example.org'], proofs: 1, proof_users: [1], made_up: false }]);
    deepEqual(api.workflows.starts.at(-1)?.workflow, 'sendProofs');
    await setMailing(api, uri, { status: 'sending' });
    equal((await test('<p>late</p>')).statusCode, 400);
    const reader = await enterAs(api, 'tester', ['mailer:read', 'mailer:write']);
    doesNotMatch((await reader.get(`${at}edit/`)).body, /test mail/);
    equal((await reader.post(`${at}edit/test`, { ...FORM, ...(await hidden(`${at}edit/`, reader)) })).statusCode, 403);
  });

  it('saves what is in the form before its links are asked', async () => {
    const { uri, at } = await made();
    const sent = { ...FORM, ...(await hidden(`${at}edit/`)), html: '<a href="http://127.0.0.1:9/new">n</a>' };
    const answer = await visitor.post(`${at}check-links`, sent);
    equal(answer.statusCode, 200, answer.body);
    match(answer.body, /127\.0\.0\.1:9\/new/);
    const { html, tags } = await api.read(uri);
    deepEqual([html, [...tags].sort()], [sent.html, ['one', 'two']]);
    // The page of the links once more: nobody else was there.
    equal((await visitor.post(`${at}check-links`, sent)).statusCode, 200);
  });

  it('asks no links of what cannot be saved, and keeps what was typed', async () => {
    const { uri, at } = await made();
    const sent = { ...FORM, ...(await hidden(`${at}edit/`)) };
    const wrong = await visitor.post(`${at}check-links`, { ...sent, html: '{{ user.' });
    deepEqual([wrong.statusCode, /id="html"[^>]*aria-invalid="true"/.test(wrong.body)], [400, true]);
    await api.call('PATCH', uri, { html: '<p>theirs</p>' });
    const overtaken = await visitor.post(`${at}check-links`, sent);
    equal(overtaken.statusCode, 409);
    match(overtaken.body, /Somebody else has changed this mailing.*&lt;p&gt;ours/s);
    equal((await api.read(uri)).html, '<p>theirs</p>');
  });

  it('has room in the preview for each subject, and says which is not written', async () => {
    const { at } = await made();
    match(
      (await visitor.get(`${at}edit/`)).body,
      /name="preview_subject"><option value="0">1<\/option><option value="1">2<\/option><\/select>/,
    );
    const sent = { ...FORM, ...(await hidden(`${at}edit/`)), preview_subject: '1' };
    match((await visitor.post(`${at}edit/preview`, sent)).body, /1 subject is written: there is no 2\./);
    match((await visitor.post(`${at}edit/preview`, { ...sent, subject: ['Walk', 'Run'] })).body, /<strong>Run<\/strong>/);
  });

  it('tells whoever sets a time second, and keeps what they chose', async () => {
    const { uri, at } = await made();
    const first = await hidden(`${at}schedule/`);
    equal((await visitor.post(`${at}schedule/`, { ...first, ...TIME })).statusCode, 303);
    const second = await visitor.post(`${at}schedule/`, { ...first, ...TIME, at: '2032-01-01T10:00', rate: '7' });
    equal(second.statusCode, 409);
    match(second.body, /Somebody else has changed the time or speed of this mailing.*value="2032-01-01T10:00".*value="7"/s);
    equal((await api.read(uri)).scheduled_for, '2031-07-04T09:30:00');
    const version = /name="version" value="([^"]*)"/.exec(second.body)![1]!;
    equal((await visitor.post(`${at}schedule/`, { ...first, ...TIME, version, at: '2032-01-01T10:00' })).statusCode, 303);
    equal((await api.read(uri)).scheduled_for, '2032-01-01T10:00:00');
    // What the page does not show is no matter of it; that it is on its way by now is.
    const third = await hidden(`${at}schedule/`);
    await api.call('PATCH', uri, { notes: 'x' });
    equal((await visitor.post(`${at}schedule/`, { ...third, ...TIME })).statusCode, 303);
    const fourth = await hidden(`${at}schedule/`);
    await setMailing(api, uri, { status: 'scheduled' });
    equal(
      (await visitor.post(`${at}schedule/`, { ...fourth, ...TIME, at: `${new Date().getUTCFullYear() + 2}-01-01T10:00` })).statusCode,
      409,
    );
  });

  it('tells them also where what they sent first could not be', async () => {
    const { uri, at } = await made();
    const first = await hidden(`${at}schedule/`);
    equal((await visitor.post(`${at}schedule/`, { ...first, ...TIME })).statusCode, 303);
    const wrong = await visitor.post(`${at}schedule/`, { ...first, ...TIME, zone: 'Nowhere' });
    equal(wrong.statusCode, 400);
    const version = /name="version" value="([^"]*)"/.exec(wrong.body)![1]!;
    equal((await visitor.post(`${at}schedule/`, { ...first, ...TIME, version, at: '2032-01-01T10:00' })).statusCode, 409);
    equal((await api.read(uri)).scheduled_for, '2031-07-04T09:30:00');
  });

  it('takes one of two times that are set at the same moment', async () => {
    const { at } = await made();
    const fields = { ...(await hidden(`${at}schedule/`)), ...TIME };
    const times = ['2031-07-04T09:30', '2031-07-05T09:30'];
    const both = await Promise.all(times.map((time) => visitor.copy().post(`${at}schedule/`, { ...fields, at: time })));
    deepEqual(both.map(({ statusCode }) => statusCode).sort(), [303, 409]);
  });

  it('takes a time by the clocks of its zone, in summer too, and no abbreviation that is another zone elsewhere', async () => {
    const { uri, at } = await made();
    const set = async (fields: object) => visitor.post(`${at}schedule/`, { ...(await hidden(`${at}schedule/`)), ...TIME, ...fields });
    const zones = { CET: 7, EET: 6, MET: 7, WET: 8, EST: 14, 'Europe/Berlin': 7, UTC: 9 };
    for (const [zone, hour] of Object.entries(zones)) {
      equal((await set({ zone })).statusCode, 303, zone);
      equal((await api.read(uri)).scheduled_for, `2031-07-04T${String(hour).padStart(2, '0')}:30:00`, zone);
    }
    for (const zone of ['IST', 'BST', 'pst']) {
      const answer = await set({ zone });
      deepEqual([answer.statusCode, /There is no time zone of that name/.test(answer.body)], [400, true], zone);
    }
    // Clocks are put forward over the one and show the other twice.
    const skipped = await set({ at: '2031-03-30T02:30', zone: 'Europe/Berlin' });
    deepEqual([skipped.statusCode, /The time is shown by no clock there: they are put forward over it\./.test(skipped.body)], [400, true]);
    match(skipped.body, /value="2031-03-30T02:30"/);
    equal((await set({ at: '2031-10-26T02:30', zone: 'Europe/Berlin' })).statusCode, 303);
    equal((await api.read(uri)).scheduled_for, '2031-10-26T00:30:00');
  });

  it('leads on to sending only who may send, and what can be sent', async () => {
    const { uri, at } = await made();
    const writer = await enterAs(api, 'writer', ['mailer:read', 'mailer:write']);
    const reader = await enterAs(api, 'reader', ['mailer:read']);
    match((await visitor.get(`${at}schedule/`)).body, /Save, and go on to sending/);
    doesNotMatch((await writer.get(`${at}schedule/`)).body, /go on to sending/);
    const answer = await writer.post(`${at}schedule/`, { ...(await hidden(`${at}schedule/`, writer)), ...TIME });
    deepEqual([answer.statusCode, answer.headers.location], [303, at]);
    equal((await writer.get(at)).statusCode, 200);
    equal((await api.read(uri)).scheduled_for, '2031-07-04T09:30:00');
    doesNotMatch((await reader.get(at)).body, /schedule\//);
    equal((await reader.get(`${at}schedule/`)).statusCode, 403);
    await setMailing(api, uri, { status: 'model' });
    doesNotMatch((await visitor.get(`${at}schedule/`)).body, /go on to sending/);
  });
});
