import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn, READY, setMailing } from '../../support/mailings.ts';

describe('the low-level mailing', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('is what mailing_uri of the mailer leads to: subjects as objects, references as URIs', async () => {
    const tag = await api.create('tag', { name: 'climate' });
    const uri = await api.create('mailer', {
      ...READY,
      subjects: ['One', 'Two'],
      preview_text: ['first'],
      tags: ['climate'],
      notes: 'x',
      includes: { states: ['NY'] },
    });
    const { mailing_uri } = await api.read(uri);
    const low = await api.read(mailing_uri);
    assert.equal(low.resource_uri, mailing_uri);
    assert.equal(low.mailer, uri);
    assert.deepEqual(
      low.subjects.map(({ text, preview_text }: Record<string, string>) => [text, preview_text]),
      [
        ['One', 'first'],
        ['Two', ''],
      ],
    );
    assert.ok(low.subjects.every(({ id }: { id: unknown }) => Number.isInteger(id)));
    assert.deepEqual([low.tags, low.notes, low.status, low.html], [[tag], 'x', 'draft', READY.html]);
    assert.match(low.fromline, /^\/rest\/v1\/fromline\/\d+\/$/);
    const [includes, excludes] = await Promise.all([api.read(low.includes), api.read(low.excludes)]);
    assert.deepEqual([includes.side, includes.mailing, includes.states], ['includes', mailing_uri, ['NY']]);
    assert.deepEqual(excludes, { id: excludes.id, resource_uri: low.excludes, mailing: mailing_uri, side: 'excludes' });
    assert.equal((await api.call('GET', '/rest/v1/mailingtargeting/999999/')).statusCode, 404);
    assert.equal((await api.call('GET', '/rest/v1/mailingtargeting/x/')).statusCode, 404);
  });

  it('belongs to a test group, in which a copy stays with keep_test_group', async () => {
    const group = await api.create('mailingtestgroup', { name: 'colors' });
    const uri = await api.create('mailer', READY);
    const low = (await api.read(uri)).mailing_uri;
    assert.equal((await api.call('PATCH', low, { test_group: group })).statusCode, 202);
    assert.equal((await api.read(low)).test_group, group);
    const copyOf = async (body: object) => {
      const { headers } = await api.call('POST', `${uri}copy/`, body);
      return (await api.read((await api.read(String(headers.location).slice(api.env.BASE_URL.length))).mailing_uri)).test_group;
    };
    assert.deepEqual(
      [await copyOf({ keep_test_group: true }), await copyOf({}), await copyOf({ keep_test_group: false })],
      [group, null, null],
    );
    assert.equal((await api.read(`/rest/v1/mailing/?test_group=${idIn(group)}`)).meta.total_count, 2);
    assert.equal((await api.call('PATCH', low, { test_group: 'nosuch' })).statusCode, 400);
    assert.equal((await api.call('PATCH', low, { test_group: null })).statusCode, 202);
    assert.equal((await api.read(low)).test_group, null);
  });

  it('makes a draft a model, which is copied and never queued, and a draft again', async () => {
    const uri = await api.create('mailer', READY);
    const low = (await api.read(uri)).mailing_uri;
    assert.equal((await api.read(low)).is_model, false);
    assert.equal((await api.call('PATCH', low, { is_model: true })).statusCode, 202);
    assert.deepEqual([(await api.read(low)).is_model, (await api.read(uri)).status], [true, 'model']);
    assert.match((await api.call('POST', `${uri}queue/`)).json().errors.status[0], /model/);
    const { headers } = await api.call('POST', `${uri}copy/`, {});
    assert.equal((await api.read(String(headers.location).slice(api.env.BASE_URL.length))).status, 'draft');
    assert.equal((await api.call('PATCH', low, await api.read(low))).statusCode, 202);
    assert.equal((await api.call('PATCH', low, { is_model: false })).statusCode, 202);
    assert.equal((await api.read(uri)).status, 'draft');
    await setMailing(api, uri, { status: 'sending' });
    const refused = await api.call('PATCH', low, { is_model: true, notes: 'not written' });
    assert.deepEqual([refused.statusCode, (await api.read(low)).status, (await api.read(low)).notes], [400, 'sending', '']);
    assert.equal((await api.call('PATCH', low, { is_model: 'maybe' })).statusCode, 400);
  });

  it('takes notes and flags, and nothing of targeting or of what became of it', async () => {
    const uri = await api.create('mailer', { ...READY, limit: 5 });
    const low = (await api.read(uri)).mailing_uri;
    const before = await api.read(low);
    const body = {
      notes: 'new',
      hidden: true,
      web_viewable: true,
      status: 'completed',
      limit: 1,
      html: '',
      includes: {},
      targeting_version: 9,
    };
    assert.equal((await api.call('PATCH', low, body)).statusCode, 202);
    const { updated_at, ...after } = await api.read(low);
    assert.ok(updated_at);
    assert.deepEqual({ ...before, notes: 'new', hidden: true, web_viewable: true, updated_at }, { ...after, updated_at });
    assert.equal((await api.call('PATCH', low, { ...before, notes: 'back' })).statusCode, 202);
    assert.equal((await api.call('DELETE', low)).statusCode, 405);
    assert.equal((await api.call('PATCH', '/rest/v1/mailing/999999/', { notes: 'x' })).statusCode, 404);
    assert.equal((await api.call('PATCH', low, { notes: '\0' })).statusCode, 400);
  });

  it('is not hidden while it is on its way, as in the console: no page there would tell of it', async () => {
    const uri = await api.create('mailer', READY);
    const low = (await api.read(uri)).mailing_uri;
    for (const status of ['scheduled', 'queued', 'rebuilding_at_send', 'sending', 'recurring']) {
      await setMailing(api, uri, { status });
      const refused = await api.call('PATCH', low, { hidden: true, notes: 'not written' });
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().mailing)], [400, ['hidden']], status);
      const { hidden, notes } = await api.read(low);
      assert.deepEqual([hidden, notes], [false, '']);
      assert.equal((await api.call('PUT', low, await api.read(low))).statusCode, 202);
    }
    await setMailing(api, uri, { status: 'stopped' });
    assert.equal((await api.call('PATCH', low, { hidden: true })).statusCode, 202);
    assert.equal((await api.read(low)).hidden, true);
  });

  it('is for those it is made for, or is not made', async () => {
    await api.create('list', { name: 'Few' });
    const low = await api.create('mailing', {
      subjects: ['x'],
      includes: { lists: ['Few'], states: ['NY'] },
      excludes: { has_donated: true },
      limit: 7,
    });
    const { includes, excludes, limit } = await api.read((await api.read(low)).mailer);
    assert.deepEqual([includes, excludes, limit], [{ lists: ['Few'], states: ['NY'] }, { has_donated: true }, 7]);
    const nowhere = { excludes: '/rest/v1/mailingtargeting/999999/' };
    for (const wrong of [{ includes: { nope: [1] } }, { includes: { lists: ['Nobody'] } }, nowhere, { includes: 'everybody' }]) {
      const refused = await api.call('POST', '/rest/v1/mailing/', { subjects: ['x'], ...wrong });
      assert.equal(refused.statusCode, 400, JSON.stringify(wrong));
    }
    for (const side of ['includes', 'excludes']) {
      const refused = await api.call('PATCH', low, { [side]: { states: ['CA'] } });
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().mailing)], [400, [side]]);
    }
    for (const nothing of [null, '', {}]) await api.create('mailing', { subjects: ['x'], includes: nothing });
    assert.equal((await api.call('PUT', low, await api.read(low))).statusCode, 202);
    assert.deepEqual((await api.read((await api.read(low)).mailer)).includes, includes);
  });

  it('is for those another is for when it is made of its document, and stays so when that one changes', async () => {
    const uri = await api.create('mailer', {
      ...READY,
      includes: { states: ['NY'], raw_sql: ['select id from core_user'] },
      excludes: { has_donated: true },
      limit: 5,
    });
    const other = await api.read((await api.read(uri)).mailing_uri);
    const copy = await api.create('mailing', other);
    await api.call('PATCH', uri, { includes: { states: ['CA'] } });
    const { includes, excludes, limit, html, status } = await api.read((await api.read(copy)).mailer);
    assert.deepEqual(includes, { states: ['NY'], raw_sql: ['select id from core_user'] });
    assert.deepEqual([excludes, limit, html, status], [{ has_donated: true }, 5, READY.html, 'draft']);
    const turned = await api.create('mailing', { subjects: ['x'], excludes: `${api.env.BASE_URL}${other.includes}` });
    assert.deepEqual((await api.read((await api.read(turned)).mailer)).excludes.states, ['CA']);
  });

  it('has the preview texts of the document it is made of', async () => {
    const uri = await api.create('mailer', { ...READY, subjects: ['One', 'Two', 'Three'], preview_text: ['', 'second'] });
    const copy = await api.create('mailing', await api.read((await api.read(uri)).mailing_uri));
    const { subjects, preview_text } = await api.read((await api.read(copy)).mailer);
    assert.deepEqual([subjects, preview_text], [['One', 'Two', 'Three'], (await api.read(uri)).preview_text]);
    const bare = await api.create('mailing', { subjects: ['One', { text: 'Two' }], preview_text: ['first'] });
    assert.deepEqual((await api.read((await api.read(bare)).mailer)).preview_text, ['first']);
  });

  it('is made without subjects, which clients give it later, and is not sent before', async () => {
    const { html, fromline } = READY;
    const low = await api.create('mailing', { html, text: 'Hello', custom_fromline: fromline, notes: 'x' });
    const { mailer: uri, ...made } = await api.read(low);
    assert.deepEqual([made.html, made.text, made.subjects], [html, 'Hello', []]);
    assert.equal((await api.call('PATCH', uri, { html: '<p>Later</p>', rebuild_query_at_send: true })).statusCode, 202);
    assert.equal((await api.call('PATCH', uri, { ...(await api.read(uri)), notes: 'sent back whole' })).statusCode, 202);
    const wrong = await api.call('PATCH', uri, { html: '{% if %}' });
    assert.deepEqual([wrong.statusCode, Object.keys(wrong.json().errors)], [400, ['html']]);
    const early = await api.call('POST', `${uri}queue/`);
    assert.deepEqual([early.statusCode, Object.keys(early.json().errors)], [400, ['subjects']], early.body);
    assert.equal((await api.call('PATCH', uri, { subjects: ['Now'] })).statusCode, 202);
    assert.deepEqual((await api.call('PATCH', uri, { subjects: [] })).json().errors, {
      subjects: ['subjects must hold at least one subject.'],
    });
    assert.deepEqual((await api.read(uri)).subjects, ['Now']);
  });

  it('is given another content as it was made with one, by the rules of the mailer API', async () => {
    const low = await api.create('mailing', { subjects: ['One', 'Two'], preview_text: ['', 'second'], html: '<p>One</p>' });
    const before = await api.read(low);
    for (const body of [before, { html: '', text: null, subjects: [] }, { subjects: null }]) {
      for (const method of ['PATCH', 'PUT'] as const) assert.equal((await api.call(method, low, body)).statusCode, 202);
    }
    assert.deepEqual({ ...(await api.read(low)), updated_at: before.updated_at }, before);
    assert.equal((await api.call('PATCH', low, { html: '<p>Two</p>', text: 'Two' })).statusCode, 202);
    const bare = before.subjects.map((each: object) => ({ ...each, preview_text: '' }));
    assert.equal((await api.call('PATCH', low, { subjects: bare })).statusCode, 202);
    assert.deepEqual((await api.read(low)).subjects, bare);
    assert.equal((await api.call('PUT', low, { ...(await api.read(low)), subjects: ['Three'] })).statusCode, 202);
    const { html, text, subjects } = await api.read(before.mailer);
    assert.deepEqual([html, text, subjects], ['<p>Two</p>', 'Two', ['Three']]);
    for (const wrong of [{ html: '{% if %}' }, { text: 5 }, { subjects: 'Four' }, { subjects: [' '] }, { html: 'x'.repeat(500_001) }]) {
      const refused = await api.call('PATCH', low, { ...wrong, notes: 'not written' });
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().mailing)], [400, Object.keys(wrong)], refused.body);
    }
    assert.equal((await api.read(low)).notes, '');
    for (const status of ['completed', 'sending', 'queued']) {
      await setMailing(api, before.mailer, { status });
      const [late, theirs] = [
        await api.call('PATCH', low, { subjects: ['Five'] }),
        await api.call('PATCH', before.mailer, { subjects: ['Five'] }),
      ];
      assert.deepEqual([late.statusCode, late.json().mailing], [theirs.statusCode, theirs.json().errors]);
      assert.equal(late.statusCode, 400);
      assert.equal((await api.call('PUT', low, { ...(await api.read(low)), notes: status })).statusCode, 202);
    }
    assert.deepEqual((await api.read(before.mailer)).subjects, ['Three']);
  });

  it('is not changed to be for those another is for, and says where it can be', async () => {
    const [one, other] = [await api.create('mailing', { subjects: ['x'] }), await api.create('mailing', { subjects: ['y'] })];
    const shown = await api.read(one);
    for (const value of [(await api.read(other)).includes, shown.excludes]) {
      const refused = await api.call('PATCH', one, { includes: value, notes: 'not written' });
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().mailing ?? {})], [400, ['includes']], String(value));
    }
    for (const same of [shown.includes, `${api.env.BASE_URL}${shown.includes}`, null, '', {}])
      assert.equal((await api.call('PATCH', one, { includes: same })).statusCode, 202, String(same));
    assert.equal((await api.read(one)).notes, '');
  });

  it('is listed by status, tags and dates', async () => {
    const uri = await api.create('mailer', { ...READY, tags: ['energy'] });
    await setMailing(api, uri, { status: 'completed', started_at: '2026-01-02T00:00:00Z' });
    for (const filter of ['status=completed', 'tags__name=energy', 'started_at__gte=2026-01-01T00:00:00', `id=${idIn(uri)}`]) {
      const { objects } = await api.read(`/rest/v1/mailing/?${filter}`);
      assert.deepEqual(
        objects.map(({ id }: { id: number }) => id),
        [idIn(uri)],
        filter,
      );
    }
    assert.equal((await api.call('GET', '/rest/v1/mailing/?nosuch=1')).statusCode, 400);
    assert.ok((await api.read('/rest/v1/mailing/schema/')).fields.subjects);
    assert.ok((await api.read('/rest/v1/')).mailing);
  });
});
