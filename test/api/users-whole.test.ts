import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { akid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { putInSet, record } from '../support/sending.ts';

describe('users', () => {
  let api: TestApi;
  let people = 0;
  const idOf = (uri: string) => Number(uri.match(/(\d+)\/$/)![1]);
  const make = (more: object = {}) => api.create('user', { email: `person${++people}@example.org`, ...more });
  const patch = async (uri: string, change: object) => {
    const answer = await api.call('PATCH', uri, change);
    assert.equal(answer.statusCode, 202, answer.body);
    assert.equal(answer.body, '');
    return api.read(uri);
  };

  before(async () => {
    api = await startApi();
    await api.pool.query(`insert into geo_zipplace (zip, kind, place) values ('10001', 'us_district', 'NY_12'), ('10001', 'us_county', 'New York'),
      ('35005', 'us_district', 'AL_06'), ('35005', 'us_district', 'AL_07')`);
  });
  after(() => api.close());

  it('has every field of the specification, and its URIs answer', async () => {
    const user = await api.read(await make({ zip: '10001', phones: [{ phone: '212 555 0100' }] }));
    const fields =
      `actions address1 address2 city state region zip postal plus4 country created_at updated_at email events eventsignups fields
      first_name middle_name last_name prefix suffix lang location logintoken orderrecurrings orders original phones rand_id resource_uri
      sent_mails source subscriptionhistory subscriptions subscription_status token usermailings useroriginal`.split(/\s+/);
    assert.deepEqual(
      fields.filter((field) => !(field in user)),
      [],
    );
    assert.equal(user.logintoken, `${user.resource_uri}logintoken/`);
    const collections = ['actions', 'events', 'eventsignups', 'sent_mails', 'subscriptionhistory', 'subscriptions', 'usermailings'];
    for (const field of collections) assert.equal((await api.read(user[field])).meta.total_count, 0, field);
    assert.equal((await api.read(user.location)).user, user.resource_uri);
    assert.equal((await api.read(user.useroriginal)).zip, '10001');
    assert.equal((await api.read(user.phones[0])).normalized_phone, '2125550100');
  });

  it('corrects a US address from its zip and keeps it as first received', async () => {
    const uri = await make({ zip: '10001-1234', state: 'new york', country: 'usa', address1: '5 Penn Plz' });
    const user = await api.read(uri);
    assert.deepEqual([user.zip, user.plus4, user.city, user.state, user.country], ['10001', '1234', 'New York', 'NY', 'United States']);
    assert.deepEqual(user.original, { address1: '5 Penn Plz', address2: '', city: '', state: 'new york', zip: '10001-1234' });
    const place = await api.read(user.location);
    assert.deepEqual(
      [place.us_district, place.us_county, place.country_code, place.region_code, place.timezone, place.lat_lon_precision],
      ['NY_12', 'New York', 'US', 'NY', 'America/New_York', 'zip'],
    );
    assert.ok(Math.abs(place.latitude - 40.75) < 0.1 && Math.abs(place.longitude + 74) < 0.1);

    const moved = await patch(uri, { zip: '94110' });
    assert.deepEqual([moved.zip, moved.plus4, moved.city, moved.state], ['94110', '', 'San Francisco', 'CA']);
    assert.equal(moved.original.zip, '10001-1234');
    assert.equal((await api.read(moved.location)).timezone, 'America/Los_Angeles');
    const named = await patch(uri, { first_name: 'Ann' });
    assert.equal(named.city, 'San Francisco');
  });

  it('takes the zip of a US address from its postal code where that alone was sent', async () => {
    const uri = await make({ postal: '10001-1234', country: 'United States' });
    const zipOf = ({ zip, plus4, city, state, postal }: Record<string, unknown>) => [zip, plus4, city, state, postal];
    const user = await api.read(uri);
    assert.deepEqual(zipOf(user), ['10001', '1234', 'New York', 'NY', '10001-1234']);
    assert.equal((await api.read(user.location)).us_district, 'NY_12');
    assert.deepEqual(user.original, { address1: '', address2: '', city: '', state: '', zip: '' });
    // It moves by what is sent, and a zip that is sent comes first.
    assert.deepEqual(zipOf(await patch(uri, { postal: '94110' })), ['94110', '', 'San Francisco', 'CA', '94110']);
    assert.deepEqual(zipOf(await patch(uri, { zip: '10001', postal: '94110' })), ['10001', '', 'New York', 'NY', '94110']);
    assert.deepEqual(zipOf(await patch(uri, { city: 'Elsewhere' })), ['10001', '', 'Elsewhere', 'NY', '94110']);
    assert.equal((await patch(uri, { zip: '' })).zip, '');
    assert.equal((await patch(uri, { postal: '94110', zip: '' })).zip, '94110');
    for (const elsewhere of [{ postal: '10115' }, { postal: '10115', country: 'Germany' }, { postal: '1234', country: 'US' }]) {
      assert.equal((await api.read(await make(elsewhere))).zip, '', JSON.stringify(elsewhere));
    }
  });

  it('decides no district where the zip touches several, and nothing where it is unknown', async () => {
    const user = await api.read(await make({ zip: '35005' }));
    assert.equal((await api.read(user.location)).us_district, '');
    const unknown = await api.read(await make({ zip: '00000' }));
    const place = await api.read(unknown.location);
    assert.deepEqual([unknown.city, place.latitude, place.timezone, place.us_district], ['', null, '', '']);
  });

  it('leaves an address elsewhere as it is, without original', async () => {
    const user = await api.read(await make({ country: 'Germany', postal: '10115', city: 'Berlin', zip: '10115' }));
    assert.deepEqual([user.city, user.zip, user.state, user.original, user.useroriginal], ['Berlin', '10115', '', null, null]);
    assert.equal((await api.read(user.location)).country_code, 'DE');
    const nowhere = await api.read(await make({ country: 'Atlantis' }));
    assert.equal(nowhere.location, null);
  });

  it('finds the code that a country has today by its name, by the code and by one it had', async () => {
    for (const [country, code] of Object.entries({
      France: 'FR',
      fr: 'FR',
      FX: 'FR',
      'United Kingdom': 'GB',
      GB: 'GB',
      UK: 'GB',
      Serbia: 'RS',
    })) {
      const user = await api.read(await make({ country }));
      assert.equal((await api.read(user.location)).country_code, code, country);
    }
  });

  it('places people by the names that are in wide use for their countries', async () => {
    for (const [country, code] of Object.entries({
      Turkey: 'TR',
      'Trinidad and Tobago': 'TT',
      "Cote d'Ivoire": 'CI',
      'The Netherlands': 'NL',
    })) {
      const user = await api.read(await make({ country }));
      assert.equal(user.country, country, 'kept as it was sent');
      assert.ok(user.location, country);
      assert.equal((await api.read(user.location)).country_code, code, country);
    }
  });

  it('takes phones as URIs, objects and numbers, and the list is what remains', async () => {
    const uri = await make({ phones: [{ phone: '+1 (212) 555-0100', type: 'mobile', source: 'web' }, '555 0111'] });
    const { phones } = await api.read(uri);
    assert.equal(phones.length, 2);
    assert.deepEqual((({ phone, type, normalized_phone, user }) => [phone, type, normalized_phone, user])(await api.read(phones[0])), [
      '+1 (212) 555-0100',
      'mobile',
      '+12125550100',
      uri,
    ]);
    const changed = await patch(uri, { phones: [phones[0], { phone: '555 0122', type: 'work' }] });
    assert.equal(changed.phones[0], phones[0]);
    assert.equal((await api.read(changed.phones[1])).type, 'work');
    assert.equal((await api.call('GET', phones[1])).statusCode, 404);
    const other = await make({ phones: ['555 0133'] });
    const theirs = (await api.read(other)).phones[0];
    for (const wrong of [
      [theirs],
      [{ phone: 'none' }],
      [{}],
      [null],
      [['1']],
      [{ phone: '1', type: 'pager' }],
      'x',
      [{ phone: '1\0' }],
      [true],
    ]) {
      const answer = await api.call('PATCH', uri, { phones: wrong });
      assert.equal(answer.statusCode, 400, JSON.stringify(wrong));
      assert.deepEqual(Object.keys(answer.json().user), ['phones']);
    }
    assert.deepEqual((await api.read(uri)).phones, changed.phones);
  });

  it('answers a taken email with 409 and its holder', async () => {
    const uri = await make({ email: 'Taken@Example.org' });
    const answer = await api.call('POST', '/rest/v1/user/', { email: 'taken@example.ORG' });
    assert.equal(answer.statusCode, 409);
    assert.equal(answer.headers.location, `http://platform.test${uri}`);
    assert.ok(answer.json().errors.email[0].includes("Conflict on unique key 'email'"));
  });

  it('ignores subscription_status and other read-only fields on write', async () => {
    const uri = await make({ subscription_status: 'subscribed', token: 'x', rand_id: 7 });
    const user = await patch(uri, { subscription_status: 'bounced', id: 99 });
    assert.equal(user.subscription_status, 'never');
    assert.equal(user.token, akid(api.env.SECRET_KEY, null, user.id));
  });

  it('filters by the fields listed, with joins of language', async () => {
    const language = await api.create('language', { name: 'Esperanto', iso_code: 'eo' });
    const uri = await make({ lang: language, last_name: 'Zamenhof', source: 'warsaw', country: 'Poland', state: 'Mazovia' });
    const filters = [
      'language__iso_code=eo',
      'language__name__startswith=Esp',
      `language=${idOf(language)}`,
      'last_name__icontains=menh',
      'source=warsaw',
    ];
    filters.push(
      'state__startswith=Maz',
      'country__in=Poland,Peru',
      'country__gt=Po&last_name=Zamenhof',
      `email=${encodeURIComponent('PERSON')}${people}@example.org`,
    );
    for (const filter of filters) {
      const { objects } = await api.read(`/rest/v1/user/?${filter}`);
      assert.deepEqual(
        objects.map((each: { resource_uri: string }) => each.resource_uri),
        [uri],
        filter,
      );
    }
    for (const filter of ['email__near=a', 'token=Ann', 'subscription_status__gt=a', 'lang=1']) {
      assert.equal((await api.call('GET', `/rest/v1/user/?${filter}`)).statusCode, 400, filter);
    }
  });

  it('deletes a user with everything that hangs on it', async () => {
    const uri = await make({ zip: '10001', phones: ['555 0100'], fields: { shirt: 'L' } });
    const list = await api.create('list', { name: 'doomed' });
    await api.create('subscription', { user: uri, list });
    const page = await api.create('signuppage', { name: 'doomed' });
    const user = await api.read(uri);
    const other = await make();
    await api.call('POST', '/rest/v1/action/', { page: 'doomed', email: user.email, action_why: 'x' });
    await api.call('POST', '/rest/v1/action/', { page: 'doomed', email: (await api.read(other)).email, referring_akid: user.token });
    const campaign = await api.create('campaign', { name: 'c' });
    const event = await api.create('event', { campaign, creator: uri });
    await api.create('eventsignup', { user: uri, event });
    await api.call('POST', `${uri}logintoken/`);
    const mailing = (await api.pool.query(`insert into core_mailing (status) values ('completed') returning id`)).rows[0].id;
    await record(api.pool, mailing, user.id, { position: 1, state: 2 });

    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
    assert.equal((await api.call('GET', uri)).statusCode, 404);
    assert.equal((await api.read(event)).creator, null);
    const [theirs] = (await api.read(`/rest/v1/action/?user=${idOf(other)}`)).objects;
    assert.equal(theirs.referring_user, null);
    // Bare numbers of people who are gone, kept on purpose: erasures, and whom a saved set has to do without.
    const { rows } = await api.pool.query(`select table_name, column_name from information_schema.columns
      where table_schema = 'public' and column_name in ('user_id', 'parent_id', 'creator_id')
        and table_name not in ('core_erasure', 'targeting_gone')`);
    for (const { table_name: table, column_name: column } of rows) {
      const { rowCount } = await api.pool.query(`select 1 from ${table} where ${column} = $1`, [user.id]);
      if (column !== 'parent_id' || table === 'core_userfield') assert.equal(rowCount, 0, `${table}.${column}`);
    }
    assert.equal((await api.read(page)).name, 'doomed');
  });

  it('shows mails sent to a user', async () => {
    const uri = await make();
    const id = (await api.pool.query(`insert into core_mailing (status) values ('completed') returning id`)).rows[0].id;
    await api.pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'even'), ($1, 1, 'odd')`, [id]);
    await record(api.pool, id, Number(idOf(uri)), { position: 3, state: 2, at: '2026-01-02T03:04:05Z' });
    await putInSet(api.pool, id, [Number(idOf(uri)) + 1], 4);
    const { sent_mails: sent } = await api.read(uri);
    const mails = await api.read(sent);
    const own = id * 2 ** 32 + idOf(uri);
    assert.deepEqual(mails.objects, [
      {
        id: own,
        user: uri,
        mailing: `/rest/v1/mailing/${id}/`,
        subject: 'odd',
        created_at: '2026-01-02T03:04:05',
        resource_uri: `/rest/v1/sentmail/${own}/`,
      },
    ]);
    assert.equal((await api.read(`/rest/v1/usermailing/?mailing=${id}`)).meta.total_count, 1);
    for (const name of ['sentmail', 'usermailing']) {
      const { objects } = await api.read(`/rest/v1/${name}/`);
      assert.deepEqual(await api.read(objects[0].resource_uri), objects[0]);
      for (const wrong of ['0', 'x', objects[0].id + 1, 2 ** 62, '99999999999999999999']) {
        assert.equal((await api.call('GET', `/rest/v1/${name}/${wrong}/`)).statusCode, 404, String(wrong));
      }
    }
    // And the one of somebody who was deleted since.
    const all = await api.read('/rest/v1/sentmail/');
    assert.equal(all.meta.total_count, 2);
    const [deleted] = all.objects.filter(({ user }: { user: string | null }) => user === null);
    assert.deepEqual(await api.read(deleted.resource_uri), deleted);
    for (const query of ['?user=x', '?user=1&user=2', '?user=99999999999', '?source=a', '?user=1&_limit=-1', '?user=1%00']) {
      assert.equal((await api.call('GET', `/rest/v1/sentmail/${query}`)).statusCode, 400, query);
    }
    assert.ok((await api.read('/rest/v1/sentmail/schema/')).filtering.user);
  });

  describe('login tokens', () => {
    it('last as long as asked, and only their hash is kept', async () => {
      const uri = await make();
      for (const [body, ttl, query] of [
        [undefined, 86_400, ''],
        [{ ttl: 60 }, 60, ''],
        [{ ttl: '2592000' }, 2_592_000, ''],
        ['ttl=5', 5, ''],
        [undefined, 7, '?ttl=7'],
        [{}, 86_400, '?ttl='],
        [{ ttl: 8 }, 8, '?ttl=7'],
      ] as const) {
        await api.pool.query('delete from core_logintoken');
        const answer = await api.call('POST', `${uri}logintoken/${query}`, body, { 'content-type': 'application/json' });
        assert.equal(answer.statusCode, 200);
        const { token } = answer.json();
        assert.deepEqual(Object.keys(answer.json()), ['token']);
        assert.notEqual(token, (await api.read(uri)).token);
        const { rows } = await api.pool.query(
          `select token_hash, round(extract(epoch from expires_at - created_at)) as ttl from core_logintoken`,
        );
        assert.deepEqual(rows, [{ token_hash: createHash('sha256').update(token).digest('base64url'), ttl: String(ttl) }]);
      }
    });

    it('refuse a ttl out of range', async () => {
      const uri = await make();
      for (const ttl of [0, -1, 2_592_001, 1.5, 'soon', [60], { a: 1 }, true, 1e20]) {
        const answer = await api.call('POST', `${uri}logintoken/`, { ttl });
        assert.equal(answer.statusCode, 400, String(ttl));
        assert.deepEqual(Object.keys(answer.json().errors), ['ttl']);
      }
      for (const ttl of ['0', '2592001', 'soon', '60&ttl=70']) {
        const answer = await api.call('POST', `${uri}logintoken/?ttl=${ttl}`);
        assert.deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, ['ttl']], ttl);
      }
      assert.equal((await api.call('POST', '/rest/v1/user/999999/logintoken/')).statusCode, 404);
      assert.equal((await api.call('POST', `${uri}logintoken/`, undefined, { authorization: '' })).statusCode, 401);
    });

    it('stand for the akid on the unsubscribe page, until they expire', async () => {
      const uri = await make();
      await api.create('subscription', { user: uri, list: await api.create('list', { name: 'tokens' }) });
      const { token } = (await api.call('POST', `${uri}logintoken/`)).json();
      const open = { authorization: '' };
      assert.equal((await api.call('GET', `/unsubscribe/?i=${token}&l=1`, undefined, open)).statusCode, 200);
      assert.equal((await api.call('GET', `/unsubscribe/?i=${token.slice(0, -1)}x`, undefined, open)).statusCode, 400);
      await api.pool.query(`update core_logintoken set expires_at = now() - interval '1 second'`);
      assert.equal((await api.call('POST', `/unsubscribe/?i=${token}`, undefined, open)).statusCode, 400);
      assert.equal((await api.read(uri)).subscription_status, 'subscribed');
      await api.pool.query(`update core_logintoken set expires_at = now() + interval '1 minute'`);
      assert.equal((await api.call('POST', `/unsubscribe/?i=${token}`, undefined, open)).statusCode, 200);
      assert.equal((await api.read(uri)).subscription_status, 'unsubscribed');
    });
  });
});
