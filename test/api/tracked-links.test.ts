import { deepEqual, equal, match } from 'node:assert/strict';
import { readContent } from '../../core/sending/content.ts';
import { trackContent } from '../../core/sending/freeze.ts';
import { akid } from '../../domain/akid.ts';
import { compileMailing } from '../../mail/compile.ts';
import type { Recipient } from '../../mail/contracts.ts';
import { readMail } from '../../mail/read-mail.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn, makeReady, READY } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';

describe('links of a mail that was sent', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  /** Its two versions, frozen as for sending. */
  async function sent(more: object, person: Partial<Recipient> = {}): Promise<{ id: number; html: string; text: string }> {
    const id = idIn(await api.create('mailer', { ...READY, ...more }));
    const client = await api.pool.connect();
    try {
      const content = await trackContent(client, await readContent(client, id, ''), api.env);
      const mail = compileMailing(content, { baseUrl: api.env.BASE_URL, mailDomain: 'x.test', secretKey: api.env.SECRET_KEY });
      const { message } = mail.render({ user_id: 1, position: 0, email: 'ann@example.org', ...person });
      const { html, text = '' } = await readMail(Buffer.from(message, 'latin1'));
      return { id, html: html || '', text };
    } finally {
      client.release();
    }
  }

  /** Where each leads by the redirect. */
  async function places(version: string): Promise<(string | undefined)[]> {
    const links = [...version.matchAll(/http:\/\/platform\.test(\/click\/[^\s"'<>)]*)/g)];
    const answers = await Promise.all(links.map(([, path]) => api.call('GET', path!, undefined, { authorization: '' })));
    return answers.map(({ headers }) => headers.location as string | undefined);
  }

  it('lead where they do untracked, however a sign is written in HTML', async () => {
    const { id, html, text } = await sent({
      html: `<a href="https://a.example/?a=1&#038;b=2">x</a> <a href='https://a.example/?a=1&#x26;b=3'>x</a>
        <a href="https://a.example/?q=&quot;caf&#233;&quot;">x</a> <a href="https://a.example/?a=1&amp;amp;b={{ akid }}">x</a>
        <a href="https://a.example/caf&eacute;">x</a>`,
    });
    deepEqual(await places(html), [
      'https://a.example/?a=1&b=2',
      'https://a.example/?a=1&b=3',
      'https://a.example/?q=%22caf%C3%A9%22',
      `https://a.example/?a=1&amp;b=${akid(api.env.SECRET_KEY, id, 1)}`,
    ]);
    deepEqual(await places(text), await places(html));
    // There are thousands of names; what has one that is not known is left to whoever reads the mail.
    equal(html.includes('href="https://a.example/caf&eacute;"'), true, html);
  });

  /** A line of a text template, the line that is to be read with each redirect followed, and how many there are. */
  const LINES: [template: string, read: string, tracked: number][] = [
    ['https://wiki.example/Mercury_(planet).', 'https://wiki.example/Mercury_(planet).', 1],
    ['(see https://wiki.example/Mercury_(planet), say)', '(see https://wiki.example/Mercury_(planet), say)', 1],
    ['Give [https://a.example/give]', 'Give [https://a.example/give]', 1],
    ['https://a.example/?ids[]=1&ids[]=2', 'https://a.example/?ids[]=1&ids[]=2', 1],
    ['Lisez «https://a.example/lire», “https://a.example/x”.', 'Lisez «https://a.example/lire», “https://a.example/x”.', 2],
    ["'https://a.example/x', https://a.example/o'neill", "'https://a.example/x', https://a.example/o'neill", 1],
    ['署名はhttps://a.example/xからお願いします。', '署名はhttps://a.example/xからお願いします。', 0],
    ['「https://a.example/x」 https://a.example/y。', '「https://a.example/x」 https://a.example/y。', 2],
    ['https://a.example/{id}/x', 'https://a.example/{id}/x', 0],
    ['https://a.example/x{# ours #}y https://a.example/z{# ours #}', 'https://a.example/xy https://a.example/z', 1],
    ['https://a.example/x{% if user.city %}?c={{ user.city }}{% endif %}', 'https://a.example/x?c=Bonn', 0],
    ['https://a.example/x?{% if user.city %}c={{ user.city }}{% endif %}', 'https://a.example/x?c=Bonn', 0],
    ['{% if user.city %}https://a.example{% else %}https://b.example{% endif %}/x', 'https://a.example/x', 0],
    [
      '{% if user.city %}https://a.example{% elif akid %}{% if akid %}x{% endif %}{% else %}https://b.example{% endif %}.',
      'https://a.example.',
      1,
    ],
    [
      '{% for x in akid %}https://a.example{% empty %}none{% endfor %} {% with x=akid %}https://b.example{% endwith %}',
      'https://a.example https://b.example',
      2,
    ],
    ['https://a.example/{% include "nothing" %}', 'https://a.example/', 0],
  ];

  it('are whole in a text, and lead where they do untracked; where one ends that cannot be told is left alone', async () => {
    await api.create('snippet', { name: 'nothing', html: '', text: '' });
    const { text } = await sent({ text: LINES.map(([template]) => template).join('\n') }, { city: 'Bonn' });
    const links = text.match(/http:\/\/platform\.test\/click\/[^/]*\/\d+(?![\w([{?/=&#-])/g) ?? [];
    const lead = await places(links.join(' '));
    let read = text;
    for (const [n, link] of links.entries()) read = read.replace(link, lead[n]!);
    const lines = read.split('\n');
    deepEqual(
      LINES.map((_, n) => lines[n]),
      LINES.map(([, expected]) => expected),
    );
    deepEqual(
      LINES.map((_, n) => text.split('\n')[n]!.split('/click/').length - 1),
      LINES.map(([, , tracked]) => tracked),
    );
  });

  it('may begin with a blank or a line of their own in HTML, as what is pasted does', async () => {
    const urls = ['https://a.example/blank', 'https://a.example/line', 'https://a.example/none'];
    const { html, text } = await sent({
      html: `<a href=" ${urls[0]} ">x</a> <a href='\n\t${urls[1]}\n'>x</a> <a href="${urls[2]}">x</a>`,
    });
    deepEqual(await places(html), urls);
    deepEqual(await places(text), urls);
  });

  it('may be that to leave by, made by hand: no other is added then, as in its proofs', async () => {
    const link = 'https://act.example/unsubscribe?akid={{ akid }}';
    for (const more of [{}, { text: `Leave: ${link}` }]) {
      const { id, html, text } = await sent({ html: `<p>Hi, <a href="${link}">leave</a></p>`, ...more });
      for (const version of [html, text]) {
        deepEqual(await places(version), [`https://act.example/unsubscribe?akid=${akid(api.env.SECRET_KEY, id, 1)}`]);
        equal(version.includes('/unsubscribe/'), false, version);
      }
    }
    const { html, text } = await sent({ html: `<p>Hi, <a href="${link}">leave</a></p>`, text: 'Hi' });
    deepEqual(
      [html, text].map((version) => version.includes('/unsubscribe/')),
      [false, true],
    );
  });

  it('are counted also where they hold what is the mailing’s own, its id and its custom fields', async () => {
    const url =
      'https://a.example/?utm_id={{ mailing.id }}&amp;utm={{ mailing_fields.utm }}-{{mailing.custom_fields.utm}}&amp;akid={{ akid }}';
    const fields = { utm: 'spring', two: 'spring gala' };
    const { id, html, text } = await sent({ fields, html: `<a href="${url}">x</a>`, text: url.replaceAll('&amp;', '&') });
    const place = `https://a.example/?utm_id=${id}&utm=spring-spring&akid=${akid(api.env.SECRET_KEY, id, 1)}`;
    deepEqual([await places(html), await places(text)], [[place], [place]]);
    // What is made of it, what is no part of an address, and what goes by that name for a while is left to the template.
    for (const [href, read] of [
      ['https://a.example/{{ mailing_fields.two }}', 'https://a.example/spring gala'],
      ['https://a.example/{{ mailing_fields.utm|upper }}', 'https://a.example/SPRING'],
      ['https://a.example/{{ mailing_fields.none }}', 'https://a.example/'],
    ])
      equal((await sent({ fields, html: `<a href="${href}">x</a>` })).html.includes(`<a href="${read}">x</a>`), true, href);
    const renamed = '{% with mailing_fields=user.fields %}<a href="https://a.example/{{ mailing_fields.utm }}">x</a>{% endwith %}';
    const theirs = await sent({ fields, html: renamed }, { fields: { utm: 'theirs' } });
    equal(theirs.html.includes('<a href="https://a.example/theirs">x</a>'), true, theirs.html);
  });

  it('come with one pixel in each document of a choice', async () => {
    const html = '{% if user.city %}<html><body>A</body></html>{% else %}<html><body>B</body></html>{% endif %}';
    for (const city of ['Bonn', ''])
      equal((await sent({ html }, { city })).html.match(/\/open\/[^>]*><p [^>]*><a [^>]*>Unsubscribe<\/a><\/p><\/body>/g)?.length, 1);
  });

  it('may be put together with a snippet that is the beginning of many', async () => {
    await api.create('snippet', { name: 'site', html: 'https://site.example/', text: 'https://site.example/' });
    const { html, text } = await sent({ html: '<p><a href="{% include "site" %}give">Give</a></p>' });
    equal(html.includes('href="https://site.example/give"'), true, html);
    equal(text.startsWith('Give (https://site.example/give)'), true, text);
  });

  describe('where templates are too long once links are tracked', () => {
    const links = (many: number) => Array.from({ length: many }, (_, n) => `<a href="https://example.org/${n}">x</a>`).join('');
    const long = { html: links(5100), text: 'Hello' };
    const said = (answer: { statusCode: number; body: string }, field: string) => {
      equal(answer.statusCode, 400, answer.body);
      const errors = Object.values(JSON.parse(answer.body))[0] as Record<string, string[]>;
      equal(Object.keys(errors)[0], field);
      match(errors[field]![0]!, /^Once its links are tracked: .*5000 tags.* track_clicks false/);
    };
    before(async () => {
      const list = idIn(await api.create('list', { name: 'News' }));
      await insertPeople(api.pool, [{ id: 1, email: 'one@example.org', lists: [list] }]);
    });

    it('a mailing is not queued, and dies not at its time', async () => {
      const uri = await makeReady(api, { ...long, scheduled_for: '2099-01-01T00:00:00' });
      said(await api.call('POST', `${uri}queue/`), 'html');
      equal((await api.read(uri)).status, 'draft');
      equal((await api.call('PATCH', uri, { track_clicks: false })).statusCode, 202);
      equal((await api.call('POST', `${uri}queue/`)).statusCode, 201);
      said(await api.call('PATCH', uri, { track_clicks: true }), 'html');
    });

    it('one that waits does not become so', async () => {
      const uri = await makeReady(api, { scheduled_for: '2099-01-01T00:00:00' });
      equal((await api.call('POST', `${uri}queue/`)).statusCode, 201);
      said(await api.call('PATCH', uri, long), 'html');
    });

    it('one does not begin to recur', async () => {
      const mailing = await makeReady(api, long);
      said(await api.call('POST', '/rest/v1/recurringschedule/', { mailing }), 'html');
    });
  });
});
