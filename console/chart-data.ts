import { acceptedOverTime, type Bucket, openedOverTime, readSpan } from '../core/mailings/events-over-time.ts';
import type { Sql } from '../db/sql.ts';

/** Points for one chart: times in seconds since the epoch, in even steps without gaps. */
export interface Chart {
  times: number[];
  series: { label: string; tone: string; steps: boolean; values: number[] }[];
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];
const MOST_POINTS = 160;

/** What is charted of a mailing: mails accepted over time, and people's openings and clicks over time. */
export async function readCharts(sql: Sql, mailingId: number): Promise<Record<'sends' | 'opens', Chart>> {
  const { begun, sent, opened } = await readSpan(sql, mailingId);
  const none: Chart = { times: [], series: [] };
  if (begun === null) return { sends: none, opens: none };

  const step = stepFor(sent - begun);
  const wide = Math.max(60, stepFor((opened ?? begun) - begun));
  const [sends, opens] = await Promise.all([acceptedOverTime(sql, mailingId, step), openedOverTime(sql, mailingId, wide)]);
  return {
    sends: chart(sends, step, [['accepted', `Accepted per ${stepWord(step)}`, '--accepted', true]]),
    opens: chart(opens, wide, [
      ['opens', `Opens per ${stepWord(wide)}`, '--accent', false],
      ['clicks', `Clicks per ${stepWord(wide)}`, '--second', false],
    ]),
  };
}

const stepFor = (seconds: number): number =>
  STEPS.find((step) => seconds / step <= MOST_POINTS) ?? Math.ceil(seconds / MOST_POINTS / 86_400) * 86_400;

function stepWord(step: number): string {
  const [unit, word] = step >= 86_400 ? [86_400, 'day'] : step >= 3600 ? [3600, 'hour'] : step >= 60 ? [60, 'minute'] : [1, 'second'];
  return step === unit ? word : `${step / unit} ${word}s`;
}

function chart(buckets: Bucket[], step: number, series: [name: string, label: string, tone: string, steps: boolean][]): Chart {
  const found = new Map(buckets.map((bucket) => [bucket.at, bucket]));
  const ends = [...found.keys()];
  if (!ends.length) return { times: [], series: [] };
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  // A moment before and after, so that one bucket alone is a shape too.
  const times = Array.from({ length: Math.min(5000, (last - first) / step + 3) }, (_, index) => first + (index - 1) * step);
  return {
    times,
    series: series.map(([name, label, tone, steps]) => ({ label, tone, steps, values: times.map((at) => found.get(at)?.[name] ?? 0) })),
  };
}
