import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Moment, mailingNames, Needs } from '../../mail/variables.ts';
import { RenderError } from '../../template/errors.ts';
import { FILTERS } from '../../template/filters.ts';
import { htmlText } from '../../template/output.ts';
import { TAGS } from '../../template/tags.ts';
import { compileTemplate, renderText } from '../../template/template.ts';

const page = readFileSync(new URL('../../docs/templates.md', import.meta.url), 'utf8');
const values = JSON.parse(/```json\n(.*?)```/s.exec(page)![1]!);

const names = mailingNames({ mailingId: values.mailing.id, fields: {} }, () => '.12.token', new Needs());
const moment: Moment = {
  recipient: { user_id: 12, position: 0, ...values.user },
  akid: values.akid,
  unsubscribeLink: '',
  subject: '',
  variant: 0,
  now: new Date(`${values.now}Z`),
  hasFooter: false,
  hasLink: false,
};
const snippet = (name: string) => (name === 'greeting' ? 'Hello {{ name }}' : null);
const report = (name: string, { days }: Readonly<Record<string, unknown>>) =>
  name === 'signatures'
    ? [{ total: 1204 }]
    : days === 7
      ? [
          { city: 'Boston', total: 12 },
          { city: 'Bern', total: 3 },
        ]
      : [];

describe('docs/templates.md', () => {
  const examples = [...page.matchAll(/^- (.*?): ?`(.*?)` → (?:`(.*)`|\*(.*)\*)$|^- `(.*?)` → (?:`(.*)`|\*(.*)\*)$/gm)].map((found) => ({
    source: found[2] ?? found[5]!,
    gives: found[3] ?? found[6],
    fails: found[4] ?? found[7],
  }));

  it('has an example in each list item', () => {
    const items = page.split('\n').filter((line) => line.startsWith('- ') && line.includes('→'));
    assert.equal(examples.length, items.length);
    assert.ok(examples.length > 60);
  });

  for (const { source, gives, fails } of examples) {
    it(`${source} gives ${gives ?? fails}`, () => {
      const render = () => renderText(compileTemplate(source, { names, output: htmlText, snippet, report }), moment);
      if (fails !== undefined) assert.throws(render, new RenderError(fails));
      else assert.equal(render(), gives);
    });
  }

  it('names every filter and every tag', () => {
    for (const name of [...FILTERS.keys(), ...TAGS.keys()]) assert.ok(page.includes(`- \`${name}\``), name);
  });
});
