import { deepEqual, equal, ok } from 'node:assert/strict';
import { bodiesOf, bodyBegins } from '../../domain/body-tags.ts';
import { processorMs } from '../support/processor-time.ts';

describe('the body of a document', () => {
  it('is the one that everybody sees, and none in a comment', () => {
    for (const [before, after] of [
      ['<BODY class="x">', '</BODY></html>'],
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
      ok(processorMs(() => [bodyBegins(piece.repeat(200_000)), bodiesOf(piece.repeat(200_000))]) < 1000, piece);
    for (const piece of ['</body>', '<body></body>{% else %}', '</body >{%'])
      ok(processorMs(() => bodiesOf(piece.repeat(100_000))) < 1000, piece);
  });
});
