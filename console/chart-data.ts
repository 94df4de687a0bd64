import { acceptedOverTime, type Bucket, firstTimesBySubject, openedOverTime, readSpan } from '../core/mailings/events-over-time.ts';
import { stepFor } from '../core/mailings/timeline.ts';
import type { Sql } from '../db/sql.ts';
import { ofMailed } from './results/subject-table.ts';

/** Points for one chart: times in seconds since the epoch, in their order. */
export interface Chart {
  times: number[];
  series: { label: string; tone: string; steps: boolean /** Null where nothing is known. */; values: (number | null)[] }[];
  /** Percent, not numbers of people. */
  shares?: boolean;
}

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

/** More lines than that nobody can tell apart. */
export const MOST_SUBJECTS = 6;

/** How the subjects of a mailing did against each other: how much of each one's recipients had opened, and clicked, by then. */
export async function readSubjectCharts(
  sql: Sql,
  mailingId: number,
  subjects: ({ subject: string } & Parameters<typeof ofMailed>[1])[],
): Promise<Record<'opens' | 'clicks', Chart>> {
  const { begun, opened } = await readSpan(sql, mailingId);
  const step = begun === null || opened === null ? 60 : Math.max(60, stepFor(opened - begun));
  const all = await firstTimesBySubject(sql, mailingId, step, subjects.length);
  const read = (kind: 'opens' | 'clicks'): Chart => {
    const found = all.filter((each) => each[kind] > 0);
    if (begun === null || !found.length) return { times: [], series: [], shares: true };
    const times = evenly(Math.min(...found.map(({ at }) => at)), Math.max(...found.map(({ at }) => at)), step);
    return {
      times,
      shares: true,
      series: subjects.slice(0, MOST_SUBJECTS).map(({ subject, ...results }, place) => {
        const people = new Map(found.filter((each) => each.place === place).map((each) => [each.at, each[kind]]));
        let sum = 0;
        const values = times.map((at) => {
          sum += people.get(at) ?? 0;
          return ofMailed(100 * sum, results);
        });
        return { label: `${place + 1}: ${subject.slice(0, 60)}`, tone: `--series-${place + 1}`, steps: false, values };
      }),
    };
  };
  return { opens: read('opens'), clicks: read('clicks') };
}

/** A moment before and after, so that one bucket alone is a shape too. */
const evenly = (first: number, last: number, step: number): number[] =>
  Array.from({ length: Math.min(5000, (last - first) / step + 3) }, (_, index) => first + (index - 1) * step);

function stepWord(step: number): string {
  const [unit, word] = step >= 86_400 ? [86_400, 'day'] : step >= 3600 ? [3600, 'hour'] : step >= 60 ? [60, 'minute'] : [1, 'second'];
  return step === unit ? word : `${step / unit} ${word}s`;
}

function chart(buckets: Bucket[], step: number, series: [name: string, label: string, tone: string, steps: boolean][]): Chart {
  const found = new Map(buckets.map((bucket) => [bucket.at, bucket]));
  const ends = [...found.keys()];
  if (!ends.length) return { times: [], series: [] };
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  const times = evenly(first, last, step);
  return {
    times,
    series: series.map(([name, label, tone, steps]) => ({ label, tone, steps, values: times.map((at) => found.get(at)?.[name] ?? 0) })),
  };
}
