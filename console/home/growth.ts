import type { Day } from '../../core/people/growth.ts';
import type { Chart } from '../chart-data.ts';
import { csvLink } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { icon } from '../icons.ts';
import { count, leading } from '../numbers.ts';

const WORDS: Record<string, string> = { subscribed: 'subscribed', unsubscribed: 'left', bounced: 'bounced', never: 'never subscribed' };

/** How many people there are, and where the chart of the last days is drawn. */
export function growthPart(people: Record<string, number>, days: number): Html {
  const { subscribed = 0, ...others } = people;
  const rest = Object.entries(others).filter(([, n]) => n > 0);
  return html`<section class="card" aria-labelledby="people-title" data-charts="/console/growth"><h2 id="people-title">${icon('people')}People</h2>
${leading(subscribed, 'person subscribed', 'people subscribed')}
${rest.length ? html`<p class="small">Beside them ${rest.map(([status, n], index) => html`${index ? ', ' : ''}${count(n)} ${WORDS[status] ?? status}`)}.</p>` : ''}
<figure data-chart="growth"><figcaption><p class="small">New people, and those who left a list, in the last ${days} days.</p></figcaption><noscript><p class="nothing">It takes JavaScript to draw this.</p></noscript>
<div class="plot" role="img" aria-label="Growth: a chart; the same as a table stands below"></div></figure>${csvLink('/console/growth.csv', 'growth')}</section>`;
}

export function growthChart(days: Day[]): Chart {
  return {
    times: days.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1000),
    series: [
      { label: 'New people', tone: '--accepted', steps: true, values: days.map(({ joined }) => joined) },
      { label: 'Left a list', tone: '--failed', steps: false, values: days.map(({ left }) => left) },
    ],
  };
}
