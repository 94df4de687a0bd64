import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/mailer.md', root), 'utf8');

describe('the table of rules in docs/mailer.md', () => {
  const rows = [...page.matchAll(/^\| .* \| `(test\/.*?)`: (.*) \|$/gm)].map(([, file = '', title = '']) => ({ file, title }));

  it('names tests that there are', () => {
    assert.ok(rows.length > 40);
    const missing = rows.filter(({ file, title }) => !readFileSync(new URL(file, root), 'utf8').includes(`it('${title}'`));
    assert.deepEqual(missing, []);
  });
});
