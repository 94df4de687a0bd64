import type { Chart } from '../chart-data.ts';
import { type Html, html } from '../html.ts';
import { count, counted } from '../numbers.ts';
import { isNumber, type ShownResult } from './shown-result.ts';

const MOMENT = /^(\d{4}-\d{2})(-\d{2})?(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
/** More lines than that nobody can tell apart. */
const MOST_LINES = 6;

/** Seconds since the epoch of a month, a day or a moment as results have them; null of anything else. */
function momentOf(text: string): number | null {
  const [, month, day, clock, zone = 'Z'] = MOMENT.exec(text) ?? [];
  if (!month || (clock && !day)) return null;
  const whole = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const at = Date.parse(`${month}${day ?? '-01'}T${clock ?? '00:00'}${whole}`);
  return Number.isNaN(at) ? null : at / 1000;
}

/** A result as lines over time: its first column is a time, a row for each, and others are numbers. Null where it is no such thing. `unsaid`: what of it is not drawn. */
export function seriesOf({ columns, rows, more }: ShownResult): (Chart & { unsaid: string }) | null {
  const moments = rows.map((row) => momentOf(row[0] ?? ''));
  if (rows.length < 2 || moments.includes(null) || new Set(moments).size < rows.length) return null;
  const inOrder = rows.map((row, n) => ({ at: moments[n]!, row })).sort((one, other) => one.at - other.at);
  const lines = columns
    .map((label, column) => ({ label, cells: inOrder.map(({ row }) => row[column] ?? '') }))
    .slice(1)
    .filter(({ cells }) => cells.some(Boolean) && cells.every((cell) => cell === '' || isNumber(cell)));
  const series = lines.slice(0, MOST_LINES).map(({ label, cells }, n) => ({
    label: label.slice(0, 60),
    tone: `--series-${n + 1}`,
    steps: false,
    values: cells.map((cell) => (cell === '' ? null : Number(cell))),
  }));
  const left = lines.length - series.length;
  const unsaid = [
    more ? `Of the first ${count(rows.length)} rows.` : '',
    left ? `Of the first ${MOST_LINES} columns of numbers; ${counted(left, 'more stands', 'more stand')} in the table below.` : '',
  ];
  return series.length ? { times: inOrder.map(({ at }) => at), series, unsaid: unsaid.join(' ').trim() } : null;
}

/** Where it is drawn; the table below says the same. */
export const chartPart = ({ unsaid, ...chart }: Chart & { unsaid: string }): Html =>
  html`<figure class="card scripted" data-drawn="${JSON.stringify(chart)}"><figcaption><h2>Over time</h2>${unsaid ? html`<p class="small">${unsaid}</p>` : ''}</figcaption>
<div class="plot" role="img" aria-label="The result over time: a chart; the same as a table stands below"></div></figure>`;
