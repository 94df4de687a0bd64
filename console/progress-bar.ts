import { type Html, html } from './html.ts';
import { count } from './numbers.ts';

/** What became of the recipients so far. */
export interface Sent {
  accepted: number;
  failed: number;
  skipped: number;
  uncertain: number;
}

const PARTS = ['accepted', 'skipped', 'failed', 'uncertain'] as const;

/** How many of the targeted have been dealt with, one way or the other. */
export const settled = (sent: Sent): number => PARTS.reduce((sum, part) => sum + sent[part], 0);

/** Whole percent; 100 only when nobody is left, nor anybody of whom nobody knows. */
export const percent = (sent: Sent, targeted: number): number =>
  targeted > 0 ? Math.floor(((settled(sent) - sent.uncertain) * 100) / targeted) : 0;

/** A bar of one colour for each thing that became of recipients; the rest of it is who still waits. */
export function progressBar(sent: Sent, targeted: number, label: string): Html {
  let from = 0;
  const bars = PARTS.map((part) => {
    const width = targeted > 0 ? Math.min(100 - from, (sent[part] * 100) / targeted) : 0;
    const bar = html`<rect class="${part}" x="${from.toFixed(3)}%" width="${width.toFixed(3)}%" height="100%"/>`;
    from += width;
    return bar;
  });
  const said = `${percent(sent, targeted)} percent: ${count(settled(sent) - sent.uncertain)} of ${count(targeted)}${sent.uncertain ? `, ${count(sent.uncertain)} uncertain` : ''}`;
  return html`<svg class="bar" role="progressbar" aria-label="${label}" aria-valuemin="0" aria-valuemax="100" aria-valuenow="${percent(sent, targeted)}" aria-valuetext="${said}">${bars}</svg>`;
}

/** The numbers behind the bar. */
export function legend(sent: Sent, targeted: number): Html {
  const items: [string, string, number][] = [
    ['accepted', 'Accepted', sent.accepted],
    ['skipped', 'Skipped', sent.skipped],
    ['failed', 'Failed', sent.failed],
    ['uncertain', 'Uncertain', sent.uncertain],
    ['waiting', 'Waiting', Math.max(0, targeted - settled(sent))],
  ];
  return html`<dl class="legend">${items.map(
    ([part, word, value]) => html`<div class="${part}${value === 0 ? ' zero' : ''}"><dt>${word}</dt><dd>${count(value)}</dd></div>`,
  )}</dl>`;
}
