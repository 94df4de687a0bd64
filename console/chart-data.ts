import type { ApiContext } from '../api/deps.ts';
import { LEDGER_STATE } from '../domain/words.ts';

/** Points for one chart: times in seconds since the epoch, in even steps without gaps. */
export interface Chart {
  times: number[];
  series: { label: string; tone: string; steps: boolean; values: number[] }[];
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];
const MOST_POINTS = 160;

interface Bucket {
  at: number;
  [series: string]: number;
}

/** What is charted of a mailing: mails accepted over time, and people's openings and clicks over time. */
export async function readCharts({ pool }: ApiContext, mailingId: number): Promise<Record<'sends' | 'opens', Chart>> {
  const span = await pool.query<{ begun: number | null; sent: number; opened: number | null }>(
    `select extract(epoch from m.started_at)::float8 as begun, extract(epoch from coalesce(m.finished_at, now()))::float8 as sent,
       extract(epoch from (select greatest((select max(created_at) from core_open where mailing_id = m.id), (select max(created_at) from core_click where mailing_id = m.id))))::float8 as opened
     from core_mailing m where m.id = $1`,
    [mailingId],
  );
  const { begun, sent, opened } = span.rows[0] ?? { begun: null, sent: 0, opened: null };
  const none: Chart = { times: [], series: [] };
  if (begun === null) return { sends: none, opens: none };

  const step = stepFor(sent - begun);
  const wide = Math.max(60, stepFor((opened ?? begun) - begun));
  const [sends, opens] = await Promise.all([
    // Reads the mailing's whole range of the ledger, once for each look at the page: no index holds the times.
    pool.query<Bucket>(
      `select date_part('epoch', ${bucketOf('changed_at')}) as at, count(*)::int as accepted
       from send_record where mailing_id = $1 and state = ${LEDGER_STATE.accepted} and changed_at is not null group by ${bucketOf('changed_at')}`,
      [mailingId, step],
    ),
    pool.query<Bucket>(
      `select date_part('epoch', ${bucketOf('created_at')}) as at, count(*) filter (where opening)::int as opens,
         count(*) filter (where not opening)::int as clicks
       from (select created_at, true as opening from core_open where mailing_id = $1 and not machine
         union all select created_at, false from core_click where mailing_id = $1 and not machine) event group by ${bucketOf('created_at')}`,
      [mailingId, wide],
    ),
  ]);
  return {
    sends: chart(sends.rows, step, [['accepted', `Accepted per ${stepWord(step)}`, '--accepted', true]]),
    opens: chart(opens.rows, wide, [
      ['opens', `Opens per ${stepWord(wide)}`, '--accent', false],
      ['clicks', `Clicks per ${stepWord(wide)}`, '--second', false],
    ]),
  };
}

/** SQL of the step of `$2` seconds a time falls into. Arithmetic of whole numbers: with epochs, which are numeric, most of the statement's time goes into it. */
const bucketOf = (column: string) => `date_bin(make_interval(secs => $2), ${column}, to_timestamp(0))`;

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
