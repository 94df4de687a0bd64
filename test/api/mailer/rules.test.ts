import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mailer } from '../../../api/mailer/mailing.ts';
import { TARGETING_SCHEMA } from '../../../api/mailer/targeting-schema.ts';
import { INPUT_FIELDS } from '../../../core/mailings/input/fields.ts';

const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/mailer.md', root), 'utf8');

describe('the table of rules in docs/mailer.md', () => {
  const rows = [...page.matchAll(/^\| .* \| `(test\/.*?)`: (.*) \|$/gm)].map(([, file = '', title = '']) => ({ file, title }));

  it('names tests that there are', () => {
    assert.ok(rows.length > 40);
    const missing = rows.filter(({ file, title }) => !readFileSync(new URL(file, root), 'utf8').includes(`it('${title}'`));
    assert.deepEqual(missing, []);
  });

  it('has every field of a mailing and of its targeting', () => {
    const [, table = ''] = page.split('## Every field and its test');
    const named = new Set([...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, names]) => names!.split(', ').map((name) => name.trim())));
    const fields = [...Object.keys(INPUT_FIELDS), ...Object.keys(mailer.fields ?? {}), ...Object.keys(TARGETING_SCHEMA.properties)];
    // Another spelling of expected_sent_count.
    assert.deepEqual(
      fields.filter((name) => name !== 'expected_send_count' && !named.has(name)),
      [],
    );
  });
});
