import { UNDER_WAY } from '../domain/mailing-status.ts';
import type { MailingStatus } from '../domain/words.ts';
import type { Command } from './command.ts';
import { heldUpBy, type Mailing, type Progress, progressOf, waitingIn } from './mailing.ts';
import type { Rest } from './rest.ts';
import { RefusedError, table, UsageError } from './terminal.ts';

const PAGE = 100;
/** Thousands may be scheduled; the API has others to answer, too. */
const AT_ONCE = 10;

/** All mailings on their way, and of the hundred that came to a halt last those with people left; each with what it waits for. */
export const sends: Command = async (call) => {
  const { rest, words, say } = call;
  if (words[0] === 'hold' && words.length === 1) return hold(call);
  if (words.length) throw new UsageError('sends takes no words but hold');
  const halted = new URLSearchParams({ status__in: 'stopped,died', order_by: '-id', _limit: `${PAGE}` });
  const { objects } = await rest.get<{ objects: Mailing[] }>(`/rest/v1/mailer/?${halted}`);
  const mailings = [...(await mailingsIn(rest, UNDER_WAY)), ...objects].sort((a, b) => b.id - a.id);
  const all = await progressOfAll(rest, mailings);
  const shown = all.filter(({ mailing: { status }, left }) => (status !== 'stopped' && status !== 'died') || left > 0);
  const waitsFor = ({ mailing, progress }: (typeof shown)[number]) => {
    // The reason first: the column is cut.
    if (progress.pause) return `${progress.pause.reason}; next try ${progress.pause.until}`;
    return heldUpBy(progress) ?? (mailing.status === 'scheduled' ? `its time: ${mailing.scheduled_for}` : progress.errors.join(' '));
  };
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

/** Stops all that is being sent and takes all that waits off the schedule, so that nobody is mailed until somebody has looked; recurring mailings are named, and go on. */
const hold: Command = async ({ rest, say }) => {
  const held: number[] = [];
  const ended: number[] = [];
  for (const { id } of await mailingsIn(rest, UNDER_WAY)) {
    await rest.post(`/rest/v1/mailer/${id}/stop/`).then(
      () => held.push(id),
      (error) => {
        // It has come to its end meanwhile.
        if (!(error instanceof RefusedError)) throw error;
        ended.push(id);
      },
    );
  }
  const recurring = (await mailingsIn(rest, ['recurring'])).map(({ id }) => id);
  const named = (ids: number[]) => ids.join(', ');
  say({ held, ended, recurring }, () =>
    [
      held.length
        ? `Being stopped: ${named(held)}. Those that had not begun are drafts again; the others end within seconds.`
        : 'Nothing was on its way.',
      ...(ended.length ? [`Ended meanwhile: ${named(ended)}.`] : []),
      ...(recurring.length ? [`Recurring, and going out when their time comes: ${named(recurring)}. Each is ended by mailing stop.`] : []),
    ].join('\n'),
  );
};

async function progressOfAll(rest: Rest, mailings: Mailing[]): Promise<{ mailing: Mailing; progress: Progress; left: number }[]> {
  const all = [];
  for (let from = 0; from < mailings.length; from += AT_ONCE) {
    const asked = mailings.slice(from, from + AT_ONCE).map(async (mailing) => {
      const progress = await rest.get<Progress>(progressOf(mailing.id));
      return { mailing, progress, left: waitingIn(progress) };
    });
    all.push(...(await Promise.all(asked)));
  }
  return all;
}

async function mailingsIn(rest: Rest, statuses: readonly MailingStatus[]): Promise<Mailing[]> {
  const mailings: Mailing[] = [];
  for (;;) {
    const query = new URLSearchParams({
      status__in: statuses.join(','),
      order_by: 'id',
      _limit: `${PAGE}`,
      _offset: `${mailings.length}`,
    });
    const { objects } = await rest.get<{ objects: Mailing[] }>(`/rest/v1/mailer/?${query}`);
    mailings.push(...objects);
    if (objects.length < PAGE) return mailings;
  }
}
