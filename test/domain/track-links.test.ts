import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { addOpenPixel, clickTarget, isMachine, Links, trackHtmlLinks, trackTextLinks } from '../../domain/track-links.ts';
import { processorMs } from '../support/processor-time.ts';

const BASE = 'https://act.example';

describe('tracked links', () => {
  it('are numbered, the same one once, entities undone', () => {
    const links = new Links();
    const html = `<a class="x" href="https://a.example/?a=1&amp;b=2">A</a> <A HREF='http://b.example'>B</A> <a href="https://a.example/?a=1&b=2">again</a>`;
    equal(
      trackHtmlLinks(html, BASE, links),
      `<a class="x" href="${BASE}/click/{{ akid }}/0">A</a> <A HREF='${BASE}/click/{{ akid }}/1'>B</A> <a href="${BASE}/click/{{ akid }}/0">again</a>`,
    );
    deepEqual(links.urls, ['https://a.example/?a=1&b=2', 'http://b.example']);
  });

  it('are found also where tags of templates choose between them, or stand before them', () => {
    const links = new Links();
    const html = (a: string, b: string, c: string, d: string, e: string) =>
      `<a {% if user.city == "A>B" %}href="${a}"{% elif orders > 3 %} href="${b}"{% else %}href='${c}'{% endif %} class="x">A</a>` +
      `<a {% if total > 3 %}class="big"{% endif %}href="${d}">B</a><a href="${e}" data-of="x">C</a>`;
    const urls = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.example/`) as [string, string, string, string, string];
    const numbered = urls.map((_, number) => `${BASE}/click/{{ akid }}/${number}`) as typeof urls;
    equal(trackHtmlLinks(html(...urls), BASE, links), html(...numbered));
    deepEqual(links.urls, urls);
  });

  it('are found behind a `>` in quotes, and with one, or other quotes, in them', () => {
    const links = new Links();
    const html = (a: string, b: string, c: string, d: string) =>
      `<a title="a > b" href="${a}">A</a><a title='{{ x|default:'a' }} > "b' href = "${b}" data-x=">">B</a>` +
      `<a {% if x > 3 %}data-x="x > 3"{% else %}data-x='>'{% endif %}href='${c}'>C</a><a class=x?a='>it’s C</a> isn't <a href="${d}">D</a>`;
    const urls = ['https://a.example/', "https://b.example/O'Brien?a>b", 'https://c.example/"', 'https://d.example/'] as const;
    const numbered = urls.map((_, number) => `${BASE}/click/{{ akid }}/${number}`) as unknown as typeof urls;
    equal(trackHtmlLinks(html(...urls), BASE, links), html(...numbered));
    deepEqual(links.urls, urls);
  });

  it('are no attributes of other names, nor what stands in them, or behind the tag', () => {
    const html = `<a data-href="https://a.example" title="> href='https://c.example'" {{ x }}>href="https://b.example"</a>`;
    equal(trackHtmlLinks(html, BASE, new Links()), html);
  });

  it('are found in one walk, however much is opened and never closed', () => {
    for (const opened of [
      '<a {{ ',
      '<a {% ',
      '<a {{ }} ',
      '{{ <a > ',
      '<a href="http://',
      '<a x="',
      '{{ <a x=" }}>',
      '<a =',
      '<a href ',
      '<a x=a',
    ].map((each) => each.repeat(50_000)))
      ok(processorMs(() => trackHtmlLinks(opened, BASE, new Links())) < 3000, opened.slice(0, 20));
  });

  it('leave alone what differs from mail to mail, and what is no web address', () => {
    const html = `<a href="{{ unsubscribe_link }}">x</a><a href="https://a.example/{{ user.city }}">y</a><a href="mailto:a@b.example">z</a><link href="https://c.example/x.css">`;
    const links = new Links();
    equal(trackHtmlLinks(html, BASE, links), html);
    deepEqual(links.urls, []);
  });

  it('are found in text, without the full stop behind them', () => {
    const links = new Links();
    equal(
      trackTextLinks('See https://a.example/x. Or (https://b.example).', BASE, links),
      `See ${BASE}/click/{{ akid }}/0. Or (${BASE}/click/{{ akid }}/1).`,
    );
    deepEqual(links.urls, ['https://a.example/x', 'https://b.example']);
  });

  it('are found whole in text, the akid in them too; those that differ otherwise are left alone', () => {
    const links = new Links();
    equal(
      trackTextLinks(
        'Sign: https://a.example/?akid={{ akid }}, or {{ name }} https://b.example/{{ user.city }}/x. {% if a %}https://c.example{% endif %}',
        BASE,
        links,
      ),
      `Sign: ${BASE}/click/{{ akid }}/0, or {{ name }} https://b.example/{{ user.city }}/x. {% if a %}${BASE}/click/{{ akid }}/1{% endif %}`,
    );
    deepEqual(links.urls, ['https://a.example/?akid={{ akid }}', 'https://c.example']);
  });

  it('are found in text in one walk, however many branches lead to however much behind them', () => {
    for (const behind of ['{##}', '{% endfor %}', '.']) {
      const text = `{% if a %}${'https://a.example{% elif b %}'.repeat(5000)}{% endif %}${behind.repeat(50_000)}`;
      ok(processorMs(() => trackTextLinks(text, BASE, new Links())) < 3000, behind);
    }
  });

  it('lead to the link with the clicker’s akid in its place, and give it to pages of our own', () => {
    equal(clickTarget('https://a.example/?who={{ akid }}', '1.2.abcdef', BASE), 'https://a.example/?who=1.2.abcdef');
    equal(clickTarget('https://a.example/', '1.2.abcdef', BASE), 'https://a.example/');
    equal(clickTarget(`${BASE}/act/x?y=1#form`, '1.2.abcdef', BASE), `${BASE}/act/x?y=1&akid=1.2.abcdef#form`);
    equal(clickTarget(`${BASE}.evil.example/`, '1.2.abcdef', BASE), `${BASE}.evil.example/`);
  });

  it('come with a pixel at the end of the body', () => {
    // Capitals that are longer in lower case, of which Turkish has one.
    match(addOpenPixel('<body><p>İzmir, İstanbul</p></BODY></html>', BASE), /İstanbul<\/p><img [^<>]*><\/BODY><\/html>$/);
    const html = addOpenPixel('<body><p>x</p></BODY></html>', BASE);
    equal(html.includes(`/open/{{ akid }}.gif`) && html.endsWith('</BODY></html>'), true);
  });

  it('know a program when they see one', () => {
    equal(isMachine('GET', 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15'), false);
    equal(isMachine('HEAD', 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0)'), true);
    equal(isMachine('GET', 'Mozilla/5.0'), true);
    equal(isMachine('GET', undefined), true);
    equal(isMachine('GET', 'Some-Bot/1.0 (+https://bot.example)'), true);
  });
});
