import { NAMED_GRANTS } from '../../api/accounts/resources.ts';
import type { Resource } from '../../api/resource/registry.ts';
import { line, type Problems } from '../fields.ts';
import { type Html, html } from '../html.ts';

const KINDS = ['read', 'write', 'delete'] as const;

/** None but what was typed there can be wrong. */
const OTHERS = html`Grants of routes that stand above under no name, as in the <a href="/docs/">API</a>.`;

const NAMED_WORDS: Record<(typeof NAMED_GRANTS)[number], string> = {
  'mailer:send': 'Send, stop and schedule mailings, and send proofs',
  'report:sql': 'Run SQL in reports and audiences',
  'user:merge': 'Merge people',
  'user:erase': 'Erase people',
  'donation:manage': 'Push, reverse and cancel donations',
};

/** Every grant there is as a box to tick, by what it is about. What a group has beyond those stands below, and stays. */
export function grantBoxes(resources: readonly Resource[], grants: readonly string[], problems: Problems): Html {
  const areas = Map.groupBy(resources, ({ declaration }) => declaration.area);
  const seen = new Set<string>();
  const box = (grant: string, label: Html | string) =>
    html`<label><input type="checkbox" name="grants" value="${grant}"${grants.includes(grant) ? html` checked` : ''}> ${label}</label>`;
  const parts = [...areas].map(([area, all]) => {
    const names = [...new Set(all.map(({ permission }) => permission))].filter((name) => seen.size < seen.add(name).size).sort();
    if (names.length === 0) return '';
    const open = names.some((name) => grants.some((grant) => grant.startsWith(`${name}:`)));
    return html`<details${open ? html` open` : ''}><summary>${area}</summary><div class="scroll" tabindex="0" role="group" aria-label="${area}"><table><thead><tr><th scope="col">About</th>${KINDS.map((kind) => html`<th scope="col">${kind}</th>`)}</tr></thead><tbody>${names.map(
      (name) =>
        html`<tr><th scope="row">${name}</th>${KINDS.map((kind) => html`<td>${box(`${name}:${kind}`, html`<span class="unseen">${name}: ${kind}</span>`)}</td>`)}</tr>`,
    )}</tbody></table></div></details>`;
  });
  const known = new Set(['*', ...NAMED_GRANTS, ...[...seen].flatMap((name) => KINDS.map((kind) => `${name}:${kind}`))]);
  const others = grants.filter((grant) => !known.has(grant));
  return html`<div class="boxes">${box('*', 'Everything but accounts and groups')}${NAMED_GRANTS.map((grant) => box(grant, NAMED_WORDS[grant]))}</div>${parts}
${line({ name: 'others', label: 'Others', value: others.join(' '), field: 'grants', hint: OTHERS }, problems)}`;
}
