import type { FastifyRequest } from 'fastify';
import { can } from '../../api/route-options.ts';
import { nameChosen, readChoices } from '../../core/mailings/choices.ts';
import type { Sql } from '../../db/sql.ts';
import { choice, invalid, type Problems } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { NEEDS, type OfMailing } from './audience-fields.ts';
import type { Filled } from './sent-audience.ts';

/**
 * What the mailing's own page and file ask of everybody who gets it.
 * @returns the part, and the fields there are in it
 */
export async function narrowingPart(
  sql: Sql,
  request: FastifyRequest,
  filled: Filled,
  problems: Problems,
): Promise<{ content: Html; fields: OfMailing[] }> {
  const picks = filled.target_mergefile === true;
  // Picking the people of a file out takes what naming people takes; what is there may stay, or go.
  const mayPick = can(request, NEEDS.users);
  const files = can(request, NEEDS.mergefile) && (mayPick || !picks) ? await mergefiles(sql, filled.mergefile) : [];
  const withFile = picks || (mayPick && (files.length > 0 || Boolean(filled.mergefile)));
  const fields: OfMailing[] = [
    'target_group_from_landing_page',
    ...(withFile ? (['target_mergefile'] as const) : []),
    ...(files.length ? (['mergefile'] as const) : []),
  ];
  const file = { name: 'mergefile', label: 'Merge file', none: 'none', value: String(filled.mergefile ?? ''), choices: files };
  const content = html`<div class="card"><h2>Only those</h2>
${yes('target_group_from_landing_page', 'who are represented by a target of the landing page', filled, problems)}
${withFile ? yes('target_mergefile', 'who are in the merge file of the mailing', filled, problems) : ''}
${files.length ? choice(file, problems) : ''}</div>`;
  return { content, fields };
}

async function mergefiles(sql: Sql, chosen: unknown) {
  const offered = await readChoices(sql, 'mergefiles');
  const id = Number(chosen ?? '');
  const isThere = !Number.isSafeInteger(id) || id <= 0 || id > 2 ** 31 - 1 || offered.some((each) => each.id === id);
  return isThere ? offered : [...offered, ...(await nameChosen(sql, 'mergefiles', [id]))];
}

function yes(name: 'target_group_from_landing_page' | 'target_mergefile', label: string, filled: Filled, problems: Problems): Html {
  const wrong = problems[name] ?? [];
  const said = wrong.length ? invalid(`${name}-hint`) : '';
  return html`<div class="field"><label><input type="checkbox" name="${name}" value="yes"${filled[name] === true ? html` checked` : ''}${said}> ${label}</label>
${wrong.length ? html`<p class="small" id="${name}-hint">${wrong.map((each) => html`<strong class="wrong">${each}</strong> `)}</p>` : ''}</div>`;
}
