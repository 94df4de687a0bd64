// Ids, task queues and message names of every workflow, and nothing else: what the API, the workers and the tests agree on.
// Ids carry numbers only, never anything personal.

export const TASK_QUEUE = {
  /** Workflows and short activities. */
  campaign: 'campaign',
  /** Send slices. */
  sending: 'sending',
  /** Rebuilds and reports: long statements, few slots. */
  sql: 'sql',
} as const;

/** Search attributes registered at start-up (bin/migrate.ts), by which operators find a run. */
export const SEARCH_ATTRIBUTE = { mailingId: 'MailingId', userId: 'UserId', jobKind: 'JobKind' } as const;

export const workflowId = {
  sendMailing: (mailingId: number) => `mailing-${mailingId}-send`,
  rebuildTargets: (mailingId: number, jobId: number) => `mailing-${mailingId}-rebuild-${jobId}`,
  sendProofs: (mailingId: number, jobId: number) => `mailing-${mailingId}-proofs-${jobId}`,
} as const;

/** Signals, imperative; queries, nouns. */
export const MESSAGE = { stop: 'stop', reschedule: 'reschedule', progress: 'progress' } as const;

export interface SendMailingInput {
  mailingId: number;
  /** Carried over by continue-as-new. */
  carried?: { stopped: boolean; relayDownSince: number | null; pauses: number };
}

export interface RebuildTargetsInput {
  mailingId: number;
  jobId: number;
}

export interface SendProofsInput {
  mailingId: number;
  jobId: number;
}

/** What the `progress` query of `sendMailing` answers. Times are ISO 8601 in UTC. */
export interface SendProgress {
  phase: 'waiting' | 'rebuilding' | 'sending' | 'paused' | 'stopping' | 'finished';
  /** Counted since the run began, as of the last finished slice; the ledger's shards have the numbers of this moment. */
  accepted: number;
  /** Why nothing is being sent just now, and when it goes on. */
  pause: { reason: string; until: string } | null;
}
