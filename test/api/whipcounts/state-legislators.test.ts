import { deepEqual, equal, ok } from 'node:assert/strict';
import { audienceQuery } from '../../../core/sending/audience.ts';
import { readContent } from '../../../core/sending/content.ts';
import { mailSettings } from '../../../core/sending/mail-settings.ts';
import { akid } from '../../../domain/akid.ts';
import { compileMailing } from '../../../mail/compile.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, READY } from '../../support/mailings.ts';

describe('a whip count of state legislators', () => {
  let api: TestApi;
  let page: string;
  const targets = new Map<number, string>();
  before(async () => {
    api = await startApi();
    await api.pool.query(`insert into geo_zipplace (zip, kind, place) values
      ('12207', 'us_district', 'NY_20'), ('12207', 'us_state_district', 'NY_109'), ('12207', 'us_state_senate', 'NY_044'),
      ('12305', 'us_district', 'NY_20'), ('12305', 'us_state_district', 'NY_110'), ('12305', 'us_state_district', 'NY_111'),
      ('10001', 'us_district', 'NY_12')`);
    const target = async (type: string, seat: string) => {
      const uri = await api.create('target', {
        type,
        state: 'NY',
        seat,
        first: 'A',
        last: seat,
        us_district: type === 'house' ? seat : '',
      });
      targets.set(idIn(uri), seat);
      return uri;
    };
    const all = [await target('house', 'NY_20'), await target('senate', 'NY_senior'), await target('executive', 'governor')];
    for (const seat of ['NY_109', 'NY_110', 'NY_111']) all.push(await target('state_house', seat));
    for (const seat of ['NY_044', 'NY_045']) all.push(await target('state_senate', seat));
    const group = await api.create('specialtargetgroup', { name: 'Albany', targets: all });
    page = await api.create('whipcountpage', { name: 'albany', target_groups: [group] });
  });
  after(() => api.close());

  const toCall = async (asked: string): Promise<string[]> => {
    const { objects } = await api.read(`${page}targets/?${asked}`);
    return objects.map(({ id }: { id: number }) => targets.get(id)).sort();
  };

  it('has callers call those of their own districts, every one their zip touches, and those of their state where no district is known', async () => {
    const everyones = ['NY_senior', 'governor'];
    deepEqual(await toCall('zip=12207'), ['NY_044', 'NY_109', 'NY_20', ...everyones]);
    deepEqual(await toCall('zip=12305'), ['NY_044', 'NY_045', 'NY_110', 'NY_111', 'NY_20', ...everyones]);
    deepEqual(await toCall('zip=10001'), ['NY_044', 'NY_045', 'NY_109', 'NY_110', 'NY_111', ...everyones]);
  });

  it('has callers whose zip is in no district that was loaded call those of its state, and the page for people, too', async () => {
    const everyones = ['NY_044', 'NY_045', 'NY_109', 'NY_110', 'NY_111', 'NY_senior', 'governor'];
    deepEqual(await toCall('zip=12201'), everyones);
    deepEqual((await api.read(`${page}targets/?zip=12201`)).states, ['NY']);
    deepEqual(await toCall('zip=94101'), []);
    const shown = await api.call('GET', '/whipcount/albany/?zip=12201', undefined, { authorization: '' });
    ok(shown.body.includes('NY_senior'), shown.body);
  });

  it('has people of other countries call nobody by a postal code or a state that has the letters of one here', async () => {
    const hidden = ['NY_044', 'NY_045', 'NY_109', 'NY_110', 'NY_111', 'NY_20', 'NY_senior', 'governor'];
    const far = idIn(await api.create('user', { email: 'far@example.org', zip: '12207', country: 'France' }));
    const state = idIn(await api.create('user', { email: 'state@example.org', state: 'NY', country: 'Cyprus' }));
    const near = idIn(await api.create('user', { email: 'near@example.org', zip: '12207', state: 'NY' }));
    deepEqual(
      (await toCall(`user=${far}`)).filter((seat) => hidden.includes(seat)),
      [],
    );
    deepEqual(
      (await toCall(`user=${state}`)).filter((seat) => hidden.includes(seat)),
      [],
    );
    deepEqual(await toCall(`user=${near}`), ['NY_044', 'NY_109', 'NY_20', 'NY_senior', 'governor']);
    const member = await api.create('target', { type: 'other', state: 'ON', country: 'Canada', first: 'A', last: 'Member' });
    const group = await api.create('specialtargetgroup', { name: 'Ontario', targets: [member] });
    const ontario = await api.create('whipcountpage', { name: 'ontario', target_groups: [group] });
    const ann = await api.create('user', { email: 'ontario@example.org', state: 'ON', country: 'canada' });
    equal((await api.read(`${ontario}targets/?user=${idIn(ann)}`)).objects.length, 1);
  });

  it('has people call those whose mailing they got', async () => {
    const user = await api.create('user', { email: 'ann@example.org', zip: '12207' });
    const list = await api.create('list', { name: 'News' });
    await api.create('subscription', { user, list });
    const all = (await toCall(`user=${idIn(user)}`)).filter((seat) => /^NY_\d{3}$/.test(seat));
    deepEqual(all, ['NY_044', 'NY_109']);
    for (const [id, seat] of targets) {
      if (!/^NY_\d{3}$/.test(seat)) continue;
      const group = await api.create('specialtargetgroup', { name: seat, targets: [`/rest/v1/target/${id}/`] });
      const mailed = await buildSet(api, await api.create('mailer', { ...READY, includes: { target_groups: [group] } }));
      equal(mailed === 1, all.includes(seat), seat);
    }
    const shown = await api.call('GET', `/whipcount/albany/?akid=${akid(api.env.SECRET_KEY, null, idIn(user))}`);
    const ids = [...shown.body.matchAll(/data-target="(\d+)"/g)].map(([, id]) => targets.get(Number(id)));
    deepEqual(ids.sort(), await toCall(`user=${idIn(user)}`));
  });

  it('shows people in its mails those whom they are to call, and people of other countries nobody of a state that has their letters', async () => {
    const html = '{% for t in targets %}{{ t.seat }},{% endfor %}';
    const { rows: people } = await api.pool.query(
      `select id, email from core_user where email in ('ann@example.org', 'near@example.org', 'state@example.org') order by email`,
    );
    const list = await api.create('list', { name: 'All' });
    for (const { id } of people) await api.create('subscription', { user: `/rest/v1/user/${id}/`, list });
    const uri = await api.create('mailer', { ...READY, html, landing_page: page, includes: { lists: ['All'] } });
    equal(await buildSet(api, uri), 3);
    const { content } = await readContent(api.pool, idIn(uri), '');
    const mail = compileMailing(content, mailSettings(api.env));
    const { rows } = await api.pool.query(audienceQuery(mail, false), [idIn(uri), 1, 3, null, [], null]);
    const shown = Object.fromEntries(rows.map((row) => [row.email, row.targets.map(({ seat }: { seat: string }) => seat).sort()]));
    deepEqual(shown['ann@example.org'], await toCall(`user=${people[0].id}`));
    deepEqual(shown['near@example.org'], shown['ann@example.org']);
    deepEqual(shown['state@example.org'], []);
  });
});
