import { UNDER_WAY } from '../domain/mailing-status.ts';
import type { MailingStatus } from '../domain/words.ts';
import type { Command } from './command.ts';
import { heldUpBy, type Mailing, type Progress, progressOf, waitingIn } from './mailing.ts';
import type { Rest } from './rest.ts';
import { AwayError, cut, RefusedError, table, UsageError } from './terminal.ts';

const PAGE = 100;
/** Thousands may be scheduled; the API has others to answer, too. */
const AT_ONCE = 10;

/**
 * All mailings on their way; of the hundred that came to a halt last those with people left; of these and of the hundred that were completed last those with people of whom
 * nobody knows whether they got it. Each with what it waits for.
 */
export const sends: Command = async (call) => {
  const { rest, words, say } = call;
  if (words[0] === 'hold' && words.length === 1) return hold(call);
  if (words.length) throw new UsageError('sends takes no words but hold');
  const ended = await Promise.all([newest(rest, 'stopped,died'), newest(rest, 'completed')]);
  const mailings = [...(await mailingsIn(rest, UNDER_WAY)), ...ended.flat()].sort((a, b) => b.id - a.id);
  const all = await progressOfAll(rest, mailings);
  const shown = all.filter(
    ({ mailing, progress, left }) => !progress.finished || progress.uncertain > 0 || (mailing.status !== 'completed' && left > 0),
  );
  const waitsFor = ({ mailing, progress }: (typeof shown)[number]) => {
    // The reason first: the column is cut.
    if (progress.pause) return `${progress.pause.reason}; next try ${progress.pause.until}`;
    const unsettled = progress.finished && progress.uncertain > 0 ? 'somebody to settle who is uncertain' : '';
    return (
      heldUpBy(progress) ?? (mailing.status === 'scheduled' ? `its time: ${mailing.scheduled_for}` : progress.errors.join(' ') || unsettled)
    );
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
              cut(waitsFor(each), 60),
              cut(each.mailing.subjects[0] ?? '', 40),
            ]),
          )
        : 'Nothing is being sent, and nothing waits for somebody to go on.',
  );
};

/** After so many in a row that the API does not answer for it is away, and each of thousands would be waited for. */
const MOST_IN_VAIN = 3;

/**
 * Stops all that is being sent and takes all that waits off the schedule, so that nobody is mailed until somebody has looked; recurring mailings are named, and go on.
 * One that cannot be stopped keeps none of the others.
 * @throws RefusedError, AwayError naming those that go on
 */
const hold: Command = async ({ rest, say }) => {
  const mailings = await mailingsIn(rest, UNDER_WAY);
  // Now: afterwards the API may be away, and what was stopped has to be said.
  const recurring = (await mailingsIn(rest, ['recurring'])).map(({ id }) => id);
  const held: number[] = [];
  const failures: { id: number; error: RefusedError | AwayError }[] = [];
  let inVain = 0;
  for (const ids of turnsOf(mailings)) {
    const refusals = await Promise.all(ids.map((id) => (inVain < MOST_IN_VAIN ? stopOne(rest, id) : new AwayError('not asked any more'))));
    for (const [n, error] of refusals.entries()) {
      if (error) failures.push({ id: ids[n]!, error });
      else held.push(ids[n]!);
      inVain = error instanceof AwayError ? inVain + 1 : 0;
    }
  }
  const ended = await endedOf(
    rest,
    failures.flatMap(({ id, error }) => (error instanceof RefusedError ? [id] : [])),
  );
  const goOn = failures.filter(({ id }) => !ended.includes(id));
  const named = (ids: number[]) => ids.join(', ');
  say({ held, ended, recurring, not_stopped: goOn.map(({ id, error }) => ({ id, why: error.message })) }, () =>
    [
      held.length
        ? `Being stopped: ${named(held)}. Those that had not begun are drafts again; the others end within seconds.`
        : goOn.length
          ? 'Nothing was stopped.'
          : 'Nothing was on its way.',
      ...(ended.length ? [`Ended meanwhile: ${named(ended)}.`] : []),
      ...(recurring.length ? [`Recurring, and going out when their time comes: ${named(recurring)}. Each is ended by mailing stop.`] : []),
    ].join('\n'),
  );
  if (!goOn.length) return;
  const words = `NOT stopped: ${goOn.map(({ id, error }) => `${id} (${error.message})`).join(', ')}`;
  throw goOn.some(({ error }) => error instanceof AwayError) ? new AwayError(words) : new RefusedError(words);
};

/** What is being sent first, one after the other; of what waits some at once, for each is waited until it is a draft. */
function turnsOf(mailings: Mailing[]): number[][] {
  const idsOf = (sending: boolean) => mailings.flatMap(({ id, status }) => ((status === 'sending') === sending ? [id] : []));
  const waiting = idsOf(false);
  const turns = Array.from({ length: Math.ceil(waiting.length / AT_ONCE) }, (_, n) => waiting.slice(n * AT_ONCE, (n + 1) * AT_ONCE));
  return [...idsOf(true).map((id) => [id]), ...turns];
}

/** @returns why it was not stopped; null where it was */
async function stopOne(rest: Rest, id: number): Promise<RefusedError | AwayError | null> {
  try {
    await rest.post(`/rest/v1/mailer/${id}/stop/`);
    return null;
  } catch (error) {
    if (error instanceof RefusedError || error instanceof AwayError) return error;
    throw error;
  }
}

/** Which of those whose stop was refused have come to their end: an account that may not stop is refused, too. */
async function endedOf(rest: Rest, ids: number[]): Promise<number[]> {
  if (!ids.length) return [];
  try {
    const underWay = new Set((await mailingsIn(rest, UNDER_WAY)).map(({ id }) => id));
    return ids.filter((id) => !underWay.has(id));
  } catch (error) {
    if (error instanceof AwayError || error instanceof RefusedError) return [];
    throw error;
  }
}

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

async function newest(rest: Rest, statuses: string): Promise<Mailing[]> {
  const query = new URLSearchParams({ status__in: statuses, order_by: '-id', _limit: `${PAGE}` });
  return (await rest.get<{ objects: Mailing[] }>(`/rest/v1/mailer/?${query}`)).objects;
}

/** Each page from the last id of the one before: an offset would leave one out for each that ends meanwhile. */
async function mailingsIn(rest: Rest, statuses: readonly MailingStatus[]): Promise<Mailing[]> {
  const mailings: Mailing[] = [];
  for (;;) {
    const query = new URLSearchParams({
      status__in: statuses.join(','),
      order_by: 'id',
      id__gt: `${mailings.at(-1)?.id ?? 0}`,
      _limit: `${PAGE}`,
    });
    const { objects } = await rest.get<{ objects: Mailing[] }>(`/rest/v1/mailer/?${query}`);
    mailings.push(...objects);
    if (objects.length < PAGE) return mailings;
  }
}
