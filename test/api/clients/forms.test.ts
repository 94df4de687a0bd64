import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';

describe('what belongs to pages, as clients send it', () => {
  let api: TestApi;
  const post = (resource: string, body: object) => api.call('POST', `/rest/v1/${resource}/`, body);
  const path = (location: unknown) => String(location).slice(api.env.BASE_URL.length);

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('is one form of each kind, found from the page', async () => {
    const campaign = await api.create('campaign', { name: 'with-forms' });
    for (const type of ['petition', 'signup', 'donation', 'eventcreate', 'eventsignup']) {
      const page = await api.create(`${type}page`, { name: `with-${type}form`, ...(type.startsWith('event') && { campaign }) });
      assert.equal((await api.read(page)).cms_form, null);
      const made = await post(`${type}form`, {
        page,
        client_hosted: '1',
        client_url: 'https://campaign.example/',
        thank_you_text: '<p>Thanks</p>',
      });
      assert.equal(made.statusCode, 201, made.body);
      const form = path(made.headers.location);
      assert.equal((await api.read(page)).cms_form, form);
      const { client_hosted: hosted, client_url: url } = await api.read((await api.read(page)).cms_form);
      assert.deepEqual([hosted, url], [true, 'https://campaign.example/']);
      const again = await post(`${type}form`, { page });
      assert.deepEqual([again.statusCode, path(again.headers.location)], [409, form]);
      assert.equal((await api.call('PUT', form, { ...(await api.read(form)), thank_you_text: 'New' })).statusCode, 202);
      assert.equal((await api.read(form)).thank_you_text, 'New');
    }
    const other = await api.create('signuppage', { name: 'other' });
    const wrong = await post('petitionform', { page: other });
    assert.deepEqual([wrong.statusCode, Object.keys(wrong.json().petitionform)], [400, ['page']]);
  });

  it('is one followup, created by whoever comes first', async () => {
    const page = await api.create('petitionpage', { name: 'followed' });
    const made = await post('pagefollowup', { page, url: 'https://campaign.example/next', send_email: 1, email_subject: 'Thanks' });
    assert.equal(made.statusCode, 201, made.body);
    const followup = path(made.headers.location);
    const shown = (await api.read(page)).followup;
    assert.deepEqual([shown.resource_uri, shown.url, shown.send_email], [followup, 'https://campaign.example/next', true]);
    const again = await post('pagefollowup', { page, url: 'https://other.example/' });
    assert.deepEqual([again.statusCode, path(again.headers.location)], [409, followup]);
    const whole = await api.read(followup);
    assert.equal((await api.call('PUT', followup, { ...whole, email_subject: 'Hello' })).statusCode, 202);
    assert.deepEqual([(await api.read(followup)).email_subject, (await api.read(followup)).page], ['Hello', whole.page]);
    const elsewhere = await api.call('PATCH', followup, { page: await api.create('petitionpage', { name: 'elsewhere' }) });
    assert.deepEqual(elsewhere.json(), { pagefollowup: { page: ['The page of a followup cannot be changed.'] } });
    const wrong = await api.call('PATCH', followup, { url: 'not a url' });
    assert.deepEqual(wrong.json(), { pagefollowup: { url: ['url must be an address: white space stands in it as %20.'] } });
    assert.equal((await post('pagefollowup', { url: 'https://x.example/' })).statusCode, 400);
    assert.equal((await post('pagefollowup', { page: '/rest/v1/page/999/' })).statusCode, 400);
  });

  it('is a multilingual campaign, whose pages are set through it', async () => {
    const [one, two, three] = [
      await api.create('signuppage', { name: 'tree-1' }),
      await api.create('petitionpage', { name: 'tree-2' }),
      await api.create('signuppage', { name: 'tree-3' }),
    ];
    const campaign = await api.create('multilingualcampaign', { name: 'trees', pages: [one] });
    const id = Number(campaign.split('/').at(-2));
    const named = async () =>
      (await api.read(`/rest/v1/page/?multilingual_campaign=${id}&order_by=name`)).objects.map(({ name }: { name: string }) => name);
    assert.deepEqual(await named(), ['tree-1']);
    const pages = [two, Number(three.split('/').at(-2))];
    assert.equal((await api.call('PUT', campaign, { name: 'trees', pages })).statusCode, 202);
    assert.deepEqual(await named(), ['tree-2', 'tree-3']);
    const whole = await api.read(campaign);
    for (const unchanged of [whole, { pages: null }, { name: 'trees' }])
      assert.equal((await api.call('PUT', campaign, unchanged)).statusCode, 202);
    assert.deepEqual(await named(), ['tree-2', 'tree-3']);
    for (const wrong of [
      ['/rest/v1/page/999999/'],
      ['/rest/v1/list/1/'],
      'tree-1',
      5,
      [{}],
      `/rest/v1/page/?multilingual_campaign=${id + 1}`,
    ]) {
      const answer = await api.call('PUT', campaign, { name: 'wood', pages: wrong });
      assert.deepEqual([answer.statusCode, Object.keys(answer.json().multilingualcampaign)], [400, ['pages']], String(wrong));
    }
    assert.deepEqual([(await api.read(campaign)).name, await named()], ['trees', ['tree-2', 'tree-3']]);
    assert.equal((await api.call('PATCH', campaign, { pages: [] })).statusCode, 202);
    assert.deepEqual(await named(), []);
  });

  it('is a multilingual campaign, through which its pages are found and answer in their language', async () => {
    const made = await post('multilingualcampaign', { name: 'water' });
    assert.equal(made.statusCode, 201);
    const campaign = path(made.headers.location);
    const taken = await post('multilingualcampaign', { name: 'water' });
    assert.deepEqual([taken.statusCode, path(taken.headers.location)], [409, campaign]);
    const french = await api.create('language', { name: 'French', iso_code: 'fr' });
    const english = await api.create('language', { name: 'English', iso_code: 'en' });
    const fr = await api.create('petitionpage', { name: 'water-fr', language: french, multilingual_campaign: campaign });
    await api.create('petitionpage', { name: 'water-en', language: english, multilingual_campaign: campaign });
    await api.create('petitionpage', { name: 'fire' });
    assert.equal((await api.read(fr)).multilingual_campaign, campaign);
    const id = /(\d+)\/$/.exec(campaign)![1];
    for (const collection of ['page', 'petitionpage']) {
      for (const query of [`multilingual_campaign=${id}`, 'multilingual_campaign__name=water']) {
        const { objects } = await api.read(`/rest/v1/${collection}/?${query}&order_by=name`);
        assert.deepEqual(
          objects.map(({ name }: { name: string }) => name),
          ['water-en', 'water-fr'],
          query,
        );
      }
    }
    assert.equal((await api.read((await api.read(campaign)).pages)).meta.total_count, 2);
    assert.equal((await api.call('PUT', campaign, { name: 'water for all' })).statusCode, 202);
    assert.equal((await api.read(campaign)).name, 'water for all');

    await api.create('user', { email: 'known@example.org' });
    await api.create('user', { email: 'decided@example.org', lang: english });
    for (const [email, language] of [
      ['new@example.org', french],
      ['known@example.org', french],
      ['decided@example.org', english],
    ] as const) {
      assert.equal((await post('action', { page: 'water-fr', email })).statusCode, 201);
      assert.equal((await api.read(`/rest/v1/user/?email=${email}`)).objects[0].lang, language, email);
    }
  });

  it('is who is in which group', async () => {
    const [hosts, donors] = [await api.create('usergroup', { name: 'Hosts' }), await api.create('usergroup', { name: 'Donors' })];
    const ann = await api.create('user', { email: 'grouped@example.org', groups: [hosts] });
    assert.deepEqual((await api.read(ann)).groups, [hosts]);
    const members = async (group: string) =>
      (await api.read((await api.read(group)).users)).objects.map(({ email }: { email: string }) => email);
    assert.deepEqual([await members(hosts), await members(donors)], [['grouped@example.org'], []]);
    assert.equal((await api.call('PATCH', ann, { groups: [hosts, donors] })).statusCode, 202);
    assert.equal((await api.call('PATCH', ann, { first_name: 'Ann' })).statusCode, 202, 'and nothing of groups');
    assert.deepEqual(await members(donors), ['grouped@example.org']);
    assert.equal((await api.read('/rest/v1/user/?groups__name=Donors')).meta.total_count, 1);
    const refused = await api.call('PATCH', ann, { groups: ['/rest/v1/usergroup/999999/'] });
    assert.deepEqual([refused.statusCode, Object.keys(refused.json().user)], [400, ['groups']]);
    assert.equal((await api.call('DELETE', donors)).statusCode, 204);
    assert.deepEqual((await api.read(ann)).groups, [hosts]);
    assert.equal((await api.call('DELETE', ann)).statusCode, 204);
    assert.deepEqual(await members(hosts), []);
  });

  it('is each value of a custom field of users and actions by itself', async () => {
    await api.create('signuppage', { name: 'join' });
    const user = await api.create('user', { email: 'fields@example.org', fields: { shirt: 'L' } });
    const done = await post('action', { page: 'join', email: 'fields@example.org', action_why: 'because' });
    for (const [resource, parent, name] of [
      ['userfield', user, 'shirt'],
      ['actionfield', path(done.headers.location), 'why'],
    ] as const) {
      const parentId = /(\d+)\/$/.exec(parent)![1];
      const list = await api.read(`/rest/v1/${resource}/?parent=${parentId}&name=${name}`);
      assert.equal(list.meta.total_count, 1);
      const uri = await api.create(resource, { parent, name: 'colour', value: 'red' });
      assert.deepEqual((await api.read(parent)).fields.colour, 'red');
      assert.equal((await api.call('PUT', uri, { ...(await api.read(uri)), value: 'blue' })).statusCode, 202);
      assert.deepEqual(
        (await api.read(`/rest/v1/${resource}/?value=blue`)).objects.map((each: { resource_uri: string }) => each.resource_uri),
        [uri],
      );
      const whose = resource.slice(0, -'field'.length);
      const found = await api.read(`/rest/v1/${resource}/?${whose}=${parentId}&name=colour&${whose}__id__in=${parentId}`);
      assert.deepEqual([found.meta.total_count, found.objects[0].resource_uri], [1, uri]);
      assert.equal((await api.call('DELETE', uri)).statusCode, 204);
      assert.equal((await api.read(parent)).fields.colour, undefined);
      const form = new URLSearchParams({ [whose]: parent, name: 'synced', value: '2030-01-01' }).toString();
      const synced = await api.call('POST', `/rest/v1/${resource}/`, form, { 'content-type': 'application/x-www-form-urlencoded' });
      assert.equal(synced.statusCode, 201, synced.body);
      const { [whose]: other, ...shown } = await api.read(path(synced.headers.location));
      assert.deepEqual([shown.parent, other, (await api.read(parent)).fields.synced], [list.objects[0].parent, undefined, '2030-01-01']);
      assert.deepEqual((await post(resource, { name: 'a' })).json(), { [resource]: { parent: ['This field is required.'] } });
      for (const body of [
        { parent, name: ' ', value: 'x' },
        { parent, name: 'a', value: 'x'.repeat(70_000) },
        { parent, name: 'x'.repeat(300) },
        { [whose]: 'x', name: 'a' },
      ]) {
        assert.equal((await post(resource, body)).statusCode, 400);
      }
    }
    const { objects } = await api.read('/rest/v1/alloweduserfield/?name=colour');
    assert.equal(objects.length, 1, 'declared by its use');
    const group = await api.create('usergroup', { name: 'organisers' });
    assert.equal((await api.read(group)).name, 'organisers');
    const ward = await api.create('usergeofield', { user, name: 'ward', value: 'North' });
    assert.deepEqual((await api.read((await api.read(user)).usergeofields)).objects[0].resource_uri, ward);
  });

  it('brings no line of its own into the head of a mail', async () => {
    const page = await api.create('signuppage', { name: 'heads' });
    const { followup } = await api.read(page);
    const refused = async (uri: string, method: string, body: object) => {
      const answer = await api.call(method, uri, body);
      assert.equal(answer.statusCode, 400, `${JSON.stringify(body)} ${answer.body}`);
      assert.match(answer.body, /one line without control characters|of the form/);
    };
    for (const from of ['"X\r\nBcc: y@example.org" <a@example.org>', 'X\n <a@example.org>', 'X <a@example.org>\r\nBcc: y@example.org']) {
      await refused('/rest/v1/fromline/', 'POST', { from_line: from });
      await refused(followup.resource_uri, 'PATCH', { email_custom_from: from });
      await refused('/rest/v1/mailer/', 'POST', { subjects: ['x'], custom_fromline: from });
    }
    await refused(followup.resource_uri, 'PATCH', { email_subject: 'Thanks\r\nBcc: y@example.org' });
    await refused(page, 'PATCH', { followup: { email_subject: 'Thanks\nBcc: y@example.org' } });
  });
});
