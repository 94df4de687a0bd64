import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn, setMailing } from '../../support/mailings.ts';

describe('a draft that a client makes at the low-level resource', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('is given its subjects one by one, by the rules of the mailer API', async () => {
    const low = await api.create('mailing', { html: '<p>Hello</p>' });
    const { mailer: uri, resource_uri: mailing } = await api.read(low);
    const first = await api.create('mailingsubject', { text: 'One', mailing });
    const second = await api.create('mailingsubject', { text: 'Two {{ user.first_name }}', preview_text: 'two', mailing: idIn(low) });
    assert.deepEqual(
      [(await api.read(uri)).subjects, (await api.read(uri)).preview_text],
      [
        ['One', 'Two {{ user.first_name }}'],
        ['', 'two'],
      ],
    );
    assert.deepEqual(await api.read(second), {
      id: idIn(second),
      mailing,
      text: 'Two {{ user.first_name }}',
      preview_text: 'two',
      resource_uri: second,
    });
    const { objects } = await api.read(`/rest/v1/mailingsubject/?mailing=${mailing}`);
    assert.deepEqual(
      objects.map(({ resource_uri }: { resource_uri: string }) => resource_uri),
      [first, second],
    );
    assert.deepEqual(
      (await api.read(low)).subjects.map(({ id }: { id: number }) => id),
      [first, second].map(idIn),
    );
    for (const [field, wrong] of Object.entries({
      text: ['', ' ', '{% if %}', 'a\nb', undefined, ['x']],
      mailing: [999_999, null, 'x'],
    })) {
      for (const value of wrong) {
        const refused = await api.call('POST', '/rest/v1/mailingsubject/', { text: 'Three', mailing, [field]: value });
        assert.deepEqual([refused.statusCode, Object.keys(refused.json().mailingsubject ?? {})], [400, [field]], `${field} ${value}`);
      }
    }
    for (const method of ['PATCH', 'DELETE']) assert.equal((await api.call(method, first, { text: 'x' })).statusCode, 405);
    await setMailing(api, uri, { status: 'sending' });
    const late = await api.call('POST', '/rest/v1/mailingsubject/', { text: 'Three', mailing });
    assert.deepEqual([late.statusCode, Object.keys(late.json().mailingsubject)], [400, ['text']], late.body);
    assert.equal((await api.read(uri)).subjects.length, 2);
  });

  it('is from whom a change says there, by the same rules', async () => {
    const low = await api.create('mailing', { html: '<p>Hello</p>', custom_fromline: 'first@example.org' });
    const { mailer } = await api.read(low);
    const sender = { custom_fromline: '"Fuse" <info@example.org>', reply_to: 'answers@example.org' };
    for (const read of [() => sender, () => ({ custom_fromline: '', reply_to: null }), () => api.read(low)]) {
      assert.equal((await api.call('PUT', low, await read())).statusCode, 202);
      const { custom_fromline, reply_to } = await api.read(mailer);
      assert.deepEqual({ custom_fromline, reply_to }, sender);
    }
    for (const field of Object.keys(sender)) {
      const refused = await api.call('PATCH', low, { [field]: 'nobody', notes: 'not written' });
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().mailing)], [400, [field]], refused.body);
    }
    await setMailing(api, mailer, { status: 'completed' });
    assert.equal((await api.call('PATCH', low, { reply_to: 'late@example.org' })).statusCode, 400);
    assert.equal((await api.call('PUT', low, await api.read(low))).statusCode, 202);
    assert.equal((await api.read(low)).notes, '');
  });
});
