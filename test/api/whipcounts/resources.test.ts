import assert from 'node:assert/strict';
import { loadTargets } from '../../../core/whipcounts/load-targets.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { legislators } from '../../support/congress.ts';

const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

describe('targets and whip-count pages', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await loadTargets(api.pool, legislators());
  });
  after(() => api.close());

  it('shows a senator with every field', async () => {
    const { objects, meta } = await api.read('/rest/v1/target/?type=senate&seat__in=CA_senior,CA_junior&order_by=-seat&_limit=5');
    assert.equal(meta.total_count, 2);
    const [target] = objects;
    assert.deepEqual(Object.keys(target).sort(), [
      'country',
      'created_at',
      'email',
      'fax',
      'first',
      'full_name',
      'gender',
      'hidden',
      'id',
      'last',
      'long_title',
      'party',
      'phone',
      'resource_uri',
      'seat',
      'state',
      'their',
      'theirs',
      'them',
      'they',
      'title',
      'title_full',
      'title_last',
      'type',
      'updated_at',
      'us_district',
    ]);
    assert.equal(target.seat, 'CA_senior');
    assert.equal(target.state, 'CA');
    assert.equal(target.title_last, `Sen. ${target.last}`);
    assert.equal(target.title_full, `Sen. ${target.first} ${target.last}`);
    assert.equal(target.full_name, `${target.first} ${target.last}`);
    assert.equal(target.long_title, 'Senator');
    const pronouns = target.gender === 'F' ? ['she', 'her', 'her', 'hers'] : ['he', 'him', 'his', 'his'];
    assert.deepEqual([target.they, target.them, target.their, target.theirs], pronouns);
    assert.match(target.phone, /^\d{3}-\d{3}-\d{4}$/);
    assert.match(target.created_at, STAMP);
  });

  it('finds targets by every filter, and refuses those there are not', async () => {
    const house = await api.read('/rest/v1/target/?type=house&us_district=CA_12');
    assert.equal(house.meta.total_count, 1);
    assert.equal(house.objects[0].seat, 'CA_12');
    for (const filter of [
      'party=Democrat&type=senate',
      'state=CA',
      'state__in=CA,NY&type=house',
      'hidden=false',
      'party__startswith=Rep',
      'last__icontains=a',
      'country=United%20States',
      'gender=F',
    ]) {
      assert.ok((await api.read(`/rest/v1/target/?${filter}`)).meta.total_count > 0, filter);
    }
    for (const filter of ['bioguide=C000127', 'type__foo=x', 'seat__in=%00', 'full_name=x']) {
      assert.equal((await api.call('GET', `/rest/v1/target/?${filter}`)).statusCode, 400, filter);
    }
  });

  it('takes targets made by hand', async () => {
    const uri = await api.create('target', { type: 'executive', first: 'Pat', last: 'Doe', title: 'Gov.', phone: '555-0100' });
    const made = await api.read(uri);
    assert.deepEqual([made.title_last, made.they, made.theirs, made.hidden], ['Gov. Doe', 'they', 'theirs', false]);
    assert.equal((await api.call('PATCH', uri, { hidden: true })).statusCode, 202);
    for (const wrong of [
      { type: 'king' },
      {},
      { type: 'other', seat: 'x'.repeat(300) },
      { type: 'other', first: 'a\0' },
      { type: ['other'] },
    ]) {
      assert.equal((await api.call('POST', '/rest/v1/target/', wrong)).statusCode, 400, JSON.stringify(wrong));
    }
    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
  });

  it('makes groups of members of Congress and of others, and pages through them', async () => {
    const { objects } = await api.read('/rest/v1/target/?type=senate&party=Democrat&_limit=100');
    const targets = objects.map((each: { resource_uri: string }) => each.resource_uri);
    const made = await api.call('POST', '/rest/v1/congresstargetgroup/', { name: 'Our senators', type: 'senate', targets });
    assert.equal(made.statusCode, 201);
    const uri = String(made.headers.location).replace('http://platform.test', '');
    assert.match(uri, /^\/rest\/v1\/congresstargetgroup\/\d+\/$/);
    const id = Number(uri.split('/')[4]);
    const group = await api.read(`/rest/v1/targetgroup/${id}/`);
    assert.deepEqual(Object.keys(group).sort(), [
      'all',
      'created_at',
      'hidden',
      'id',
      'name',
      'readonly',
      'resource_uri',
      'type',
      'updated_at',
    ]);
    assert.equal(group.all, `/rest/v1/targetgroup/${id}/all/`);
    const all = await api.read(`${group.all}?_limit=2`);
    assert.equal(all.meta.total_count, targets.length);
    assert.equal(all.objects.length, 2);
    assert.match(all.meta.next, new RegExp(`^/rest/v1/targetgroup/${id}/all/\\?`));
    const seen = new Set<string>();
    for (let next: string | null = group.all; next; ) {
      const page: { objects: { resource_uri: string }[]; meta: { next: string | null } } = await api.read(next);
      for (const each of page.objects) seen.add(each.resource_uri);
      next = page.meta.next;
    }
    assert.deepEqual([...seen].sort(), [...targets].sort());

    assert.deepEqual([...(await api.read(uri)).targets].sort(), [...targets].sort(), 'what was written is read back');
    assert.equal((await api.call('PATCH', uri, { targets: targets.slice(0, 1) })).statusCode, 202);
    assert.deepEqual((await api.read(uri)).targets, targets.slice(0, 1));
    const { fields } = await api.read('/rest/v1/targetgroup/schema/');
    assert.match(fields.targets.help_text, /never shown/, 'where groups of all kinds are listed');
    assert.equal((await api.read(`/rest/v1/targetgroup/${id}/all`)).meta.total_count, 1);
    const special = await api.create('specialtargetgroup', { name: 'Others', targets: [targets[0], Number(targets[1].split('/')[4])] });
    assert.equal((await api.read(special)).type, 'special');
    assert.equal((await api.call('GET', `/rest/v1/congresstargetgroup/${special.split('/')[4]}/`)).statusCode, 404);
    for (const wrong of [
      { name: 'x', type: 'special' },
      { name: 'x', type: 'senate', targets: ['/rest/v1/target/999999/'] },
      { name: 'x', type: 'senate', targets: 'x' },
      { type: 'senate' },
    ]) {
      assert.equal((await api.call('POST', '/rest/v1/congresstargetgroup/', wrong)).statusCode, 400, JSON.stringify(wrong));
    }
    const king = await api.call('POST', '/rest/v1/congresstargetgroup/', { name: 'x', type: 'king' });
    assert.deepEqual(king.json(), { congresstargetgroup: { type: ['type must be one of senate, house, congress.'] } });
    assert.equal((await api.call('GET', '/rest/v1/targetgroup/999999/all/')).statusCode, 404);
    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
    assert.equal((await api.call('GET', `/rest/v1/targetgroup/${id}/`)).statusCode, 404);
  });

  it('takes null from who hosts a page, and leaves what is not sent', async () => {
    const uri = await api.create('whipcountpage', { name: 'hosted', hosted_with: 'us' });
    const after = async (change: object) => {
      assert.equal((await api.call('PATCH', uri, change)).statusCode, 202);
      return (await api.read(uri)).hosted_with;
    };
    assert.deepEqual([await after({ title: 'Call' }), await after({ hosted_with: null })], ['us', '']);
  });

  it('makes whip-count pages with form, follow-up and groups inside', async () => {
    const group = await api.create('congresstargetgroup', { name: 'House', type: 'house', targets: [] });
    const id = Number(group.split('/')[4]);
    const uri = await api.create('whipcountpage', {
      name: 'call-now',
      title: 'Call now',
      target_groups: [`/rest/v1/targetgroup/${id}/`],
      whipcountform: { script_text: '<p>Hello</p>', minimum_calls: 3, minimum_response_agreement: '0.75' },
      followup: { email_subject: 'Thanks', send_email: true },
      hosted_with: 'us',
    });
    const page = await api.read(uri);
    const expected = [
      'actions',
      'cms_form',
      'created_at',
      'fields',
      'followup',
      'goal',
      'goal_type',
      'hidden',
      'hosted_with',
      'id',
      'language',
      'list',
      'multilingual_campaign',
      'name',
      'required_fields',
      'status',
      'tags',
      'target_groups',
      'title',
      'type',
      'updated_at',
      'url',
      'whipcountform',
    ];
    for (const field of expected) assert.ok(field in page, field);
    assert.equal(page.type, 'whipcount');
    assert.equal(page.hosted_with, 'us');
    assert.deepEqual(page.target_groups, [{ ...(await api.read(`/rest/v1/targetgroup/${id}/`)) }]);
    const form = await api.read(page.cms_form);
    assert.deepEqual(page.whipcountform, form);
    const [listed] = (await api.read('/rest/v1/page/?name=call-now')).objects;
    for (const same of [listed, await api.read(`/rest/v1/page/${page.id}/`)]) assert.equal(same.cms_form, page.cms_form);
    assert.deepEqual(Object.keys(form).sort(), [
      'client_hosted',
      'client_url',
      'created_at',
      'id',
      'introduction_text',
      'minimum_calls',
      'minimum_response_agreement',
      'page',
      'resource_uri',
      'results_source',
      'script_text',
      'survey_question_text',
      'templateset',
      'thank_you_text',
      'updated_at',
    ]);
    assert.deepEqual([form.script_text, form.minimum_calls, form.minimum_response_agreement, form.page], ['<p>Hello</p>', 3, '0.75', uri]);
    assert.deepEqual(page.followup, await api.read(page.followup.resource_uri));
    for (const field of [
      'id',
      'page',
      'resource_uri',
      'url',
      'send_email',
      'send_notifications',
      'send_taf',
      'email_subject',
      'email_body',
      'email_custom_from',
      'email_from_line',
      'email_wrapper',
      'notifications',
      'taf_subject',
      'taf_body',
    ])
      assert.ok(field in page.followup, field);

    // A client sends back the whole page with one change.
    assert.equal((await api.call('PUT', uri, { ...page, title: 'Call today' })).statusCode, 202);
    assert.equal((await api.call('PATCH', page.cms_form, { minimum_calls: 5 })).statusCode, 202);
    assert.equal((await api.call('PATCH', uri, { whipcountform: { thank_you_text: 'Thanks!' } })).statusCode, 202);
    const after = await api.read(uri);
    assert.deepEqual(
      [after.title, after.whipcountform.minimum_calls, after.whipcountform.thank_you_text, after.target_groups.length],
      ['Call today', 5, 'Thanks!', 1],
    );
    assert.equal((await api.read('/rest/v1/whipcountpage/?name=call-now')).objects[0].id, page.id);
    assert.equal((await api.call('PATCH', uri, { target_groups: [] })).statusCode, 202);
    assert.deepEqual((await api.read(uri)).target_groups, []);

    const wrong: [object, string][] = [
      [{ whipcountform: { minimum_calls: -1 } }, 'whipcountform'],
      [{ whipcountform: { minimum_response_agreement: '2' } }, 'whipcountform'],
      [{ whipcountform: 'x' }, 'whipcountform'],
      [{ followup: { email_wrapper: '/rest/v1/emailwrapper/9999/' } }, 'followup'],
      [{ target_groups: ['/rest/v1/targetgroup/99999/'] }, 'target_groups'],
      [{ target_groups: [{}] }, 'target_groups'],
      [{ target_groups: 'x' }, 'target_groups'],
    ];
    for (const [body, field] of wrong) {
      const answer = await api.call('PATCH', uri, { title: 'half done', ...body });
      assert.equal(answer.statusCode, 400, JSON.stringify(body));
      assert.ok(field in answer.json().whipcountpage, answer.body);
    }
    assert.equal((await api.read(uri)).title, 'Call today');
    const taken = await api.call('POST', '/rest/v1/whipcountpage/', { name: 'call-now' });
    assert.equal(taken.statusCode, 400);
    assert.match(taken.body, /already exists/);
    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
  });

  it('takes a set of templates and the client’s own page as addresses, or not at all', async () => {
    const page = await api.create('whipcountpage', { name: 'addresses' });
    const form = (await api.read(page)).whipcountform.resource_uri;
    for (const templateset of ['/rest/v1/templateset/5/', 'https://platform.example/rest/v1/templateset/5/', '', null]) {
      assert.equal((await api.call('PATCH', form, { templateset, client_url: templateset })).statusCode, 202, String(templateset));
      assert.equal((await api.read(form)).templateset, templateset ?? '');
    }
    const wrong = await api.call('PATCH', form, { templateset: 'Dark', client_url: 'not here' });
    assert.deepEqual(wrong.json().whipcountform, {
      client_url: ['client_url must be an address: white space stands in it as %20.'],
      templateset: ['templateset must be a URI like /rest/v1/templateset/5/.'],
    });
    assert.equal((await api.call('PATCH', page, { whipcountform: { templateset: 'Dark' } })).statusCode, 400);
  });

  it('keeps an administrator’s word about a target', async () => {
    const page = await api.create('whipcountpage', { name: 'override' });
    const target = await api.create('target', { type: 'other', last: 'X' });
    const uri = await api.create('whipcountoverride', { page, target, stance: 'supportive', note: 'said so on television' });
    assert.equal((await api.read(uri)).stance, 'supportive');
    const twice = await api.call('POST', '/rest/v1/whipcountoverride/', { page, target, stance: 'opposed' });
    assert.equal(twice.statusCode, 409);
    assert.equal(twice.headers.location, `http://platform.test${uri}`);
    assert.equal((await api.call('POST', '/rest/v1/whipcountoverride/', { page, target, stance: 'maybe' })).statusCode, 400);
    const elsewhere = await api.create('signuppage', { name: 'no-whipcount' });
    const wrong = await api.call('POST', '/rest/v1/whipcountoverride/', {
      page: Number(elsewhere.split('/').at(-2)),
      target,
      stance: 'opposed',
    });
    assert.match(String(wrong.json().whipcountoverride.page), /there is no whipcountpage/);
  });
});
