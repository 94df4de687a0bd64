import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { personBy } from '../../core/people/import-ids.ts';
import { importUpload } from '../../core/people/import-upload.ts';
import { BLOCK_LINES } from '../../core/people/stage-upload.ts';
import { tryUpload } from '../../core/people/try-upload.ts';
import { sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { akid, answerAkid } from '../../domain/akid.ts';
import { readHeader } from '../../domain/people/import-line.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { erase } from '../support/erasing.ts';
import { merge } from '../support/merging.ts';
import { untilWaiting } from '../support/sessions.ts';

const idOf = (uri: string) => Number(/(\d+)\/$/.exec(uri)![1]);

describe('uploads as clients of the public platform send them', () => {
  let api: TestApi;
  let page: string;
  let list: string;

  before(async () => {
    api = await startApi();
    list = await api.create('list', { name: 'Imported' });
    page = await api.create('importpage', { name: 'import', list });
  });
  after(() => api.close());

  const send = (file: string, more: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const parts = Object.entries({ page, autocreate_user_fields: '1', ...more }).map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const head = '--b\r\nContent-Disposition: form-data; name="upload"; filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n';
    const type = { 'content-type': 'multipart/form-data; boundary=b', ...headers };
    return api.call('POST', '/rest/v1/upload/', Buffer.from(`${parts.join('')}${head}${file}\r\n--b--\r\n`), type);
  };
  const taken = async (file: string, more: Record<string, string> = {}) => {
    const answer = await send(file, more);
    assert.equal(answer.statusCode, 201, answer.body);
    return idOf(String(answer.headers.location));
  };
  const errorsOf = async (upload: number): Promise<string[]> => {
    const { objects } = await api.read(`/rest/v1/uploaderror/?upload=${upload}&_limit=0&order_by=line`);
    return objects.map(({ line, message }: { line: number; message: string }) => `${line} ${message}`);
  };
  /** @returns what was wrong, line by line; and the same of the dry run, which must not say other things */
  const imported = async (file: string): Promise<string[]> => {
    const tried: string[] = [];
    const columns = readHeader(file.slice(0, file.indexOf('\n')).split(','));
    const read = [sqlOn(api.pool), Readable.from([Buffer.from(file)]), columns, true] as const;
    for await (const { line, outcome, detail } of tryUpload(...read, undefined, personBy(api.env.SECRET_KEY)))
      if (outcome === 'wrong') tried.push(`${line} ${detail}`);
    const upload = await taken(file);
    assert.equal(await importUpload(api, upload, () => true), false);
    const errors = await errorsOf(upload);
    assert.deepEqual(tried, errors);
    return errors;
  };
  const user = async (email: string, more: object = {}) => idOf(await api.create('user', { email, ...more }));
  const shown = (id: number) => api.read(`/rest/v1/user/${id}/`);

  describe('keyed by user_id', () => {
    it('change whom the ids name, and make nobody', async () => {
      const [ann, bob] = [await user('ann@example.org'), await user('bob@example.org', { first_name: 'Robert' })];
      const before = (await api.read('/rest/v1/user/')).meta.total_count;
      assert.deepEqual(await imported(`User_Id,user_customfield1,action_foo\n${ann},yes,123 Main St\n${bob},no,\n${ann},maybe,\n`), []);
      assert.equal((await api.read('/rest/v1/user/')).meta.total_count, before);
      const { fields, actions, subscription_status: status, email } = await shown(ann);
      assert.deepEqual([fields, status, email], [{ customfield1: 'maybe' }, 'subscribed', 'ann@example.org']);
      const [first, second] = (await api.read(actions)).objects;
      assert.deepEqual([first.fields, first.created_user, second.fields], [{ foo: '123 Main St' }, false, {}]);
      assert.equal((await shown(bob)).first_name, 'Robert');
    });

    it('say which lines name nobody, or two people, and import the others', async () => {
      const [ann, cy, gone, erased] = [
        await user('ann.lee@example.org'),
        await user('cy@example.org'),
        await user('gone@example.org'),
        await user('erased@example.org'),
      ];
      await merge(api.pool, cy, [cy, gone]);
      await erase(api.pool, erased);
      const lines = [
        `${ann},,Ann`,
        `${ann},ANN.LEE@example.org,Annie`,
        `${ann},cy@example.org,Cyan`,
        `${gone},,Gone`,
        `${erased},erased@example.org,Erased`,
        ',new@example.org,New',
        ',cy@example.org,Cy',
        `${cy},,Cyril`,
        ',,Nobody',
        ...['0', '-1', '1.5', 'ann', '2147483648', '99999999999999999999', '١'].map((id) => `${id},new@example.org,Wrong`),
        `${ann},nobody,Wrong`,
      ];
      assert.deepEqual(await imported(`user_id,email,first_name\n${lines.join('\n')}\n`), [
        '4 email is not the address of the user that user_id refers to.',
        '5 user_id refers to nobody.',
        '6 This person was erased.',
        '10 email or user_id is missing.',
        ...[11, 12, 13, 14, 15, 16, 17].map((line) => `${line} user_id is not the id of a user.`),
        '18 email is not an email address.',
      ]);
      const name = async (email: string) =>
        (await api.read(`/rest/v1/user/?email=${email}`)).objects.map((each: { first_name: string }) => each.first_name);
      assert.deepEqual([(await shown(ann)).first_name, (await shown(cy)).first_name], ['Annie', 'Cyril']);
      assert.deepEqual([await name('new@example.org'), await name('erased@example.org')], [['New'], []]);
    });

    it('need one of the columns that name people', async () => {
      assert.deepEqual((await send('first_name,user_shirt\nAnn,L\n')).json().upload, {
        upload: ['The first line must name the columns, and one of them must be email, user_id or akid.'],
      });
    });

    it('make no second person of one whose address changes meanwhile', async () => {
      const id = await user('old@example.org');
      const upload = await taken(`user_id,first_name\n${id},Moved\n`);
      let running: Promise<unknown> = Promise.resolve();
      await inOneTransaction(api.pool, async (sql) => {
        await sql(`update core_user set email = 'moved@example.org' where id = $1`, [id]);
        running = importUpload(api, upload, () => true);
        await untilWaiting(api.pool);
      });
      await running;
      const { email, first_name: name } = await shown(id);
      assert.deepEqual([email, name, await errorsOf(upload)], ['moved@example.org', 'Moved', []]);
      assert.equal((await api.read('/rest/v1/user/?email=old@example.org')).meta.total_count, 0);
    });

    it('import each person’s lines in their order, in a file of several blocks, too', async () => {
      await api.pool.query(`insert into core_user (email) select 'many' || n || '@example.org' from generate_series(1, 50) n`);
      const { rows } = await api.pool.query(`select id from core_user where email like 'many%' order by id`);
      const lines = Array.from({ length: BLOCK_LINES + 500 }, (_, n) => `${rows[n % 50].id},${n}`);
      assert.deepEqual(await imported(`user_id,user_nth\n${lines.join('\n')}\n`), []);
      const last = await api.pool.query(
        `select distinct f.value::int > $1 as last from core_userfield f join core_user u on u.id = f.parent_id where u.email like 'many%'`,
        [BLOCK_LINES + 500 - 51],
      );
      assert.deepEqual(last.rows, [{ last: true }]);
    });
  });

  describe('keyed by akid', () => {
    it('change whom the akids name, and say which name nobody, or two people', async () => {
      const [dee, eve, gone] = [await user('dee@example.org'), await user('eve@example.org'), await user('gone.too@example.org')];
      const [secret, own] = [api.env.SECRET_KEY, akid(api.env.SECRET_KEY, 12, dee)];
      assert.equal((await api.call('DELETE', `/rest/v1/user/${gone}/`)).statusCode, 204);
      const lines = [
        [own, '', '', 'Dee'],
        [answerAkid(secret, null, eve), eve, 'EVE@example.org', 'Eve'],
        [own, '', 'eve@example.org', 'Wrong'],
        [own, eve, '', 'Wrong'],
        [`12.${eve}${own.slice(-7)}`, '', 'eve@example.org', 'Wrong'],
        [akid(secret, null, gone), '', '', 'Wrong'],
        ['', '', 'fay@example.org', 'Fay'],
      ];
      assert.deepEqual(await imported(`AKID,user_id,email,first_name\n${lines.join('\n')}\n`), [
        '4 email is not the address of the user that user_id refers to.',
        '5 user_id and akid name two people.',
        '6 akid is none of ours.',
        '7 user_id refers to nobody.',
      ]);
      const names = (await api.read(`/rest/v1/user/?first_name__in=Dee,Eve,Fay,Wrong`)).objects;
      assert.equal(names.map(({ email }: { email: string }) => email.slice(0, 3)).join(), 'dee,eve,fay');
      const fields = await taken(`akid,user_badge\n${own},7\n.${dee}.abcdef,8\n${akid(secret, null, gone)},9\n`, { user_fields_only: '1' });
      assert.equal(await importUpload(api, fields, () => true), false);
      assert.deepEqual(await errorsOf(fields), ['3 akid is none of ours.', '4 akid refers to nobody.']);
      assert.deepEqual((await shown(dee)).fields, { badge: '7' });
    });

    it('are taken of who may read people: each line that is taken says that a guess was right', async () => {
      const importer = { username: 'importer', password: 'importer-password' };
      const groups = [await api.create('authgroup', { name: 'importers', grants: ['upload:write'] })];
      await api.create('authuser', { ...importer, groups });
      const refused = await send('akid,first_name\n.1.abcdef,X\n', {}, { authorization: basic(importer) });
      assert.deepEqual([refused.statusCode, refused.json()], [403, { errors: { permission: ['user:read'] } }]);
      assert.equal((await send('email,first_name\nx@example.org,X\n', {}, { authorization: basic(importer) })).statusCode, 201);
    });
  });

  it('give people their phones, by what the columns call them, and none twice', async () => {
    const id = await user('phoned@example.org');
    const lines = [
      'phoned@example.org,202 555 0101,+1 202 555 0102,,',
      'phoned@example.org,none,,,202 555 0103',
      'phoned@example.org,(202) 555-0101,,,',
    ];
    const header = 'email,Phone,mobile_phone,phone_type,work_phone';
    const wrong = [`w@example.org,${'1'.repeat(51)},,,`, 'w@example.org,,,pigeon,'];
    assert.deepEqual(await imported([header, ...lines, ...wrong].join('\n')), [
      '5 phone is not a phone number.',
      '6 phone_type must be one of home, mobile, work, fax, emergency, home_fax, work_fax, other.',
    ]);
    const phones = async () =>
      (await api.read(`/rest/v1/phone/?user=${id}&order_by=id`)).objects.map(
        (each: Record<string, string>) => `${each['type']} ${each['phone']} ${each['source']}`,
      );
    assert.deepEqual(await phones(), ['home 202 555 0101 user', 'mobile +1 202 555 0102 user', 'work 202 555 0103 user']);
    const { updated_at: before } = await shown(id);
    const tried: string[] = [];
    const again = [header, 'phoned@example.org,2025550101,202 555 0104,,'].join('\n');
    for await (const { detail } of tryUpload(sqlOn(api.pool), Readable.from([Buffer.from(again)]), readHeader(header.split(',')), true))
      tried.push(detail);
    assert.deepEqual(tried, ['mobile_phone']);
    await imported([header, lines[0]].join('\n'));
    assert.equal((await shown(id)).updated_at, before, 'numbers that are there are no change');
    await imported(again);
    assert.deepEqual(await phones(), ['home 202 555 0101 user', 'mobile 202 555 0104 user', 'work 202 555 0103 user']);
  });

  it('are no change before they are imported, either, where custom fields say what is there already', async () => {
    await api.create('alloweduserfield', { name: 'gait' });
    const same = await user('gait@example.org', { source: 'web', fields: { gait: 'walk' } });
    // Coming on the list would be a change.
    await api.create('subscription', { user: `/rest/v1/user/${same}/`, list });
    await api.pool.query(`update core_user set updated_at = now() - interval '1 hour' where id = $1`, [same]);
    await user('gaits@example.org', { source: 'web', fields: { gait: ['walk', 'run'] } });
    const file = 'email,user_gait\ngait@example.org,walk\ngaits@example.org,walk\nnobody-yet@example.org,walk\n';
    const tried: string[] = [];
    for await (const { outcome, detail } of tryUpload(sqlOn(api.pool), Readable.from([Buffer.from(file)]), ['email', 'user_gait'], true))
      tried.push(`${outcome} ${detail}`);
    assert.deepEqual(tried, ['same ', 'changed user_gait', 'new ']);
    const { updated_at: before } = await shown(same);
    await imported(file);
    assert.equal((await shown(same)).updated_at, before);
  });

  it('are named where what stands in them cannot be a zip code', async () => {
    assert.deepEqual(await imported('email,zip,country\nzip@example.org,ABC,USA\n'), ['2 zip is not a zip code of the United States.']);
    const other = await imported('email,zip,postal,country\nzip@example.org,10001,SW1A,USA\n');
    assert.deepEqual(other, ['2 postal is not a zip code of the United States.']);
  });

  it('are read with tabs, too', async () => {
    const upload = await taken('email\tfirst_name\tuser_shirt\ntabs@example.org\tTab, the first\tL\nshort\n');
    assert.equal(await importUpload(api, upload, () => true), false);
    assert.deepEqual(await errorsOf(upload), ['3 The line has 1 cell where the header has 3.']);
    const [tab] = (await api.read('/rest/v1/user/?email=tabs@example.org')).objects;
    assert.deepEqual([tab.first_name, tab.fields], ['Tab, the first', { shirt: 'L' }]);
  });

  it('name no field that nobody could be sent back with', async () => {
    for (const column of ['user___proto__', 'Action___proto__']) {
      const refused = await send(`email,${column}\na@example.org,M\n`);
      assert.equal(refused.statusCode, 400, column);
      assert.match(refused.body, /columns that mean nothing here: (user|action)___proto__/);
    }
  });

  it('change custom fields alone with user_fields_only: nothing is an action, and nobody is put on a list', async () => {
    const id = await user('left@example.org');
    await api.pool.query(`update core_user set updated_at = '2020-01-01', source = '' where id = $1`, [id]);
    for (const file of [`user_id,user_hat\n${id},M\n999999,L\n`, 'email,user_hat\nleft@example.org,S\nhatted@example.org,L\n']) {
      const upload = await taken(file, { user_fields_only: '1' });
      assert.equal(await importUpload(api, upload, () => true), false);
      assert.equal((await api.read(`/rest/v1/upload/${upload}/`)).user_fields_only, true);
      assert.deepEqual(await errorsOf(upload), file.startsWith('email') ? [] : ['3 user_id refers to nobody.']);
    }
    const [hatted] = (await api.read('/rest/v1/user/?email=hatted@example.org')).objects;
    for (const [each, hat, source] of [
      [await shown(id), 'S', ''],
      [hatted, 'L', 'import'],
    ] as const) {
      assert.deepEqual([each.fields, each.subscription_status, each.source], [{ hat }, 'never', source]);
      assert.equal((await api.read(each.actions)).meta.total_count, 0);
      assert.ok(each.updated_at > '2021');
    }
    for (const [file, value] of [
      ['email,first_name,user_hat\na@example.org,A,M\n', '1'],
      ['email,user_hat\na@example.org,M\n', 'maybe'],
    ] as const) {
      const refused = await send(file, { user_fields_only: value });
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().upload)], [400, ['user_fields_only']], refused.body);
    }
  });
});
