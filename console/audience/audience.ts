import type { Audience } from '../../core/targeting/explain-audience.ts';
import { modifierErrors } from '../../domain/targeting/change.ts';
import type { MatchField } from '../../domain/targeting/compile.ts';
import { describeClause, type ShownTargeting } from '../../domain/targeting/explain.ts';
import { MODIFIES, type RawSql, type TargetingField } from '../../domain/targeting/fields.ts';
import { type Html, html } from '../html.ts';
import type { MailingDocument } from '../mailings/mailing-document.ts';
import { setWords } from '../mailings/status-words.ts';
import { count, duration, leading, people, share, time } from '../numbers.ts';
import { messagesIn } from '../plain-words.ts';

// Whom a mailing is for, in sentences.

/** A side of the targeting as the API shows it, one sentence part for each field, to stand after "who". */
function conditions(side: ShownTargeting): Html[] {
  const fields = (Object.keys(side) as TargetingField[]).filter((field): field is MatchField => !(field in MODIFIES));
  return fields.map((field) => {
    const sql =
      field === 'raw_sql'
        ? html`<pre tabindex="0">${(side.raw_sql as RawSql[]).map((raw) => (typeof raw === 'string' ? raw : raw.sql)).join(';\n')}</pre>`
        : '';
    return html`<li>${describeClause(field, side)}${sql}</li>`;
  });
}

/** What says whom a mailing is for. */
export type Described = Pick<
  MailingDocument,
  'includes' | 'excludes' | 'limit' | 'sort_by' | 'target_mergefile' | 'target_group_from_landing_page'
>;

/** Whom the mailing goes to, in words. */
export function audienceWords(mailing: Described): Html {
  const wanted = conditions(mailing.includes);
  const unwanted = conditions(mailing.excludes);
  if (mailing.target_mergefile) wanted.push(html`<li>is in the merge file</li>`);
  if (mailing.target_group_from_landing_page) wanted.push(html`<li>is represented by a target of the landing page</li>`);
  const { limit, sort_by } = mailing;
  const order = sort_by === 'random' ? ', picked at random' : sort_by === 'zip' ? ', in the order of their zips' : '';
  return html`${
    wanted.length
      ? html`<p>Everybody subscribed who</p><ul class="conditions all">${wanted}</ul>`
      : html`<p>Everybody subscribed to at least one list${unwanted.length ? ',' : '.'}</p>`
  }${unwanted.length ? html`<p>but nobody who</p><ul class="conditions any">${unwanted}</ul>` : ''}${
    limit !== null ? html`<p>At most ${people(limit)} of them${order}.</p>` : ''
  }${messagesIn({ fields: modifierErrors(mailing) }).map((each) => html`<p class="note warn">${each}</p>`)}<p class="small">Who has left, bounced or is blackholed gets nothing, also when it happens after the audience was built.</p>`;
}

/** How many that are, and how far this can be relied on. Once it has begun they are all it is for: a set that is built then has those who are left. */
export function audienceCount(mailing: MailingDocument, savedCount: number | null): Html {
  const { query_status: status, query_completed_at: at, query_previous_runtime: seconds, started_at, expected_send_count } = mailing;
  const words = changedUnderWay(mailing) || setWords(mailing);
  const recurs = mailing.status === 'recurring';
  const warn =
    words && status !== 'cleared' && !recurs ? html`<p class="note ${status === 'failed' ? 'bad' : 'warn'}">${capital(words)}.</p>` : '';
  if (savedCount === null)
    return html`<p class="big">–</p><p class="small">${recurs ? `${capital(words)}.` : words ? '' : 'Not built yet.'}</p>${warn}`;
  const took = seconds !== null ? html`, in ${duration(seconds)}` : '';
  const all = (started_at === null ? null : expected_send_count) ?? savedCount;
  const left = savedCount < all ? `: ${people(savedCount)} beside those it had dealt with` : '';
  return html`${leading(all, 'person', 'people')}
<p class="small">${at ? html`Built ${time(at)}${took}${left}.` : ''}${recurs ? ` ${capital(words)}.` : mailing.rebuild_query_at_send ? ' Built anew right before sending.' : ''}</p>${warn}`;
}

/** What becomes of a mailing whose targeting is another one than that of its set, where it is too late to build it; empty where that is not so. */
function changedUnderWay({ status, targeting_version, targeting_version_saved, rebuild_query_at_send }: MailingDocument): string {
  if (targeting_version_saved === null || targeting_version_saved === targeting_version) return '';
  const changed = 'the targeting or the speed was changed after the audience was built, here or in a mailing that it names';
  if (status === 'sending') return `${changed}: the mail goes to the audience as it was built`;
  if (status === 'completed') return `${changed}: the mail went to the audience as it was built`;
  return status === 'queued' && !rebuild_query_at_send ? `${changed}: it will not be sent` : '';
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Whom each clause means, counted now. */
export function audienceTable({ reachable, includes, included, excludes, excluded, settled, limit, people: left, sample }: Audience): Html {
  const row = (text: string, many: number) =>
    html`<tr><th scope="row">${text}</th><td class="n">${count(many)}</td><td class="n">${share(reachable ? many / reachable : 0)}</td></tr>`;
  const clauses = (before: string, side: Audience['includes']) => side.map((clause) => row(`${before} ${clause.text}`, clause.count));
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Counts"><table><thead><tr><th scope="col">People</th><th scope="col" class="n">Count</th><th scope="col" class="n">Of all</th></tr></thead><tbody>
${row('Everybody who can be mailed at all', reachable)}${clauses('who', includes)}${row('who match all of these', included)}${clauses('but who', excludes)}${excludes.length ? row('left out by that', excluded) : ''}${settled > 0 ? row('in it already: mailed, failed or skipped', settled) : ''}</tbody>
<tfoot>${row(limit === null ? 'Would get the mail' : `Would get the mail, at most ${count(limit)}`, left)}</tfoot></table></div>${
    sample === null ? '' : html`<p class="small">About: made up from ${count(sample)} people picked at random.</p>`
  }`;
}
