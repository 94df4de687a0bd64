import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { idOf } from '../../api/resource/routes.ts';
import { findCount, listCounts, type TargetTotals, targetTotals } from '../../core/whipcounts/totals.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { STANCES } from '../../domain/words.ts';
import { csvLink, sendCsv } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { count, counted, leading } from '../numbers.ts';
import { pageOf, readBefore } from '../older.ts';
import { toldApart } from '../told-apart.ts';

/** `/console/whipcounts/` and `…/{page}/`: what callers reported, by target. */
export function registerWhipcountPages(app: FastifyInstance, context: ApiContext): void {
  const reads = page('whipcountactioncalled:read');

  app.get('/console/whipcounts/', reads, async (request, reply) => {
    const which = readBefore(request);
    const counts = pageOf(await listCounts(context.longReads.of(request), which), '/console/whipcounts/', ({ id }) => id);
    const called = toldApart(counts.rows);
    const rows = counts.rows.map(
      (each) =>
        html`<tr><th scope="row"><a href="/console/whipcounts/${each.id}/">${called(each)}</a></th><td class="n">${count(each.calls)}</td><td class="n">${count(each.callers)}</td><td class="n">${count(each.targets)}</td></tr>`,
    );
    const content = html`<h1 id="counts-title">Whip counts</h1>${
      rows.length
        ? html`<div class="card scroll" tabindex="0" role="group" aria-labelledby="counts-title"><table><thead><tr><th scope="col">Page</th><th scope="col" class="n">Calls</th><th scope="col" class="n">Callers</th><th scope="col" class="n">Targets called</th></tr></thead><tbody>${rows}</tbody></table></div>${counts.link}`
        : which.before !== null
          ? html`<p class="none">There are no older ones.</p>`
          : html`<p class="none">There is no whip count yet. It is made over the <a href="/docs/">API</a>: <code>POST /rest/v1/whipcountpage/</code>.</p>`
    }`;
    return sendPage(request, reply, context.env, { title: 'Whip counts', content });
  });

  app.get('/console/whipcounts/:id/', reads, async (request, reply) => {
    const id = idOf(request);
    const { found, totals } = await read(id, context.longReads.of(request));
    const title = found.title || found.name;
    // An administrator may have spoken of others.
    const called = totals.filter((target) => target.calls > 0).length;
    const about = `about ${counted(called, 'target', 'targets')}`;
    const calls = totals.reduce((sum, target) => sum + target.calls, 0);
    const content = html`<p class="crumb"><a href="/console/whipcounts/">Whip counts</a> / ${id}</p><h1>${title}</h1>
${leading(calls, `call reported, ${about}`, `calls reported, ${about}`)}
${totals.length ? html`${stancesPart(totals)}${targetsPart(totals)}${csvLink(`/console/whipcounts/${id}/targets.csv`, 'totals by target')}` : html`<p class="none">Nobody has reported a call yet.</p>`}`;
    return sendPage(request, reply, context.env, { title: `${title} – whip count ${id}`, content });
  });

  app.get('/console/whipcounts/:id/targets.csv', reads, async (request, reply) => {
    const id = idOf(request);
    const { totals } = await read(id, context.longReads.of(request));
    const names = ['id', 'name', 'party', 'state', 'seat', 'calls', ...STANCES, 'other', 'stance'] as const;
    return sendCsv(
      reply,
      `whipcount-${id}`,
      names,
      totals.map((target) => names.map((name) => target[name])),
    );
  });

  async function read(id: number, sql: ReturnType<typeof context.longReads.of>) {
    const found = await findCount(sqlOn(context.pool), id);
    if (!found) throw new NotFoundError();
    return { found, totals: await targetTotals(sql, id) };
  }
}

/** Letters of a stance in a caller's own words, which may be thousands; the file has all of them. */
const LONGEST = 60;
const clipped = (words: string): string => {
  // No further than it may matter: a letter is of two at most.
  const letters = [...words.slice(0, 2 * LONGEST + 2)];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : words;
};

/** Of stances in callers' own words, those of most targets are counted by themselves. */
const MOST_WORDS = 10;

/** How many stand where. */
function stancesPart(totals: TargetTotals[]): Html {
  const standing = new Map<string | null, number>(STANCES.map((stance) => [stance, 0]));
  for (const { stance } of totals) standing.set(stance, (standing.get(stance) ?? 0) + 1);
  const own = [...standing].filter(([stance]) => stance !== null && !STANCES.some((each) => each === stance));
  const most = own.sort(([, one], [, other]) => other - one).slice(0, MOST_WORDS);
  const cards = [
    ...STANCES.map((stance) => [stance, standing.get(stance)!] as const),
    ...most.map(([stance, many]) => [clipped(stance!), many] as const),
    ['in other words', own.slice(MOST_WORDS).reduce((sum, [, many]) => sum + many, 0)] as const,
    ['not known yet', standing.get(null) ?? 0] as const,
  ].filter(([, many]) => many > 0);
  return html`<dl class="totals">${cards.map(([word, many]) => html`<div><dt>${word}</dt><dd>${count(many)}<small>${many === 1 ? 'target' : 'targets'}</small></dd></div>`)}</dl>`;
}

function targetsPart(totals: TargetTotals[]): Html {
  const row = (target: TargetTotals) =>
    html`<tr><th scope="row">${target.name || `Target ${target.id}`}</th><td>${target.seat || target.state}</td><td>${target.party}</td><td>${target.stance === null ? html`<small>not known yet</small>` : clipped(target.stance)}${target.overridden ? html` <small>by word of an administrator</small>` : ''}</td><td class="n">${count(target.calls)}</td>${[...STANCES, 'other' as const].map((stance) => html`<td class="n">${count(target[stance])}</td>`)}</tr>`;
  return html`<section class="card" aria-labelledby="targets-title"><h2 id="targets-title">By target</h2><p class="small">One report of each caller counts, the last. A stance is known when as many callers as the page asks for agree.</p>
<div class="scroll" tabindex="0" role="group" aria-labelledby="targets-title"><table><thead><tr><th scope="col">Target</th><th scope="col">Seat</th><th scope="col">Party</th><th scope="col">Stance</th><th scope="col" class="n">Calls</th>${[...STANCES, 'other'].map((stance) => html`<th scope="col" class="n">${stance}</th>`)}</tr></thead><tbody>${totals.map(row)}</tbody></table></div></section>`;
}
