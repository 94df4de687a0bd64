import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';

describe('pages and their actions', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('have a type each, made and edited through their own resource and shown by page', async () => {
    for (const type of ['signup', 'petition', 'unsubscribe', 'import']) {
      const uri = await api.create(`${type}page`, { name: `a-${type}`, title: type });
      assert.equal((await api.call('PATCH', uri, { title: `new ${type}` })).statusCode, 202);
      const page = await api.read(uri.replace(`${type}page`, 'page'));
      assert.deepEqual([page.type, page.title], [type, `new ${type}`]);
      assert.equal((await api.call('GET', uri.replace(type, type === 'import' ? 'signup' : 'import'))).statusCode, 404);
    }
    const taken = await api.call('POST', '/rest/v1/petitionpage/', { name: 'a-signup' });
    assert.equal(taken.statusCode, 400);
    assert.ok(taken.json().petitionpage.name);
  });

  it('have a followup, written with the page or by itself', async () => {
    const fromLine = await api.create('fromline', { from_line: '"Team" <team@example.org>' });
    const uri = await api.create('petitionpage', {
      name: 'followed',
      followup: { url: 'https://example.org/next', send_email: true, email_subject: 'Thanks', email_from_line: fromLine },
    });
    const { followup } = await api.read(uri);
    assert.deepEqual(
      [followup.url, followup.send_email, followup.email_subject, followup.email_from_line, followup.email_wrapper, followup.taf_body],
      ['https://example.org/next', true, 'Thanks', fromLine, null, ''],
    );
    assert.equal(followup.page, uri.replace('petitionpage', 'page'));
    assert.equal((await api.call('PATCH', uri, { followup: { email_body: '<p>Hi {{ user.first_name }}</p>' } })).statusCode, 202);
    assert.equal((await api.read(followup.resource_uri)).email_body, '<p>Hi {{ user.first_name }}</p>');
    assert.equal((await api.read(uri)).followup.email_subject, 'Thanks');
    for (const wrong of [
      { send_email: 'maybe' },
      { email_from_line: '/rest/v1/fromline/999/' },
      { email_body: '{% if %}' },
      { email_subject: '{{ user.nonsense }}' },
      { email_custom_from: 'nobody' },
      { notifications: ['not an address'] },
      [1],
    ]) {
      const answer = await api.call('PATCH', uri, { followup: wrong });
      assert.equal(answer.statusCode, 400, JSON.stringify(wrong));
      assert.ok(answer.json().petitionpage.followup, answer.body);
    }
    const { redirect_url: redirect } = (await api.call('POST', '/rest/v1/action/', { page: 'followed', email: 'f@example.org' })).json();
    assert.ok(redirect.startsWith('https://example.org/next?'));
  });

  it('lead to an address with tags, which show the action and nothing of the person', async () => {
    const uri = await api.create('petitionpage', { name: 'tagged', url: 'https://example.org/own' });
    const { resource_uri: followup } = (await api.read(uri)).followup;
    const ledTo = async () => {
      const { redirect_url: led, ...action } = (
        await api.call('POST', '/rest/v1/action/', { page: 'tagged', email: 'ada@example.org' }, { authorization: '' })
      ).json();
      return String(led)
        .replaceAll(action.akid, 'AKID')
        .replaceAll(String(action.action_id), 'ID')
        .replace(/[?&]action_id=.*/, '');
    };
    for (const [url, leads] of [
      ['https://example.org/{{page.name}}/?of={{ akid }}&n={{ action.id|urlencode }}', 'https://example.org/tagged/?of=AKID&n=ID'],
      ['/cms/thanks/{{ page.name }}', '/cms/thanks/tagged'],
      ['https://example.org/?who={{user.email}}', 'https://example.org/own'],
      ['{% if user.city %}https://example.org/{{ user.city|urlencode }}{% else %}/none{% endif %}', 'https://example.org/own'],
      [
        '{% if action.created_user %}\nhttps://example.org/new/\n{% else %}\n https://example.org/known/\n{% endif %}',
        'https://example.org/own',
      ],
      ['{{ akid }} https://example.org/', 'https://example.org/own'],
      ['{# for later #}https://example.org/', 'https://example.org/own'],
    ]) {
      const answer = await api.call('PATCH', followup, { url });
      assert.equal(answer.statusCode, 202, answer.body);
      assert.equal((await api.read(followup)).url, url);
      assert.equal(await ledTo(), leads, url);
    }
    for (const url of [
      'https://example.org/{{',
      'https://example.org/{% if %}',
      'https://example.org/{{ akid|nosuch }}',
      'java{{ x }}script:alert(1)',
      '{{ x }}javascript:alert(1)',
      '{% if x %}https://example.org/{% else %}javascript:alert(1){% endif %}',
      'https://example.org/\nhttps://example.org/',
      'https://example.org/{{ a\nb }}',
      '{% include "nosuch" %}',
      '{'.repeat(50_000),
    ]) {
      const answer = await api.call('PATCH', followup, { url });
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().pagefollowup ?? {})], [400, ['url']], url.slice(0, 50));
    }
  });

  it('have no custom field that null is said of, made so or changed', async () => {
    const uri = await api.create('signuppage', { name: 'nulls', fields: { a: null, b: '1', c: 2 } });
    assert.deepEqual((await api.read(uri)).fields, { b: '1', c: 2 });
    assert.equal((await api.call('PATCH', uri, { fields: { b: null, d: null } })).statusCode, 202);
    assert.deepEqual((await api.read(uri)).fields, { c: 2 });
    const event = await api.create('event', { campaign: await api.create('eventcampaign', { name: 'nulls', title: 'Nulls' }) });
    const user = await api.create('user', { email: 'nulls@example.org' });
    const signup = await api.create('eventsignup', { event, user, fields: { a: null, b: '1' } });
    assert.deepEqual((await api.read(signup)).fields, { b: '1' });
    assert.equal((await api.call('PATCH', signup, { fields: { b: null, c: 2 } })).statusCode, 202);
    assert.deepEqual((await api.read(signup)).fields, { c: 2 });
  });

  it('have the texts they are shown with', async () => {
    const page = await api.create('petitionpage', { name: 'texts' });
    assert.equal((await api.read(page)).cms_form, null);
    const form = await api.create('cmsform', { page: page.replace('petitionpage', 'page'), statement_text: 'We, the people' });
    // A link by the type of the page, as clients follow it; the form answers at either.
    const typed = form.replace('cmsform', 'petitionform');
    assert.equal((await api.read(page)).cms_form, typed);
    assert.equal((await api.read(typed)).statement_text, 'We, the people');
    assert.equal((await api.read(form)).statement_text, 'We, the people');
  });

  it('take actions of their type, whose fields can be edited', async () => {
    const page = await api.create('petitionpage', { name: 'sign' });
    const done = await api.call('POST', '/rest/v1/action/', {
      page: 'sign',
      email: 's@example.org',
      action_why: 'because',
      action_how: 'loud',
    });
    const uri = String(done.headers.location).slice(api.env.BASE_URL.length);
    assert.ok(uri.startsWith('/rest/v1/petitionaction/'));
    const change = { fields: { why: ['a', 'b'], when: 'now' }, user: '/rest/v1/user/999/', created_user: false };
    assert.equal((await api.call('PATCH', uri, change)).statusCode, 202);
    const action = await api.read(uri);
    assert.deepEqual(action.fields, { why: ['a', 'b'], how: 'loud', when: 'now' });
    assert.deepEqual([action.created_user, action.page], [true, page]);
    assert.equal((await api.call('PATCH', uri, { fields: { why: { deep: 1 } } })).statusCode, 400);
    assert.equal((await api.call('GET', uri.replace('petitionaction', 'signupaction'))).statusCode, 404);
  });

  it('name a hundred fields at most that a submission lacks', async () => {
    const required_fields = Array.from({ length: 200 }, (_, n) => `field${n}`);
    await api.create('signuppage', { name: 'demanding', required_fields });
    const answer = await api.call('POST', '/rest/v1/action/', { page: 'demanding', email: 'x@example.org' });
    assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, required_fields.slice(0, 100)]);
  });

  it('have what they require of a name where it comes in one text, or in its parts', async () => {
    await api.create('petitionpage', { name: 'named', required_fields: ['first_name', 'last_name'] });
    await api.create('petitionpage', { name: 'called', required_fields: ['name'] });
    const missing = async (fields: Record<string, string>) => {
      const answer = await api.call('POST', '/rest/v1/action/', { email: 'named@example.org', ...fields });
      return answer.statusCode === 201 ? [] : Object.keys(answer.json().errors);
    };
    assert.deepEqual(await missing({ page: 'named', name: 'Ada Lovelace' }), []);
    assert.deepEqual(await missing({ page: 'named', name: 'Ada' }), ['last_name']);
    assert.deepEqual(await missing({ page: 'named', name: 'Ada Lovelace', first_name: 'Ada' }), ['last_name']);
    assert.deepEqual(await missing({ page: 'called', last_name: 'Lovelace' }), []);
    assert.deepEqual(await missing({ page: 'called', name: ' ' }), ['name']);
  });

  it('take no submission beyond a form’s size', async () => {
    const answer = await api.call('POST', '/rest/v1/action/', { page: 'sign', email: 'x@example.org', action_x: 'x'.repeat(300_000) });
    assert.equal(answer.statusCode, 413);
  });
});
