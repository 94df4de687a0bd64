import assert from 'node:assert/strict';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { readContent } from '../../../core/sending/content.ts';
import { trackContent } from '../../../core/sending/freeze.ts';
import { recipientColumns } from '../../../core/sending/recipient-columns.ts';
import { readReportValues } from '../../../core/sending/report-values.ts';
import { compileMailing } from '../../../mail/compile.ts';
import type { Recipient } from '../../../mail/contracts.ts';
import { basic, startApi, type TestApi } from '../../support/api.ts';
import { buildSet, idIn, READY } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';

describe('what templates mention', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [
      { id: 1, email: 'ann@example.org', state: 'NY', lists: [1] },
      { id: 2, email: 'bob@example.org', state: 'CA', lists: [1] },
    ]);
  });
  after(() => api.close());

  const errorsOf = async (answer: ReturnType<TestApi['call']>, status = 400) => {
    const { statusCode, body } = await answer;
    assert.equal(statusCode, status, body);
    return JSON.parse(body).errors ?? Object.values(JSON.parse(body))[0];
  };
  /** The mail of one person as it would be frozen now, its lines joined. */
  async function mailTo(
    uri: string,
    userId: number,
    settings: Partial<Record<'TRACK_OPENS' | 'TRACK_CLICKS', boolean>> = {},
  ): Promise<string> {
    const client = await api.pool.connect();
    try {
      const frozen = await readContent(client, idIn(uri), 'default@example.org');
      const values = await readReportValues(api, idIn(uri));
      assert.deepEqual(values.errors, []);
      const env = { BASE_URL: 'http://x.test', TRACK_OPENS: true, TRACK_CLICKS: true, ...settings };
      const content = await trackContent(client, { ...frozen, content: values.put(frozen.content) }, env);
      const mail = compileMailing(content, { baseUrl: 'http://x.test', mailDomain: 'x.test', secretKey: 's' });
      const { rows } = await client.query<Recipient>(
        `select u.id as user_id, 0 as position, u.email${recipientColumns(mail)} from core_user u where u.id = $1`,
        [userId],
      );
      return mail.render(rows[0]!).message.replaceAll('=\r\n', '');
    } finally {
      client.release();
    }
  }

  describe('snippets', () => {
    it('are included in each part as that part wants them, their links tracked like the mailing’s own', async () => {
      await api.create('snippet', { name: 'sign', html: '<p>Yours, <b>{{ who }}</b></p>' });
      await api.create('snippet', {
        name: 'ask',
        html: '<p><a href="https://a.example/give">Give</a></p>{% include "sign" with who="Ann" %}',
        text: 'Give: https://a.example/give',
      });
      const uri = await api.create('mailer', {
        ...READY,
        html: '<p>Hi</p>{% include "ask" %}',
        subjects: ['From {% include "sign" with who="us" %}'],
      });
      const mail = await mailTo(uri, 1);
      assert.match(mail, /Subject: From Yours, us\r\n/);
      const [, text, html] = mail.split(/Content-Type: text\/(?:plain|html)/);
      assert.match(html!, /<p><a href=3D"http:\/\/x\.test\/click\/\d+\.1\.[\w-]+\/0">Give<\/a><\/p><p>Yours, <b>Ann<\/b><\/p>/);
      assert.match(text!, /Give: http:\/\/x\.test\/click\/\d+\.1\.[\w-]+\/0/);
      assert.ok(!/<b>/.test(text!));
      assert.equal((mail.match(/unsubscribe\/\?akid/g) ?? []).length, 3, 'header, text and HTML have one link each');
    });

    it('may bring the unsubscribe link; then none is added', async () => {
      await api.create('snippet', { name: 'footer', html: '<a href="{{ unsubscribe_link }}">Leave</a>' });
      const mail = await mailTo(await api.create('mailer', { ...READY, html: '<p>Hi</p>{% include "footer" %}' }), 1);
      assert.ok(mail.includes('Leave') && !mail.includes('>Unsubscribe<'));
    });

    it('that do not exist are refused by name, when the mailing is saved, proofed or queued', async () => {
      assert.match(
        (await errorsOf(api.call('POST', '/rest/v1/mailer/', { ...READY, html: 'a\n{% include "nosuch" %}' }))).html[0],
        /line 2, column 1, at .*: .*“nosuch”/,
      );
      const snippet = await api.create('snippet', { name: 'gone', html: 'x' });
      const uri = await api.create('mailer', { ...READY, html: '{% include "gone" %}' });
      assert.match((await errorsOf(api.call('PATCH', uri, { text: '{% include "never" %}' }))).text[0], /“never”/);
      await buildSet(api, uri);
      assert.equal((await api.call('DELETE', snippet)).statusCode, 204);
      for (const [action, body] of [
        ['queue', {}],
        ['proofs', { proofs: 1, reviewers: ['a@example.org'] }],
      ] as const) {
        assert.match((await errorsOf(api.call('POST', `${uri}${action}/`, body))).html[0], /“gone”/);
      }
      assert.match((await errorsOf(api.call('POST', '/rest/v1/recurringschedule/', { mailing: uri }))).html[0], /“gone”/);
      assert.equal((await api.read(uri)).status, 'draft');
    });

    it('are held to their syntax, may not go round in circles nor too deep', async () => {
      const errors = await errorsOf(api.call('POST', '/rest/v1/snippet/', { name: 'bad', html: 'x\n{% if %}', text: '{{ a|nosuch }}' }));
      assert.match(errors.html[0], /line 2/);
      assert.match(errors.text[0], /nosuch/);
      await errorsOf(api.call('POST', '/rest/v1/snippet/', { name: 'me', html: '{% include "me" %}' }));
      const a = await api.create('snippet', { name: 'a', html: 'x' });
      await api.create('snippet', { name: 'b', html: '{% include "a" %}' });
      assert.match((await errorsOf(api.call('PATCH', a, { html: '{% include "b" %}' }))).html[0], /includes itself/);
      await api.create('snippet', { name: 'd0', html: 'x' });
      for (let n = 1; n <= 10; n++) await api.create('snippet', { name: `d${n}`, html: `{% include "d${n - 1}" %}` });
      assert.match(
        (await errorsOf(api.call('POST', '/rest/v1/snippet/', { name: 'd11', html: '{% include "d10" %}' }))).html[0],
        /10 deep/,
      );
      // Each includes the one before twice: what it comes to is bounded, too.
      await api.create('snippet', { name: 'e0', html: 'x'.repeat(10_000) });
      let last = 0;
      for (let n = 1; n <= 9; n++) {
        const answer = await api.call('POST', '/rest/v1/snippet/', { name: `e${n}`, html: `{% include "e${n - 1}" %}`.repeat(5) });
        if (answer.statusCode !== 201) break;
        last = n;
      }
      assert.ok(last < 9, 'the whole would have been 20 GB');
    });
  });

  describe('saved reports', () => {
    const report = (name: string, sql: string) => api.create('queryreport', { name, short_name: name, sql });

    it('show their value and their rows, read once, whoever gets the mail', async () => {
      await report('people', 'select count(*) from core_user');
      await report(
        'by_state',
        `select state, count(*) as n, '<b>' as markup from core_user where state <> {{ except }} group by 1 order by 1`,
      );
      const uri = await api.create('mailer', {
        ...READY,
        subjects: ['{% report "people" %} of us'],
        html: '<p>{% report "people" %}</p>{% report "by_state" with except="" as rows %}{% for row in rows %}<i>{{ row.state }} {{ row.n|add:1 }} {{ row.markup }}</i>{% endfor %}{% endreport %}',
      });
      for (const user of [1, 2]) {
        const mail = await mailTo(uri, user);
        assert.match(mail, /Subject: 2 of us\r\n/);
        assert.match(mail, /<p>2<\/p><i>CA 2 &lt;b&gt;<\/i><i>NY 2 &lt;b&gt;<\/i>/);
        assert.match(mail, /\r\n2\r\n/);
      }
    });

    it('that do not exist, or need what is not given, are refused by name', async () => {
      assert.match((await errorsOf(api.call('POST', '/rest/v1/mailer/', { ...READY, html: '{% report "nosuch" %}' }))).html[0], /“nosuch”/);
      assert.match(
        (await errorsOf(api.call('POST', '/rest/v1/mailer/', { ...READY, html: '{% report "by_state" %}' }))).html[0],
        /needs except/,
      );
      const values = '{% report "by_state" with except=user.state %}';
      assert.match((await errorsOf(api.call('POST', '/rest/v1/mailer/', { ...READY, html: values }))).html[0], /in quotes/);
    });

    it('read only what reports may read, and say why when they fail', async () => {
      await report('secrets', 'select password from auth_user');
      await report('late', 'select 1 / (count(*) - 2) from core_user');
      await report('long', 'select count(*) from generate_series(1, 10000000000)');
      for (const [name, message] of [
        ['secrets', /secrets cannot be shown/],
        ['late', /division by zero/],
        ['long', /takes longer than/],
      ] as const) {
        const uri = await api.create('mailer', { ...READY, html: `{% report "${name}" %}` });
        const { errors } = await readReportValues({ pool: api.pool, env: { ...api.env, STATEMENT_TIMEOUT_MS: 500 } }, idIn(uri));
        assert.equal(errors.length, 1);
        assert.match(errors[0]!, message);
      }
    });

    it('are shown only by who may run reports', async () => {
      const group = await api.create('authgroup', { name: 'writers', grants: ['mailer:write', 'mailer:read', 'snippet:write'] });
      await api.create('authuser', { username: 'writer', email: 'w@example.org', password: 'long-enough-password', groups: [group] });
      const authorization = basic({ username: 'writer', password: 'long-enough-password' });
      const body = { ...READY, html: '{% report "people" %}' };
      assert.equal((await api.call('POST', '/rest/v1/mailer/', READY, { authorization })).statusCode, 201);
      assert.match((await errorsOf(api.call('POST', '/rest/v1/mailer/', body, { authorization }), 403)).permission[0], /report:read/);
      // Written otherwise, or a tag in the text version only: what the compiler takes needs the grant.
      await api.create('snippet', { name: 'foot of all', html: '{% report "people" %}', text: 'x' });
      const others = [
        '{% report"people" %}',
        '{%- report"people" as rows -%}{% endreport %}',
        "{%report'people'%}",
        '{{# a note #}% report "people" %}',
        '{% report\n"people" %}',
        '{% with x="%}" %}{% report"people" %}{% endwith %}',
        '{% include "foot of all" %}&#123;% report "people" %}',
        '{% include "foot of all" %}{<b></b>% report "people" %}',
        '{% include "foot of all" %}{{ "}}&quot; }}{% report \'people\' %}" }}',
      ];
      for (const html of others) {
        const answer = await api.call('POST', '/rest/v1/mailer/', { ...READY, html }, { authorization });
        assert.equal(answer.statusCode, 403, `${html}: ${answer.body.slice(0, 300)}`);
      }
      const snippet = { name: 'sly', html: body.html };
      assert.equal((await api.call('POST', '/rest/v1/snippet/', { ...snippet, html: others[0] }, { authorization })).statusCode, 403);
      assert.equal((await api.call('POST', '/rest/v1/snippet/', snippet, { authorization })).statusCode, 403);
    });
  });

  it('is tracked as the mailing and the instance want it', async () => {
    const html = '<p><a href="https://a.example/">A</a></p>';
    const tracks = async (mailing: object, instance: object = {}) => {
      const uri = await api.create('mailer', { ...READY, html, ...mailing });
      const shown = await api.read(uri);
      const mail = await mailTo(uri, 1, instance);
      return [
        shown.track_opens,
        shown.track_clicks,
        mail.includes('/open/'),
        mail.includes('/click/'),
        mail.includes('https://a.example/'),
      ];
    };
    assert.deepEqual(await tracks({}), [true, true, true, true, false]);
    assert.deepEqual(await tracks({ track_opens: false }), [false, true, false, true, false]);
    assert.deepEqual(await tracks({ track_clicks: false }), [true, false, true, false, true]);
    assert.deepEqual(await tracks({}, { TRACK_OPENS: false, TRACK_CLICKS: false }), [true, true, false, false, true]);
    const uri = await api.create('mailer', { ...READY, track_opens: false, track_clicks: false });
    const copied = await api.call('POST', `${uri}copy/`, {});
    const copy = await api.read(String(copied.headers.location).slice(api.env.BASE_URL.length));
    assert.deepEqual([copy.track_opens, copy.track_clicks], [false, false]);
    assert.equal((await api.call('PATCH', uri, { track_opens: 'maybe' })).statusCode, 400);
  });
});
