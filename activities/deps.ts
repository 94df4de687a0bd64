import type { Client } from '@temporalio/client';
import type { CoreDeps } from '../core/deps.ts';
import type { Pool } from '../db/driver.ts';
import type { WorkerMetrics } from './metrics.ts';

/** What activities are made from; a worker process has one of each. */
export interface ActivityDeps extends CoreDeps {
  /** For the statements of a slice, at least two connections per send slot (see SlicesDeps): what is not answered within the lease has failed. */
  sendPool: Pool;
  temporal: Client;
  /** Absent where nothing is measured. */
  metrics?: WorkerMetrics;
}
