import type { Command } from './command.ts';
import { type Mailing, type Progress, progressOf, waitingIn } from './mailing.ts';
import { table, UsageError } from './terminal.ts';

/** All mailings on their way and all that came to a halt with people left, with what each waits for. */
export const sends: Command = async ({ rest, words, say }) => {
  if (words.length) throw new UsageError('sends takes no words');
  const { objects } = await rest.get<{ objects: Mailing[] }>(
    `/rest/v1/mailer/?${new URLSearchParams({ status__in: 'queued,scheduled,sending,stopped,died', order_by: '-id', _limit: '100' })}`,
  );
  const all = await Promise.all(
    objects.map(async (mailing) => ({ mailing, progress: await rest.get<Progress>(progressOf(mailing.id)), left: 0 })),
  );
  for (const each of all) each.left = waitingIn(each.progress);
  const shown = all.filter(({ mailing: { status }, left }) => (status !== 'stopped' && status !== 'died') || left > 0);
  const waitsFor = ({ mailing, progress }: (typeof shown)[number]) =>
    progress.pause
      ? `${progress.pause.reason}; next try ${progress.pause.until}`
      : mailing.status === 'scheduled'
        ? `its time: ${mailing.scheduled_for}`
        : progress.errors.join(' ');
  say(
    shown.map(({ mailing, progress, left }) => ({ id: mailing.id, status: mailing.status, left, ...progress })),
    () =>
      shown.length
        ? table(
            ['id', 'status', 'accepted', 'left', 'uncertain', 'mails/s', 'waits for', 'subject'],
            shown.map((each) => [
              each.mailing.id,
              each.mailing.status,
              each.progress.progress,
              each.left,
              each.progress.uncertain,
              Math.round(each.progress.rate),
              waitsFor(each).slice(0, 60),
              (each.mailing.subjects[0] ?? '').slice(0, 40),
            ]),
          )
        : 'Nothing is being sent, and nothing waits for somebody to go on.',
  );
};
