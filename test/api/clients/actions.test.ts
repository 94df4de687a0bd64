import assert from 'node:assert/strict';
import { akid, answerAkid, readAkid } from '../../../domain/akid.ts';
import { startApi, type TestApi } from '../../support/api.ts';

const FORM = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };

describe('actions as clients send them', () => {
  let api: TestApi;
  let annId: number;
  let mailingId: number;
  const submit = async (form: string) => {
    const answer = await api.call('POST', '/rest/v1/action/', form, FORM);
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json() as { action_id: number; akid: string; redirect_url: string };
  };
  const refused = async (form: string) => {
    const answer = await api.call('POST', '/rest/v1/action/', form, FORM);
    assert.equal(answer.statusCode, 400, answer.body);
    return answer.json().errors;
  };
  const kept = (id: number) => api.read(`/rest/v1/action/${id}/`);

  before(async () => {
    api = await startApi();
    await api.create('petitionpage', { name: 'sign', url: 'https://campaign.example/done?x=1#top' });
    await api.create('signuppage', { name: 'join' });
    const ann = await api.create('user', { email: 'ann@example.org' });
    annId = Number(/(\d+)\/$/.exec(ann)![1]);
    mailingId = (await api.pool.query('insert into core_mailing default values returning id')).rows[0].id;
  });
  after(() => api.close());

  describe('with an akid that does not verify', () => {
    it('are taken when the address is given, from the mailing named beside it', async () => {
      const wrong = `${mailingId}.${annId}.AAAAAA`;
      const done = await submit(`page=sign&email=ann%40example.org&akid=${wrong}&mailing_id=${mailingId}`);
      assert.equal((await kept(done.action_id)).mailing, `/rest/v1/mailing/${mailingId}/`);
      assert.equal(done.akid, answerAkid(api.env.SECRET_KEY, mailingId, annId));
      assert.equal(readAkid(api.env.SECRET_KEY, done.akid), null, 'it opens nothing of hers');
      const unnamed = await submit(`page=sign&email=ann%40example.org&akid=nonsense`);
      assert.deepEqual([(await kept(unnamed.action_id)).mailing, (await kept(unnamed.action_id)).referring_user], [null, null]);
      const gone = await submit(`page=sign&email=ann%40example.org&akid=${akid(api.env.SECRET_KEY, null, 99_999)}`);
      assert.equal((await kept(gone.action_id)).user, `/rest/v1/user/${annId}/`);
      assert.deepEqual(Object.keys(await refused(`page=sign&akid=${wrong}`)), ['akid'], 'nobody is named then');
    });

    it('are taken when it is the referring one', async () => {
      const done = await submit(`page=sign&email=bob%40example.org&referring_akid=${mailingId}.${annId}.AAAAAA`);
      const action = await kept(done.action_id);
      assert.deepEqual([action.is_forwarded, action.referring_user, action.referring_mailing, action.mailing], [false, null, null, null]);
    });

    it('leave by an unsubscribe page as people who only named an address', async () => {
      await api.create('unsubscribepage', { name: 'leave' });
      const list = await api.create('list', { name: 'News' });
      await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'left@example.org', lists: [list] });
      await submit('page=leave&email=left%40example.org&akid=1.1.AAAAAA');
      const { objects } = await api.read('/rest/v1/subscriptionhistory/?user__email=left@example.org&order_by=id');
      assert.deepEqual(
        objects.map((each: { change: string }) => each.change),
        ['subscribe', 'unsubscribe'],
      );
    });
  });

  it('with a referring_akid are forwarded, by whom and from which mailing', async () => {
    const sent = akid(api.env.SECRET_KEY, mailingId, annId);
    const done = await submit(`page=sign&email=carl%40example.org&referring_akid=${sent}`);
    const action = await kept(done.action_id);
    const mailing = `/rest/v1/mailing/${mailingId}/`;
    assert.deepEqual(
      [action.is_forwarded, action.referring_user, action.referring_mailing, action.mailing],
      [true, `/rest/v1/user/${annId}/`, mailing, mailing],
    );
    assert.match(done.akid, new RegExp(`^${mailingId}\\.\\d+\\.`));
    assert.equal(readAkid(api.env.SECRET_KEY, done.akid), null);
  });

  it('of a mailing that is not there are refused in the words clients know', async () => {
    assert.deepEqual(await refused('page=sign&email=ann%40example.org&mailing_id=987654'), {
      mailing_id: ['Unable to associate this mailing ID with account.'],
    });
  });

  it('from the United States have a zip code that can be one', async () => {
    const us = 'page=sign&email=zip%40example.org&country=United+States';
    for (const wrong of ['postal=SW1A+1AA', 'zip=123', 'zip=ABCDE', 'postal=1234567']) {
      assert.deepEqual(Object.keys(await refused(`${us}&${wrong}`)), ['postal'], wrong);
    }
    for (const right of ['zip=20001', 'postal=20001-1234', 'zip=200011234', '']) await submit(`${us}&${right}`);
    await submit('page=sign&email=zip%40example.org&country=United+Kingdom&postal=SW1A+1AA');
    await submit('page=sign&email=zip%40example.org&zip=SW1A+1AA');
  });

  it('lead on to where the page says, also at another host, and to a page of ours where it says nothing', async () => {
    const there = await submit('page=sign&email=ann%40example.org');
    const told = `action_id=${there.action_id}&akid=${there.akid}&ar=1&rd=1`;
    assert.equal(there.redirect_url, `https://campaign.example/done?x=1&${told}#top`);
    const here = await submit('page=join&email=ann%40example.org');
    assert.equal(here.redirect_url, `http://platform.test/thanks/join/?action_id=${here.action_id}&akid=${here.akid}&ar=1&rd=1`);
    const page = await api.call('GET', here.redirect_url.slice(api.env.BASE_URL.length), undefined, { authorization: '' });
    assert.deepEqual([page.statusCode, page.headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.equal((await api.call('GET', '/thanks/nowhere/', undefined, { authorization: '' })).statusCode, 404);
  });

  it('show the typed URI of their page, their type by its name, and themselves by their typed URI', async () => {
    const done = await submit('page=sign&email=ann%40example.org');
    const typed = `/rest/v1/petitionaction/${done.action_id}/`;
    const action = await kept(done.action_id);
    assert.match(action.page, /^\/rest\/v1\/petitionpage\/\d+\/$/);
    assert.deepEqual([action.type, action.resource_uri], ['Petition', typed]);
    const { objects } = await api.read(`/rest/v1/action/?id=${done.action_id}`);
    assert.deepEqual([objects[0].resource_uri, objects[0].type], [typed, 'Petition']);
    assert.deepEqual(await api.read(typed), action);
    assert.equal((await api.call('PUT', typed, action)).statusCode, 202, 'sent back as it was shown');
  });

  it('are changed by PATCH of either URI: created_at, source, status, fields', async () => {
    const { action_id: id } = await submit('page=sign&email=ann%40example.org&action_why=before');
    for (const [uri, change] of [
      [
        `/rest/v1/petitionaction/${id}/`,
        { created_at: '2015-03-04T05:06:07', source: 'import', status: 'incomplete', fields: { why: 'after' } },
      ],
      [`/rest/v1/action/${id}/`, { created_at: '2016-03-04 05:06:07', source: 'other', status: 'complete', fields: { why: ['a', 'b'] } }],
    ] as const) {
      assert.equal((await api.call('PATCH', uri, change)).statusCode, 202);
      const action = await api.read(uri);
      assert.deepEqual(
        [action.created_at, action.source, action.status, action.fields],
        [change.created_at.replace(' ', 'T'), change.source, change.status, change.fields],
      );
    }
    assert.equal((await api.call('PATCH', `/rest/v1/action/${id}/`, { created_at: 'yesterday' })).statusCode, 400);
    assert.equal((await api.call('PATCH', `/rest/v1/action/${id}/`, { created_at: null })).statusCode, 400);
  });

  it('are found by type and by the tags of their page', async () => {
    const tag = await api.create('tag', { name: 'climate' });
    await api.create('petitionpage', { name: 'tagged', tags: [tag] });
    const done = await submit('page=tagged&email=ann%40example.org');
    const found = async (query: string) =>
      (await api.read(`/rest/v1/action/?_limit=100&${query}`)).objects.map(({ id }: { id: number }) => id);
    for (const query of ['page__tags__name=climate', `page__tags=${/(\d+)\/$/.exec(tag)![1]}`]) {
      assert.deepEqual(await found(query), [done.action_id], query);
    }
    const petitions = await found('type=Petition');
    assert.deepEqual(await found('type=petition'), petitions);
    assert.ok(petitions.includes(done.action_id));
    const others = await found('type__in=Signup,unsubscribe');
    assert.ok(others.length > 0 && others.every((id: number) => !petitions.includes(id)));
    assert.equal((await api.call('GET', '/rest/v1/action/?type=nonsense')).statusCode, 400);
  });

  it('with money on a donation page are refused by field, and leave nothing', async () => {
    await api.create('donationpage', { name: 'give' });
    const form = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };
    const sent = 'page=give&email=giver%40example.org&amount=25.00&card_num=4111111111111111&exp_date_month=12&exp_date_year=2035';
    const refused = await api.call('POST', '/rest/v1/action/', sent, form);
    assert.equal(refused.statusCode, 400);
    assert.deepEqual(Object.keys(refused.json().errors).sort(), ['amount', 'card_num', 'exp_date_month', 'exp_date_year']);
    assert.equal((await api.read('/rest/v1/user/?email=giver@example.org')).meta.total_count, 0);
    const candidate = await api.call('POST', '/rest/v1/action/', { page: 'give', email: 'giver@example.org', candidate_3: '5.00' });
    assert.deepEqual(Object.keys(candidate.json().errors), ['candidate_3']);
    for (const money of ['order[amount]', 'order[card_num]', 'orderdetails[0][amount]', 'amount[]', 'amount[0]']) {
      const body = new URLSearchParams({ page: 'give', email: 'giver@example.org', [money]: '5.00' }).toString();
      const bracketed = await api.call('POST', '/rest/v1/action/', body, form);
      assert.deepEqual([bracketed.statusCode, Object.keys(bracketed.json().errors ?? {})], [400, [money]]);
    }
    assert.equal((await api.read('/rest/v1/user/?email=giver@example.org')).meta.total_count, 0);
    assert.equal((await api.call('POST', '/rest/v1/action/', { page: 'give', email: 'giver@example.org', amount: '' })).statusCode, 201);
  });
});
