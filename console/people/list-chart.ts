import type { ListDay } from '../../core/people/lists.ts';
import type { Chart } from '../chart-data.ts';

/** How a list grew: from how many are on it now, and what each day brought, back to how many there were then. */
export function listChart(days: ListDay[], members: number): Chart {
  if (days.every(({ joined, left }) => joined === 0 && left === 0)) return { times: [], series: [] };
  const after = days.map((_, n) => days.slice(n + 1).reduce((sum, { joined, left }) => sum - joined + left, members));
  return {
    times: days.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1000),
    series: [
      { label: 'Members', tone: '--accent', steps: false, values: after.map((many) => Math.max(0, many)) },
      { label: 'Came', tone: '--accepted', steps: true, values: days.map(({ joined }) => joined) },
      { label: 'Left', tone: '--failed', steps: true, values: days.map(({ left }) => left) },
    ],
  };
}
