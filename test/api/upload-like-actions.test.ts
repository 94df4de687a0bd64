import assert from 'node:assert/strict';
import { importUpload } from '../../core/people/import-upload.ts';
import { IMPORT_COLUMNS } from '../../domain/people/import-line.ts';
import { startApi, type TestApi } from '../support/api.ts';

/** Numbers that look random and are the same for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

const PHONES = ['phone', 'phone_type', 'mobile_phone', 'home_phone'];
const COLUMNS = [
  'email',
  ...PHONES,
  'name',
  'first_name',
  'last_name',
  'address1',
  'city',
  'state',
  'zip',
  'country',
  'source',
  'user_shirt',
  'action_why',
];

const CHOICES: Record<string, string[]> = {
  name: ['', '', '', 'Zoë Ann  Park', 'Cher', ...(Array(60).fill('Al Green') as string[]), 'x'.repeat(300)],
  first_name: ['', 'Ann', ' Bo ', 'O"Neil', 'x'.repeat(300)],
  last_name: ['', '', 'Smith', 'back\\slash', 'com,ma'],
  address1: ['', '', '1 Main St'],
  city: ['', '', 'Springfield'],
  state: ['', '', 'new york', 'ca'],
  zip: ['', '10001', '94110-1234', '60601', '00000', 'K1A 0B1'],
  country: ['', '', 'US', 'Canada', 'Nowhere Land'],
  source: ['', 'web', 'booth'],
  phone: ['', '', '', '(202) 555-0101', '2025550101', '+1 202 555 0102', 'none'],
  phone_type: ['', '', '', 'home', 'mobile', 'work'],
  mobile_phone: ['', '', '', '202 555 0103', '(202)555-0103', '202 555 0104'],
  home_phone: [...Array(20).fill(''), ...Array(10).fill('202 555 0105'), ...Array(10).fill('202 555 0199'), '1 '.repeat(30)],
  user_shirt: ['', '', 'L', 'M', 'multi\nline'],
  action_why: ['', 'because', '{"a": "b"}'],
};

function randomLines(roll: (sides: number) => number, count: number): string[][] {
  return Array.from({ length: count }, () => {
    const name = `person${roll(count / 3)}@example.org`;
    const email = ['', 'nobody', name.toUpperCase(), name, name, name, name, name][roll(8)]!;
    return COLUMNS.map((column) => (column === 'email' ? email : CHOICES[column]![roll(CHOICES[column]!.length)]!));
  });
}

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** All that is to be the same, by email; ids and times apart. */
async function everything({ pool }: TestApi): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select lower(u.email) as email, u.subscription_status, ${IMPORT_COLUMNS.map((column) => `u.${column}`).join(', ')},
       (select to_jsonb(l) - '{id,user_id,created_at,updated_at}'::text[] from core_location l where l.user_id = u.id) as location,
       (select to_jsonb(o) - '{id,user_id,created_at}'::text[] from core_user_original o where o.user_id = u.id) as original,
       array(select f.name || '=' || f.value from core_userfield f where f.parent_id = u.id order by f.id) as fields,
       array(select jsonb_build_array(p.type, p.phone, p.normalized_phone, p.source) from core_phone p where p.user_id = u.id order by p.id) as phones,
       array(select s.list_id from core_subscription s where s.user_id = u.id order by 1) as lists,
       array(select jsonb_build_array(h.list_id, replace(h.change, '_import', ''),
         (select count(*) from core_action a where a.user_id = u.id and a.id <= h.action)) from core_subscriptionhistory h where h.user_id = u.id order by h.id) as history,
       array(select jsonb_build_array(p.name, a.source, a.created_user, a.subscribed_user, a.status,
         array(select f.name || '=' || f.value from core_actionfield f where f.parent_id = a.id order by f.id))
         from core_action a join core_page p on p.id = a.page_id where a.user_id = u.id order by a.id) as actions
     from core_user u order by 1`,
  );
  return rows;
}

describe('an import of random lines', () => {
  it('leaves what the same lines leave that are sent in on the page one by one', async () => {
    const [imported, sent] = (await Promise.all([startApi(), startApi()])) as [TestApi, TestApi];
    const lines = randomLines(dice(4), 240);
    for (const api of [imported, sent]) {
      const list = await api.create('list', { name: 'Imported' });
      await api.create('importpage', { name: 'import', list });
      await api.pool.query(`insert into geo_zipplace (zip, kind, place) values ('10001', 'us_district', 'NY_12'), ('60601', 'us_county', 'Cook'),
        ('94110', 'us_district', 'CA_11'), ('94110', 'us_district', 'CA_12')`);
      for (const number of [1, 2, 3, 4, 5, 6]) {
        const source = number % 2 ? 'before' : '';
        const user = await api.create('user', { email: `Person${number}@example.org`, source, zip: '12207', last_name: 'Known' });
        if (number > 2) await api.create('phone', { user, phone: '202 555 0199', type: 'home', source: number > 4 ? 'van' : 'user' });
        if (number > 3) await api.create('subscription', { user, list });
        if (number > 5)
          await api.pool.query(`update core_user set subscription_status = 'bounced' where id = $1`, [user.match(/(\d+)\/$/)![1]]);
      }
    }

    const file = [COLUMNS, ...lines].map((cells) => cells.map(cell).join(',')).join('\n');
    const form = `--b\r\nContent-Disposition: form-data; name="page"\r\n\r\nimport\r\n--b\r\nContent-Disposition: form-data; name="autocreate_user_fields"\r\n\r\ntrue\r\n--b\r\nContent-Disposition: form-data; name="upload"; filename="p.csv"\r\n\r\n${file}\r\n--b--\r\n`;
    const taken = await imported.call('POST', '/rest/v1/upload/', form, { 'content-type': 'multipart/form-data; boundary=b' });
    assert.equal(taken.statusCode, 201, taken.body);
    const id = Number(/(\d+)\/$/.exec(String(taken.headers.location))![1]);
    assert.equal(await importUpload(imported, id, () => true), false);

    const refused: number[] = [];
    for (const [index, cells] of lines.entries()) {
      const body = {
        page: 'import',
        source: 'import',
        ...Object.fromEntries(COLUMNS.map((column, at) => [column, cells[at]!.trim()]).filter(([, value]) => value)),
      };
      const answer = await sent.call('POST', '/rest/v1/action/', body);
      if (answer.statusCode === 400) refused.push(index + 2);
      else assert.equal(answer.statusCode, 201, answer.body);
    }

    assert.ok(refused.length > 20 && refused.length < lines.length / 2, `${refused.length} lines refused`);
    const { rows } = await imported.pool.query('select line from core_uploaderror where upload_id = $1 order by id', [id]);
    assert.deepEqual(
      rows.map(({ line }) => line),
      refused,
    );
    const [ours, theirs] = [await everything(imported), await everything(sent)];
    assert.equal(ours.length, theirs.length);
    for (const [index, person] of ours.entries()) assert.deepEqual(person, theirs[index]);
    await Promise.all([imported.close(), sent.close()]);
  });
});
