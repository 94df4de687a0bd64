import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Rows of one table are made alike: of a long one the first dozen is looked at. */
const LOOKED_AT = { exclude: ['tbody > tr:nth-child(n + 13)'] };

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  passes: unknown[];
  violations: { id: string; nodes: { html: string }[] }[];
}

/** What axe finds on a page, one line each. @param rule this alone, such as what differs between light and dark */
export async function findings(page: Page, rule?: 'color-contrast'): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(SOURCE);
  // Of what is in order the rules alone are wanted: to name each element of it costs most.
  const options = { resultTypes: ['violations'], ...(rule && { runOnly: [rule] }) };
  const { passes, violations } = await page.evaluate<AxeResult>(`axe.run(${JSON.stringify(LOOKED_AT)}, ${JSON.stringify(options)})`);
  assert.ok(passes.length > (rule ? 0 : 5), 'axe has looked');
  return violations.map(
    ({ id, nodes }) => `${new URL(page.url()).pathname}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}
