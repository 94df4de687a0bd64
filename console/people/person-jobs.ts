import { jobsOf, type PersonJob } from '../../core/people/jobs-of-person.ts';
import type { Sql } from '../../db/sql.ts';
import { type Html, html } from '../html.ts';
import { people, time } from '../numbers.ts';

/** What merges and erasures of somebody have come to. */
export async function jobsPart(sql: Sql, userId: number): Promise<{ part: Html; busy: boolean; said: string }> {
  const jobs = await jobsOf(sql, userId);
  return {
    part: html`${jobs.map((job) => html`<p class="note ${TONES[job.status]}">${wordsOf(job)} <small>${time(job.created_at)}</small></p>`)}`,
    busy: jobs.some(({ status }) => status === 'pending'),
    said: jobs.map(wordsOf).join(' '),
  };
}

const TONES = { pending: 'warn', complete: 'good', failed: 'bad' } as const;

function wordsOf({ kind, status, merged, errors }: PersonJob): string {
  const what =
    kind === 'merge' ? `${people(merged)} ${merged === 1 ? 'is' : 'are'} being merged into this one.` : 'This person is being erased.';
  if (status === 'pending') return what;
  if (status === 'failed') return `${kind === 'merge' ? 'The merge' : 'The erasure'} failed, and nothing was changed: ${errors.join(' ')}`;
  return kind === 'merge' ? `${people(merged)} ${merged === 1 ? 'was' : 'were'} merged into this one.` : 'This person was erased.';
}
