import { REBUILDABLE } from '../../domain/mailing-status.ts';
import type { MailingStatus, QueryStatus } from '../../domain/words.ts';

const WORDS: Record<MailingStatus, string> = {
  draft: 'Draft',
  model: 'Model',
  sending: 'Sending',
  scheduled: 'Scheduled',
  rebuilding_at_send: 'Building audience',
  recurring: 'Recurring',
  queued: 'Queued',
  completed: 'Sent',
  stopped: 'Stopped',
  died: 'Died',
};

export const statusWord = (status: MailingStatus): string => WORDS[status];

/** How mailings are grouped in the list, in its order. */
export const GROUPS = {
  'under-way': { title: 'Under way', statuses: ['sending', 'rebuilding_at_send', 'queued', 'scheduled'] },
  halted: { title: 'Stopped or died', statuses: ['stopped', 'died'] },
  drafts: { title: 'Drafts', statuses: ['draft'] },
  sent: { title: 'Sent', statuses: ['completed'] },
  recurring: { title: 'Recurring', statuses: ['recurring'] },
  models: { title: 'Models', statuses: ['model'] },
} as const satisfies Record<string, { title: string; statuses: readonly MailingStatus[] }>;

export type GroupName = keyof typeof GROUPS;

/** What is to be said of a saved set that is not simply there. */
const SET_WORDS: Record<QueryStatus, string> = {
  none: 'not built yet',
  cleared: 'dropped after sending',
  failed: 'the last build failed',
  queued: 'build asked for',
  rebuilding: 'being built now',
  saved: '',
  invalid: 'targeting changed since: build it again',
};

/** The same of a mailing; empty where there is nothing to be said. What cannot be built now is not asked for, and of one that recurs no set is sent to. */
export function setWords({ status, query_status }: { status: MailingStatus; query_status: QueryStatus }): string {
  if (status === 'recurring') return 'built anew for each copy';
  return query_status === 'invalid' && !REBUILDABLE.includes(status) ? 'targeting changed since' : SET_WORDS[query_status];
}
