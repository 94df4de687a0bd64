import type { FastifyInstance } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { explainInTurn } from '../../api/mailer/audience.ts';
import { idOf } from '../../api/resource/routes.ts';
import { clicksByLink } from '../../core/mailings/clicks-by-link.ts';
import { mustExist } from '../../core/mailings/existing.ts';
import { readOpened } from '../../core/mailings/needs-somebody.ts';
import { COUNTED, readResultsWithLeavings } from '../../core/mailings/results.ts';
import { type Chart, readCharts } from '../chart-data.ts';
import { type Cell, sendCsv } from '../csv.ts';
import { notKept } from './links-part.ts';
import { acts, countingOf } from './subject-table.ts';

/** What the pages about results and the audience show in tables, as files. */
export function registerResultFiles(app: FastifyInstance, context: ApiContext): void {
  const reads = page('mailer:read');

  app.get('/console/mailings/:id/results/subjects.csv', reads, async (request, reply) => {
    const id = idOf(request);
    const sql = context.longReads.of(request);
    const [{ subjects }, opened] = await Promise.all([readResultsWithLeavings(context.pool, id, sql), readOpened(sql, [id])]);
    const of = opened.get(id)!;
    const counting = countingOf(of, of, context.env);
    const names = [...COUNTED, 'amount_converted'] as const;
    // What is not counted is not said to be none.
    const uncounted = (name: string) => (name.endsWith('opens') && !counting.opens) || (name.endsWith('clicks') && !counting.clicks);
    const cell = (each: (typeof subjects)[number], name: (typeof names)[number]) =>
      uncounted(name) ? null : name === 'actions' ? acts(each) : each[name];
    const rows = subjects.map((each) => [each.subject, ...names.map((name) => cell(each, name))]);
    return sendCsv(reply, `mailing-${id}-subjects`, ['subject', ...names], rows);
  });

  app.get('/console/mailings/:id/results/links.csv', reads, async (request, reply) => {
    const id = idOf(request);
    const sql = context.longReads.of(request);
    const [links, { totals }] = await Promise.all([clicksByLink(sql, id), readResultsWithLeavings(context.pool, id, sql)]);
    const rows: Cell[][] = links.map(({ number, url, clicks, people }) => [number, url, clicks, people]);
    // As the page says: without it the file would tell of fewer clicks than there were.
    const gone = notKept(links, totals.total_clicks);
    if (gone) rows.push([null, 'no longer kept one by one', gone, null]);
    return sendCsv(reply, `mailing-${id}-links`, ['link', 'url', 'clicks', 'people'], rows);
  });

  for (const name of ['sends', 'opens'] as const) {
    app.get(`/console/mailings/:id/results/${name}.csv`, reads, async (request, reply) => {
      const id = idOf(request);
      await mustExist(context.pool, id);
      const charts = await readCharts(context.longReads.of(request), id);
      return sendCsv(reply, `mailing-${id}-${name}`, ...tabulated(charts[name]));
    });
  }

  app.get('/console/mailings/:id/audience/counts.csv', reads, async (request, reply) => {
    const id = idOf(request);
    const { reachable, includes, included, excludes, excluded, settled, people, sample } = await explainInTurn(context, id, request);
    const rows: [string, string, number][] = [
      ['reachable', 'can be mailed at all', reachable],
      ...includes.map(({ text, count }): [string, string, number] => ['include', text, count]),
      ['included', 'match all of these', included],
      ...excludes.map(({ text, count }): [string, string, number] => ['exclude', text, count]),
      ['excluded', 'left out by that', excluded],
      ...(settled > 0 ? [['settled', 'in it already: mailed, failed or skipped', settled] as [string, string, number]] : []),
      ['audience', 'would get the mail', people],
    ];
    // A file goes on to who has not seen the page: each number says how sure it is.
    const counted = sample === null ? 'among everybody' : `about: made up from ${sample} people picked at random`;
    const lines = rows.map((row) => [...row, counted]);
    return sendCsv(reply, `mailing-${id}-audience`, ['kind', 'clause', 'people', 'counted'], lines);
  });
}

/** A chart as the table under it: the steps in which something happened. */
function tabulated({ times, series }: Chart): [string[], (string | number)[][]] {
  const rows = times.flatMap((at, n) =>
    series.some(({ values }) => values[n]) ? [[new Date(at * 1000).toISOString(), ...series.map(({ values }) => values[n] ?? 0)]] : [],
  );
  return [['utc', ...series.map(({ label }) => label)], rows];
}
