import { equal, ok } from 'node:assert/strict';
import { bodyBegins, endOfBody } from '../../domain/body-tags.ts';
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
      equal(endOfBody(document), before.length + 'Dear'.length, document);
    }
  });

  it('is found in time in proportion to the length of the document', () => {
    for (const piece of ['<!--', '<!-->', '<body', '</body>', '-->'])
      ok(processorMs(() => bodyBegins(piece.repeat(200_000)) + endOfBody(piece.repeat(200_000))) < 1000, piece);
  });
});
