import { deepEqual, equal, ok } from 'node:assert/strict';
import { bodiesOf, bodyBegins } from '../../domain/body-tags.ts';
import { processorMs } from '../support/processor-time.ts';

describe('the body of a document', () => {
  it('is the one that everybody sees, and none in a comment', () => {
    for (const [before, after] of [
      ['<BODY class="x">', '</BODY></html>'],
      ['<body {% if orders > 3 %}class="a > b"{% endif %} data-x=">">', '</body>'],
      ['<!--[if mso]><body class="mso"><![endif]--><!--[if !mso]><!--><body><!--<![endif]-->', '</body>'],
      ['<!-- <body> --><!--><body>', '</body><!--[if mso]></body><![endif]-->'],
      ['<p>--></p><!-- open <body>', '</body>'],
      ['', ''],
    ] as const) {
      const document = `${before}Dear${after}`;
      const from = before.endsWith('<![endif]-->') ? before.indexOf('<!--<!') : before.length;
      equal(bodyBegins(document), from, document);
      deepEqual(bodiesOf(document), { begins: [from], ends: [before.length + 'Dear'.length] }, document);
    }
  });

  it('is found in time in proportion to the length of the document', () => {
    for (const piece of ['<!--', '<!-->', '<body', '</body>', '-->'])
      ok(processorMs(() => [bodyBegins(piece.repeat(200_000)), bodiesOf(piece.repeat(200_000))]) < 3000, piece);
    for (const piece of [
      '</body>',
      '<body></body>{% else %}',
      '</body >{%',
      '{{ <body x=" }}></body>{% else %}',
      '<body {{ x="></body>{% else %}',
    ])
      ok(processorMs(() => bodiesOf(piece.repeat(100_000))) < 3000, piece);
  });
});
