import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
/** What workers count over all mailings together. */
const OF_ALL_MAILINGS = /campaign_mails_total|campaign_window_mails|campaign_ledger_commit_seconds/;

describe('alerts', () => {
  it('about an activity name one that there is', () => {
    const [text, ...sources] = ['monitoring/alerts.yaml', ...globSync('activities/**/*.ts', { cwd: ROOT })].map((path) =>
      readFileSync(join(ROOT, path), 'utf8'),
    );
    const named = [...text!.matchAll(/activity_type="(\w+)"/g)].map(([, name]) => name!);
    assert.ok(named.length > 0);
    for (const name of named) assert.match(sources.join(), new RegExp(`\\n    (async )?${name}(\\(|: )`), name);
  });

  it('about one mailing are not silenced by what is sent of another', () => {
    const { groups } = parse(readFileSync(join(ROOT, 'monitoring/alerts.yaml'), 'utf8'));
    const rules: { alert: string; expr: string }[] = groups.flatMap(({ rules }: { rules: object[] }) => rules);
    const ofOne = rules.filter(({ expr }) => expr.includes('by (mailing_id)'));
    assert.ok(ofOne.length > 2);
    assert.deepEqual(
      ofOne.filter(({ expr }) => OF_ALL_MAILINGS.test(expr)).map(({ alert }) => alert),
      [],
    );
  });
});
