import { counted } from '../domain/counted.ts';
import { MAILING_STATUSES, type MailingStatus } from '../domain/words.ts';
import type { Command } from './command.ts';
import { cut, facts, RefusedError, table, UsageError } from './terminal.ts';
import { idIn, oneWord } from './words.ts';

export interface Mailing {
  id: number;
  subjects: string[];
  status: MailingStatus;
  notes: string;
  fromline: string;
  custom_fromline: string;
  query_status: string;
  rebuild_query_at_send: boolean;
  mails_per_second: number | null;
  scheduled_for: string | null;
  started_at: string | null;
  finished_at: string | null;
}

export interface Progress {
  finished: boolean;
  rate: number;
  progress: number;
  failed: number;
  skipped: number;
  uncertain: number;
  expected_send_count: number;
  phase: string | null;
  pause: { reason: string; until: string } | null;
  errors: string[];
}

/** Those who have no outcome yet. */
export const waitingIn = ({ expected_send_count: targeted, progress, failed, skipped, uncertain }: Progress): number =>
  Math.max(0, targeted - progress - failed - skipped - uncertain);

/** Why nothing moves, or null: it pauses, or nobody is there to say what it does. Its run answers through both, and which of them is away is not known here. */
export function heldUpBy({ finished, phase, pause }: Progress): string | null {
  if (pause) return `paused until ${pause.until}: ${pause.reason}`;
  return finished || phase !== null ? null : 'no worker answers for it, or Temporal is away: see doctor';
}

export const progressOf = (id: number) => `/rest/v1/mailer/${id}/progress/`;

export const list: Command = async ({ rest, words, options, say }) => {
  if (words.length) throw new UsageError('mailing list takes options only');
  const { status } = options;
  const unknown = status?.split(',').find((each) => !(MAILING_STATUSES as readonly string[]).includes(each));
  if (unknown !== undefined) throw new UsageError(`--status takes ${MAILING_STATUSES.join(', ')}; not ${unknown}`);
  const limit = options.limit ?? '20';
  if (!/^[1-9]\d?$|^100$/.test(limit)) throw new UsageError('--limit takes a number from 1 to 100');
  const query = new URLSearchParams({ order_by: '-id', _limit: limit, ...(status && { status__in: status }) });
  const { objects } = await rest.get<{ objects: Mailing[] }>(`/rest/v1/mailer/?${query}`);
  const mailings = await Promise.all(
    objects.map(async (mailing) => ({ mailing, progress: await rest.get<Progress>(progressOf(mailing.id)) })),
  );
  say(
    mailings.map(({ mailing, progress }) => ({ ...mailing, progress })),
    () =>
      table(
        ['id', 'status', 'accepted', 'of', 'skipped', 'failed', 'uncertain', 'subject'],
        mailings.map(({ mailing: { id, status, subjects }, progress }) => [
          id,
          status,
          progress.progress,
          progress.expected_send_count,
          progress.skipped,
          progress.failed,
          progress.uncertain,
          cut(subjects[0] ?? '', 60),
        ]),
      ),
  );
};

export const show: Command = async ({ rest, words, say }) => {
  const id = idIn(oneWord(words, 'mailing show needs the id of one mailing'));
  const [mailing, progress] = await Promise.all([rest.get<Mailing>(`/rest/v1/mailer/${id}/`), rest.get<Progress>(progressOf(id))]);
  const held = heldUpBy(progress);
  say({ ...mailing, progress }, () =>
    facts([
      ['id', id],
      ['subject', mailing.subjects.join(' | ')],
      ['from', mailing.custom_fromline || mailing.fromline],
      ['notes', mailing.notes],
      ['status', mailing.status],
      ['audience', mailing.query_status],
      ['targeted', progress.expected_send_count],
      ['accepted', progress.progress],
      ['failed', progress.failed],
      ['skipped', progress.skipped],
      ['uncertain', progress.uncertain],
      ['waiting', waitingIn(progress)],
      ['mails per second', progress.rate],
      ['scheduled for', mailing.scheduled_for],
      ['started', mailing.started_at],
      ['ended', mailing.finished_at],
      ...(held ? [['held up', held] as [string, string]] : []),
      ...(progress.errors.length ? [['errors', progress.errors.join(' ')] as [string, string]] : []),
    ]),
  );
};

export const stop: Command = async ({ rest, words, say }) => {
  const id = idIn(oneWord(words, 'mailing stop needs the id of one mailing'));
  await rest.post(`/rest/v1/mailer/${id}/stop/`);
  say({ id, stopping: true }, () => `Mailing ${id} is being stopped: it ends within seconds.`);
};

export const resume: Command = async ({ rest, words, options, say, terminal }) => {
  const id = idIn(oneWord(words, 'mailing resume needs the id of one mailing'));
  const [{ status, rebuild_query_at_send: rebuilds }, progress] = await Promise.all([
    rest.get<Mailing>(`/rest/v1/mailer/${id}/`),
    rest.get<Progress>(progressOf(id)),
  ]);
  // A draft is sent from the console or over the API, by somebody who has looked at it.
  if (status !== 'stopped' && status !== 'died')
    throw new RefusedError(`Mailing ${id} is ${status}: only a stopped or a died one can be resumed.`);
  const left = waitingIn(progress);
  const anew = rebuilds ? ' (its audience is built anew first: there may be more or fewer then)' : '';
  if (!options.yes) {
    if (!terminal.ask)
      throw new UsageError(`mailing resume sends to ${counted(left, 'person', 'people')}${anew}: say --yes where nobody can be asked`);
    const answer = await terminal.ask(`Send mailing ${id} to the ${counted(left, 'person', 'people')} left${anew}? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new RefusedError('Nothing was done.');
  }
  await rest.post(`/rest/v1/mailer/${id}/queue/`);
  say({ id, left }, () => `Mailing ${id} goes on with the ${counted(left, 'person', 'people')} left${anew}.`);
};
