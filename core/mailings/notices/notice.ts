import type { CoreDeps } from '../../deps.ts';

/** A row of core_mailingnotice, with what may keep it from being sent. */
export interface Notice {
  id: number;
  /** By which mailboxes know its mail again. */
  name: string;
  mailing_id: number;
  kind: string;
  account_id: number | null;
  reviewer_id: number | null;
  reasons: string[];
}

export type NoticeDeps = Pick<CoreDeps, 'pool' | 'env' | 'relay' | 'log'>;
