import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface AxeResult {
  passes: unknown[];
  violations: { id: string; nodes: { html: string }[] }[];
}

/** What axe finds on a page, one line each. @param rule this alone, such as what differs between light and dark */
export async function findings(page: Page, rule?: 'color-contrast'): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { passes, violations } = await page.evaluate<AxeResult>(`axe.run(${rule ? JSON.stringify({ runOnly: [rule] }) : ''})`);
  assert.ok(passes.length > (rule ? 0 : 5), 'axe has looked');
  return violations.map(
    ({ id, nodes }) => `${new URL(page.url()).pathname}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}
