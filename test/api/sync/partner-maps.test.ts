import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';

describe('partner maps', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
    await api.pool.query(`
      insert into core_user (id, email) select g, 'person' || g || '@example.org' from generate_series(1, 9) g;
      insert into core_page (id, name, title, type) values (1, 'give', 'Give', 'donation');
      insert into core_action (id, user_id, page_id) select g, g, 1 from generate_series(1, 5) g;
      insert into core_orderuserdetail (id, user_id) select g, g from generate_series(1, 5) g;
      insert into core_paymentaccount (id, name) values (1, 'stub') on conflict do nothing;
      insert into core_order (id, action_id, user_id, user_detail_id, account_id, total, total_converted)
        select g, g, g, g, (select min(id) from core_paymentaccount), 10, 10 from generate_series(1, 5) g;
      insert into core_transaction (id, type, order_id, account_id, amount, amount_converted)
        select g, 'sale', g, (select min(id) from core_paymentaccount), 10, 10 from generate_series(1, 5) g;`);
  });
  after(() => api.close());

  const MAPS = [
    { name: 'partnerusermap', local: 'user_id', there: 'partner_contact_id', what: 'user' },
    { name: 'partnerordermap', local: 'order_id', there: 'contribution_id', what: 'order' },
    { name: 'partnertransactionmap', local: 'transaction_id', there: 'contribution_id', what: 'transaction' },
  ];

  for (const { name, local, there, what } of MAPS) {
    it(`${name} is created, found by its ids, changed and deleted`, async () => {
      const uri = await api.create(name, { [local]: 1, [there]: '700' });
      const map = await api.read(uri);
      assert.deepEqual(Object.keys(map).sort(), [there, 'created_at', 'id', 'resource_uri', 'updated_at', local].sort());
      assert.deepEqual([map[local], map[there]], [1, 700]);
      for (const filter of [`${local}=1`, `${there}=700`, `${local}__in=1,2`, `${there}__gte=700`]) {
        const found = await api.read(`/rest/v1/${name}/?${filter}`);
        assert.deepEqual(
          found.objects.map((each: { resource_uri: string }) => each.resource_uri),
          [uri],
          filter,
        );
      }
      assert.equal((await api.read(`/rest/v1/${name}/?${local}=2`)).meta.total_count, 0);
      const changed = await api.call('PATCH', uri, { [there]: 701 });
      assert.deepEqual([changed.statusCode, changed.body], [202, '']);
      assert.equal((await api.read(uri))[there], 701);
      assert.equal((await api.call('DELETE', uri)).statusCode, 204);
      assert.equal((await api.call('GET', uri)).statusCode, 404);
    });

    it(`${name} takes a POST to the path of an id: creates it there, or replaces what is there`, async () => {
      const made = await api.call('POST', `/rest/v1/${name}/41/`, { [local]: 2, [there]: 800 });
      assert.deepEqual([made.statusCode, made.body, made.headers.location], [201, '', `http://platform.test/rest/v1/${name}/41/`]);
      const replaced = await api.call('POST', `/rest/v1/${name}/41`, { [local]: 3, [there]: 801 });
      assert.deepEqual([replaced.statusCode, replaced.body], [202, '']);
      const map = await api.read(`/rest/v1/${name}/41/`);
      assert.deepEqual([map[local], map[there]], [3, 801]);
      const half = await api.call('POST', `/rest/v1/${name}/41/`, { [there]: 5 });
      assert.deepEqual([half.statusCode, half.json()], [400, { [name]: { [local]: ['This field is required.'] } }]);
      assert.equal((await api.read(`/rest/v1/${name}/41/`))[there], 801);
      for (const id of ['0', '-1', 'x', '2147483648', '99999999999']) {
        assert.equal((await api.call('POST', `/rest/v1/${name}/${id}/`, { [local]: 4, [there]: 1 })).statusCode, 404, id);
      }
      await api.pool.query(`delete from core_${name}`);
    });

    it(`${name} gives out no id that a caller has taken`, async () => {
      const { rows } = await api.pool.query(`select nextval('core_${name}_id_seq')::int as id`);
      await api.call('POST', `/rest/v1/${name}/${rows[0].id + 1}/`, { [local]: 1, [there]: 1 });
      await api.call('POST', `/rest/v1/${name}/2147483647/`, { [local]: 2, [there]: 2 });
      const uri = await api.create(name, { [local]: 3, [there]: 3 });
      assert.equal(uri, `/rest/v1/${name}/${rows[0].id + 2}/`);
      await api.pool.query(`delete from core_${name}`);
    });

    it(`${name} keeps one mapping for each ${what}, and none for one that is not there`, async () => {
      const uri = await api.create(name, { [local]: 1, [there]: 900 });
      const again = await api.call('POST', `/rest/v1/${name}/`, { [local]: 1, [there]: 901 });
      assert.deepEqual([again.statusCode, again.headers.location], [409, `http://platform.test${uri}`]);
      assert.deepEqual(again.json(), { errors: { [local]: [`Conflict on unique key '${local}' for value '1'`] } });
      const unknown = await api.call('POST', `/rest/v1/${name}/`, { [local]: 99, [there]: 1 });
      assert.deepEqual([unknown.statusCode, Object.keys(unknown.json()[name])], [400, [local]]);
      await api.pool.query(`delete from core_${name}`);
    });

    it(`${name} refuses what is no id, naming the field`, async () => {
      for (const wrong of [null, '', 'x', 1.5, -1, 0, 2147483648, '99999999999', [1], { id: 1 }, true, '1\0']) {
        for (const field of [local, there]) {
          const answer = await api.call('POST', `/rest/v1/${name}/`, { [local]: 4, [there]: 4, [field]: wrong });
          assert.equal(answer.statusCode, 400, `${field} ${JSON.stringify(wrong)}: ${answer.body}`);
          assert.deepEqual(Object.keys(answer.json()[name]), [field]);
        }
      }
      for (const field of ['id', local, there, 'created_at']) {
        assert.equal((await api.call('GET', `/rest/v1/${name}/?${field}=x`)).statusCode, 400, field);
      }
      assert.equal((await api.read(`/rest/v1/${name}/`)).meta.total_count, 0);
    });
  }

  it('say in their schema what they are', async () => {
    const schema = await api.read('/rest/v1/partnerusermap/schema/');
    assert.deepEqual(schema.allowed_detail_http_methods, ['get', 'post', 'put', 'patch', 'delete']);
    assert.deepEqual([schema.fields.user_id.type, schema.fields.user_id.unique], ['integer', true]);
  });
});
