import type { Queue } from '../../core/health/queues.ts';
import type { SendFigures } from '../../core/sending/figures.ts';
import type { Pool } from '../../db/driver.ts';
import type { Finding } from '../../domain/finding.ts';
import { type Html, html } from '../html.ts';
import { count, counted, duration } from '../numbers.ts';

type Found = Record<string, Finding[] | null>;

const STATES: Record<Finding['state'], string> = { well: 'Well', look: 'To be looked at', wrong: 'Not well' };

/** The whole in one sentence. */
export function summary(found: Found): string {
  const findings = Object.values(found).flatMap((each) => each ?? []);
  const wrong = findings.filter(({ state }) => state === 'wrong').length;
  if (wrong) return `${counted(wrong, 'part is', 'parts are')} not well`;
  if (Object.values(found).includes(null)) return 'Some parts have not answered yet';
  const looks = findings.filter(({ state }) => state === 'look').length;
  return looks ? `All parts work; ${counted(looks, 'is', 'are')} to be looked at` : 'All parts are well';
}

/** @param details where the parts are and what to do about them is shown, too */
export function findingsPart(found: Found, details: boolean): Html {
  const row = ({ part, state, says, todo }: Finding) =>
    html`<tr><th scope="row">${part}</th><td><span class="mark state-${state}">${STATES[state]}</span></td>${details ? html`<td>${says}${todo ? html`<br><strong>${todo}</strong>` : ''}</td>` : ''}</tr>`;
  const open = (part: string) =>
    html`<tr><th scope="row">${part}</th><td><span class="mark state-asked">Being asked</span></td>${details ? html`<td></td>` : ''}</tr>`;
  return html`<section class="card" aria-labelledby="parts-title"><h2 id="parts-title">Parts</h2><div class="scroll" tabindex="0" role="group" aria-labelledby="parts-title"><table><thead><tr><th scope="col">Part</th><th scope="col">How it is</th>${details ? html`<th scope="col">Found, and what to do</th>` : ''}</tr></thead>
<tbody>${Object.entries(found).map(([part, findings]) => (findings ? findings.map(row) : open(part)))}</tbody></table></div></section>`;
}

/** What is being sent, as workers record it. */
export function sendsPart(sends: SendFigures[], leaseSeconds: number): Html {
  const row = ({ mailing_id: id, targeted, accepted, failed, skipped, uncertain, shards_open: shards, lag }: SendFigures) => {
    const left = Number(targeted) - [accepted, failed, skipped, uncertain].reduce((sum, each) => sum + Number(each), 0);
    const late = lag !== null && lag > leaseSeconds;
    return html`<tr><th scope="row"><a href="/console/mailings/${id}/">${id}</a></th><td class="n">${count(left)}</td><td class="n">${count(shards)}</td><td class="n${late ? ' wrong' : ''}">${lag === null ? 'nobody at work' : `${duration(lag)} ago`}</td></tr>`;
  };
  return html`<section class="card" aria-labelledby="sends-title"><h2 id="sends-title">Sends</h2>${
    sends.length
      ? html`<div class="scroll" tabindex="0" role="group" aria-labelledby="sends-title"><table><thead><tr><th scope="col">Mailing</th><th scope="col" class="n">Left</th><th scope="col" class="n">Open shards</th><th scope="col" class="n">Last heard of</th></tr></thead><tbody>${sends.map(row)}</tbody></table></div>`
      : html`<p class="none">Nothing is being sent.</p>`
  }</section>`;
}

const KINDS: Record<Queue['kind'], string> = {
  rebuilds: 'Audiences to be built',
  proofs: 'Proofs to be sent',
  reports: 'Reports in the background',
  uploads: 'Imports',
  deliveries: 'Deliveries of webhooks',
};

export function queuesPart(queues: Queue[]): Html {
  return html`<section class="card" aria-labelledby="queues-title"><h2 id="queues-title">Queues</h2><div class="scroll" tabindex="0" role="group" aria-labelledby="queues-title"><table><thead><tr><th scope="col">What</th><th scope="col" class="n">Waiting</th><th scope="col" class="n">The oldest for</th></tr></thead>
<tbody>${queues.map(({ kind, waiting, oldest }) => html`<tr><th scope="row">${KINDS[kind]}</th><td class="n">${count(waiting)}</td><td class="n">${oldest === null ? '–' : duration(oldest)}</td></tr>`)}</tbody></table></div></section>`;
}

/** Of the process that answers. */
export function poolPart({ totalCount, idleCount, waitingCount }: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>): Html {
  return html`<p class="small">This API process has ${counted(totalCount, 'connection', 'connections')} to the database, ${count(totalCount - idleCount)} busy; ${counted(waitingCount, 'caller waits', 'callers wait')} for one.</p>`;
}
