import { InputError } from './errors.ts';
import { modifierErrors } from './targeting/change.ts';
import type { TargetingSettings } from './targeting/fields.ts';
import type { MailingStatus, QueryStatus } from './words.ts';

// What may be done with a mailing in which status. Pure: facts in, decision or InputError out.

/** What a decision about queueing is made from. */
export interface QueueFacts extends Pick<TargetingSettings, 'includes' | 'excludes'> {
  status: MailingStatus;
  /** Somebody has asked for a stop, and it is not carried out yet. */
  stopRequested: boolean;
  subjects: number;
  html: string;
  hasFromLine: boolean;
  queryStatus: QueryStatus;
  targetingVersion: number;
  targetingVersionSaved: number | null;
  savedCount: number | null;
  rebuildQueryAtSend: boolean;
  scheduledFor: Date | null;
  sendingEnabled: boolean;
  /** Why the domain of the from line must not be sent from; null when it may, or nobody asks. */
  senderProblem?: string | null;
}

/** From these a mailing can be queued; from stopped and died it goes on with those who have not been mailed. */
export const QUEUEABLE: readonly MailingStatus[] = ['draft', 'stopped', 'died'];

/** On their way, one way or the other: a run of sendMailing exists for them or will. */
export const UNDER_WAY: readonly MailingStatus[] = ['scheduled', 'queued', 'rebuilding_at_send', 'sending'];

/** In these `stop` has something to stop. */
export const STOPPABLE: readonly MailingStatus[] = [...UNDER_WAY, 'recurring'];

/** In these the saved set may be built anew on request. Where the mailing is about to be sent or was, its ledger is not to be touched. */
export const REBUILDABLE: readonly MailingStatus[] = ['draft', 'model', 'stopped', 'died', 'scheduled'];

/**
 * What queueing a mailing leads to at the time `now`.
 * @returns the next status, or `unchanged` for a mailing that is scheduled already: queueing it again is harmless, unless it is just being taken off the schedule
 * @throws InputError naming everything that is missing or in the way
 */
export function afterQueue(facts: QueueFacts, now: Date): 'scheduled' | 'queued' | 'unchanged' {
  if (facts.status === 'scheduled') {
    if (facts.stopRequested) throw new InputError({ status: 'The mailing is being stopped; it can be queued in a moment.' });
    return 'unchanged';
  }
  const refusals: Record<string, string | string[]> = { ...statusRefusal(facts.status), ...contentRefusals(facts) };
  // What is in no state to be queued is in none to be rebuilt for it.
  if (QUEUEABLE.includes(facts.status)) Object.assign(refusals, setRefusals(facts), modifierErrors(facts));
  if (facts.hasFromLine && facts.senderProblem) refusals['fromline'] = facts.senderProblem;
  if (!facts.sendingEnabled) refusals['sending'] = 'Sending is switched off on this instance.';
  if (Object.keys(refusals).length) throw new InputError(refusals);
  return facts.scheduledFor !== null && facts.scheduledFor > now ? 'scheduled' : 'queued';
}

type Refusals = Record<string, string>;

function statusRefusal(status: MailingStatus): Refusals {
  if (QUEUEABLE.includes(status)) return {};
  if (status === 'recurring') return { status: 'A recurring mailing cannot be queued.' };
  if (status === 'model') return { status: 'A model cannot be queued: copy it, and queue the copy.' };
  return { status: `The mailing is ${status}; only a draft, a stopped or a died mailing can be queued.` };
}

/** What a mailing needs to go out, as far as it is not there. */
export function contentRefusals({ subjects, html, hasFromLine }: Pick<QueueFacts, 'subjects' | 'html' | 'hasFromLine'>): Refusals {
  const refusals: Refusals = {};
  if (!subjects) refusals['subjects'] = 'A subject is missing.';
  if (!html.trim()) refusals['html'] = 'The HTML is missing.';
  if (!hasFromLine) refusals['fromline'] = 'A from line is missing.';
  return refusals;
}

/** Why nothing can be sent to the saved set of users as it is. */
export const SET_REFUSALS = {
  beingRebuilt: 'The users are being rebuilt just now; wait for the rebuild to finish.',
  none: 'There is no saved set of users: rebuild first, or set rebuild_query_at_send.',
  changed: 'The targeting was changed after the users were saved: rebuild first, or set rebuild_query_at_send.',
  empty: 'The saved set of users is empty.',
  notCurrent: 'There is no current saved set of users: rebuild first.',
} as const;
const isRebuilding = (status: QueryStatus) => status === 'queued' || status === 'rebuilding';

function setRefusals(facts: QueueFacts): Refusals {
  const { queryStatus, rebuildQueryAtSend, targetingVersionSaved, targetingVersion, savedCount } = facts;
  if (isRebuilding(queryStatus)) return { query_status: SET_REFUSALS.beingRebuilt };
  if (rebuildQueryAtSend) return {};
  if (targetingVersionSaved === null || savedCount === null) {
    return { query_status: SET_REFUSALS.none };
  }
  if (targetingVersionSaved !== targetingVersion || queryStatus === 'invalid') {
    return { query_status: SET_REFUSALS.changed };
  }
  return savedCount > 0 ? {} : { query_status: SET_REFUSALS.empty };
}

/** @throws InputError when there is nothing to stop */
export function checkStop(status: MailingStatus): void {
  if (!STOPPABLE.includes(status)) throw new InputError({ status: `The mailing is ${status}; there is nothing to stop.` });
}

/** @throws InputError when the saved set may not be touched in this status */
export function checkRebuild(status: MailingStatus): void {
  if (!REBUILDABLE.includes(status)) throw new InputError({ status: `The users of a mailing that is ${status} cannot be rebuilt.` });
}

/** @throws InputError when no proofs can be sent: they show what the saved set would get, so there has to be one */
export function checkProofs({ status, queryStatus, savedCount }: Pick<QueueFacts, 'status' | 'queryStatus' | 'savedCount'>): void {
  if (status !== 'draft') throw new InputError({ status: `Proofs are sent of a draft only; the mailing is ${status}.` });
  if (isRebuilding(queryStatus)) throw new InputError({ query_status: SET_REFUSALS.beingRebuilt });
  if (queryStatus !== 'saved') throw new InputError({ query_status: SET_REFUSALS.notCurrent });
  if (!savedCount) throw new InputError({ query_status: SET_REFUSALS.empty });
}

/**
 * What kind of thing a field of a mailing is, as far as changing it is concerned. The landing page and the merge file are content, and `narrowing`
 * where the audience is narrowed by them.
 */
export type FieldKind = 'content' | 'narrowing' | 'targeting' | 'schedule' | 'note';

const EVERY_KIND: readonly FieldKind[] = ['content', 'narrowing', 'targeting', 'schedule', 'note'];

/**
 * Kinds of fields that may be changed in each status. Content is frozen from the moment the mailing is queued; what people have got stays as they got
 * it. While a mailing is scheduled all of it may still change: it is frozen when sending starts. The targeting, and the rate with it, may be changed
 * at any time: what is being sent goes on as it was frozen, and what waits with a set of another version is not sent.
 */
const OPEN_KINDS: Record<MailingStatus, readonly FieldKind[]> = {
  draft: EVERY_KIND,
  model: EVERY_KIND,
  stopped: EVERY_KIND,
  died: EVERY_KIND,
  scheduled: EVERY_KIND,
  recurring: ['content', 'narrowing', 'targeting', 'note'],
  queued: ['targeting', 'note'],
  rebuilding_at_send: ['targeting', 'note'],
  sending: ['targeting', 'note'],
  completed: ['narrowing', 'targeting', 'note'],
};

/** Whether fields of a kind may be changed in a status. */
export const mayChange = (status: MailingStatus, kind: FieldKind): boolean => OPEN_KINDS[status].includes(kind);

/** @throws InputError naming each of `fields` (by name, with its kind) that cannot be changed in this status */
export function checkEditable(status: MailingStatus, fields: Record<string, FieldKind>): void {
  const closed = Object.keys(fields).filter((name) => !mayChange(status, fields[name]!));
  if (closed.length)
    throw new InputError(Object.fromEntries(closed.map((name) => [name, `cannot be changed while the mailing is ${status}.`])));
}

/** The status as the status document words it: it has a word for a set being built, and none for the moments between queue and sending. */
export function statusWord(status: MailingStatus, queryStatus: QueryStatus): string {
  if (status === 'rebuilding_at_send') return 'rebuilding';
  if (status === 'queued') return 'sending';
  const building = queryStatus === 'queued' || queryStatus === 'rebuilding';
  return building && QUEUEABLE.includes(status) ? 'rebuilding' : status;
}
