import { deepEqual, equal } from 'node:assert/strict';
import { refuseIncluded } from '../../../core/mailings/still-needed.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn } from '../../support/mailings.ts';

const report = (short_name: string) => ({ name: `Report ${short_name}`, short_name, sql: 'select id from core_user' });

describe('what a mailing that is still to go out needs', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  async function mailing(status: string, more: object): Promise<number> {
    const id = idIn(await api.create('mailer', { subjects: ['Hello'], html: '<p>Hello</p>', ...more }));
    await api.pool.query('update core_mailing set status = $2 where id = $1', [id, status]);
    return id;
  }
  const over = (id: number) => api.pool.query(`update core_mailing set status = 'completed' where id = $1`, [id]);
  const remove = async (uri: string) => {
    const { statusCode, body } = await api.call('DELETE', uri);
    return [statusCode, body];
  };
  const refused = (resource: string, said: string, field = 'id') => [400, JSON.stringify({ [resource]: { [field]: [said] } })];

  const KINDS: [string, object, (uri: string) => object, string][] = [
    ['fromline', { from_line: '"Ann" <ann@example.org>' }, (fromline) => ({ fromline }), 'goes out from this from line.'],
    ['language', { name: 'French', iso_code: 'fr' }, (lang) => ({ lang }), 'goes out in this language.'],
    ['signuppage', { name: 'land' }, (landing_page) => ({ landing_page }), 'has this page as its landing page.'],
    ['snippet', { name: 'foot', html: '<p>Foot</p>' }, () => ({ html: '{% include "foot" %}' }), 'includes this snippet.'],
    ['queryreport', report('count'), () => ({ html: '{% report "count" %}' }), 'shows this report.'],
  ];
  for (const [resource, body, use, said] of KINDS)
    it(`is not deleted: a ${resource}, without which it would die at its time, or go out otherwise`, async () => {
      const uri = await api.create(resource, body);
      for (const status of ['scheduled', 'queued', 'rebuilding_at_send', 'sending', 'recurring']) {
        const id = await mailing(status, use(uri));
        deepEqual(await remove(uri), refused(resource, `Mailing ${id} ${said}`), status);
        await over(id);
      }
      const draft = await mailing('draft', use(uri));
      deepEqual(await remove(uri), [204, '']);
      equal((await api.read(`/rest/v1/mailer/${draft}/`)).status, 'draft');
    });

  it('a page is kept under each of its names', async () => {
    const uri = await api.create('petitionpage', { name: 'sign' });
    const id = await mailing('scheduled', { landing_page: uri });
    deepEqual(await remove(`/rest/v1/page/${idIn(uri)}/`), refused('page', `Mailing ${id} has this page as its landing page.`));
  });

  it('a from line goes where the mailing has one of its own', async () => {
    const fromline = await api.create('fromline', { from_line: '"Bob" <bob@example.org>' });
    await mailing('scheduled', { fromline, custom_fromline: '"Own" <own@example.org>' });
    deepEqual(await remove(fromline), [204, '']);
  });

  it('a snippet is kept that another one includes, or the wrapper, and has no other name until it is sent', async () => {
    const inner = await api.create('snippet', { name: 'inner', html: 'in' });
    await api.create('snippet', { name: 'outer', html: '{% include "inner" %}' });
    const emailwrapper = await api.create('emailwrapper', { name: 'W', template: '{% include "outer" %}{{ content }}' });
    const id = await mailing('scheduled', { emailwrapper });
    const said = `Mailing ${id} includes this snippet.`;
    deepEqual(await remove(inner), refused('snippet', said));
    const rename = async (name: string) => {
      const { statusCode, body } = await api.call('PATCH', inner, { name, html: 'changed' });
      return [statusCode, body];
    };
    deepEqual(await rename('other'), refused('snippet', said, 'name'));
    deepEqual(await rename('inner'), [202, '']);
    await over(id);
    deepEqual(await rename('other'), [202, '']);
  });

  const WRITTEN: [string, object][] = [
    ['tail', { html: "<p>{%- include 'tail' -%}</p>" }],
    ['tail', { html: '{% include {# not "head" #} "tail" with a=1 %}' }],
    ['tail', { html: 'x', text: '{%\ninclude\n"tail" %}' }],
    ['tail', { subjects: ['{% include "tail" %}'], html: 'x' }],
    [`a "tail"`, { html: '{% include "a \\"tail\\"" %}' }],
    [`a "tail"`, { html: `{% include 'a "tail"' %}` }],
    ['tail', { html: '{% comment %}{# {% #}{% endcomment %}{% if true %}{% include "tail" %}{% endif %}' }],
  ];
  for (const [name, written] of WRITTEN)
    it(`a snippet is kept that is included as in ${JSON.stringify(written)}`, async () => {
      const snippet = await api.create('snippet', { name, html: 'Tail' });
      const id = await mailing('scheduled', written);
      deepEqual(await remove(snippet), refused('snippet', `Mailing ${id} includes this snippet.`));
      await over(id);
      deepEqual(await remove(snippet), [204, '']);
    });

  it('many mailings that merely hold its name are not read one by one, while whoever queues one waits', async () => {
    await api.create('snippet', { name: 'bare', html: '<p class="base">Base</p>' });
    const html = '<p class="base">The "base" {% include "bare" %}</p>';
    const ids = await Promise.all(Array.from({ length: 20 }, () => mailing('scheduled', { html })));
    let statements = 0;
    await inOneTransaction(api.pool, (sql) =>
      refuseIncluded(
        (text, values) => {
          statements++;
          return sql(text, values);
        },
        'base',
        'id',
      ),
    );
    equal(statements <= 3, true, `${statements} statements`);
    await Promise.all(ids.map(over));
  });

  it('a report is kept under its name that says whom a mailing goes to whose audience is built once more, or that a snippet or a mailing shows', async () => {
    const uri = await api.create('queryreport', report('whom'));
    const rename = async (short_name: string) => {
      const { statusCode, body } = await api.call('PATCH', uri, { short_name, name: 'Another name' });
      return [statusCode, body];
    };
    const whom = { query_reports: [{ short_name: 'whom', params: {} }] };
    const built = await mailing('scheduled', { includes: whom });
    deepEqual(await rename('whom'), [202, '']);
    deepEqual(await rename('those'), [202, ''], 'nothing is built any more');
    deepEqual(await rename('whom'), [202, '']);
    await over(built);
    for (const [status, more] of [
      ['scheduled', { includes: whom, rebuild_query_at_send: true }],
      ['queued', { excludes: whom, rebuild_query_at_send: true }],
      ['recurring', { excludes: whom }],
    ] as const) {
      const id = await mailing(status, more);
      const said = `Mailing ${id} asks this report who is meant.`;
      deepEqual(await rename('those'), refused('queryreport', said, 'short_name'), status);
      deepEqual(await remove(uri), refused('queryreport', said), status);
      await over(id);
    }
    await api.create('snippet', { name: 'figures', html: '{% report "whom" as rows %}{{ rows|length }}{% endreport %}' });
    const id = await mailing('scheduled', { html: '{% include "figures" %}' });
    deepEqual(await rename('those'), refused('queryreport', `Mailing ${id} shows this report.`, 'short_name'));
    await over(id);
    deepEqual(await remove(uri), [204, '']);
  });

  for (const [resource, body, field, said] of [
    ['fromline', { from_line: '"Eve" <eve@example.org>' }, 'email_from_line', 'sends its confirmations from this from line.'],
    ['emailwrapper', { name: 'Letter', template: '{{ content }}' }, 'email_wrapper', 'sends its confirmations in this wrapper.'],
  ] as const)
    it(`a ${resource} is kept in which a page sends confirmations: they went out otherwise, and nobody was told`, async () => {
      const uri = await api.create(resource, body);
      const page = await api.create('signuppage', {
        name: `by_${resource}`,
        followup: { send_email: true, email_subject: 'Thanks', [field]: uri },
      });
      deepEqual(await remove(uri), refused(resource, `Page by_${resource} ${said}`));
      equal((await api.read(page)).followup[field], uri);
      await api.call('PATCH', page, { followup: { send_email: false } });
      deepEqual(await remove(uri), [204, '']);
      equal((await api.read(page)).followup[field], null);
    });
});
