import { randomUUID } from 'node:crypto';
import { inAbortableTransaction } from '../../db/abortable-transaction.ts';
import type { Pool } from '../../db/driver.ts';
import { reportDatabaseUrl } from '../../db/report-login.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { CoreDeps } from '../deps.ts';
import { ERASED } from '../people/erased.ts';
import { prepareStatement } from '../reports/prepare.ts';
import { withoutItsWords } from '../reports/report-bounds.ts';
import { findSavedReport } from '../reports/saved-report.ts';
import { readMemberIds } from '../targeting/member-ids.ts';
import { RebuildError } from '../targeting/rebuild-error.ts';
import { TOO_LONG } from './lease.ts';
import { askChanged, disconnectOrphans } from './mapping-status.ts';
import { type Later, persist } from './persist.ts';
import { type SyncParts, syncMapping } from './sync-mapping.ts';

/** What a round found to do. */
export interface RoundOpened {
  /** Users the query report brought into the sync. */
  added: number;
  /** Mapped users that changed since the CRM last had them. */
  changed: number;
}

const MOST_REPORTED = 5_000_000;

/** Marks everything there is to do. Harmless when run twice. */
export async function openRound(deps: CoreDeps, signal: AbortSignal): Promise<RoundOpened> {
  const added = await addReported(deps, signal);
  await disconnectOrphans(deps.pool);
  return { added, changed: await inAbortableTransaction(deps.pool, signal, askChanged) };
}

async function addReported({ env, pool, log }: CoreDeps, signal: AbortSignal): Promise<number> {
  if (!env.CRM_REPORT) return 0;
  try {
    const report = await findSavedReport(pool, env.CRM_REPORT);
    if (!report) throw new StatementError(`There is no query report ${env.CRM_REPORT}.`);
    const ids = await readMemberIds(await prepareStatement(report), {
      reportDatabaseUrl: reportDatabaseUrl(env),
      timeoutMs: env.STATEMENT_TIMEOUT_MS,
      maxRows: MOST_REPORTED,
      memoryMb: env.REPORT_MEMORY_MB,
      signal,
    });
    const added = await inAbortableTransaction(pool, signal, (client) =>
      client.query(
        `insert into core_crmmap (user_id, urgent) select u.id, false from core_user u where u.id = any($1::int[]) and not ${ERASED}
         on conflict (user_id) do nothing`,
        [ids],
      ),
    );
    return added.rowCount ?? 0;
  } catch (error) {
    if (!(error instanceof RebuildError || error instanceof StatementError)) throw error;
    // A report that cannot be read must not keep those who are mapped from being synced.
    log.error({ report: env.CRM_REPORT, error: withoutItsWords(error.message) }, 'the report of the CRM sync cannot be read');
    return 0;
  }
}

export interface BatchInput {
  /** Mappings up to this id have had their turn in this round. */
  after: number;
  /** Which round it is, by a name no other has. */
  round?: string;
}

export interface BatchEnd {
  /** Where the next batch goes on. */
  after: number;
  finished: boolean;
  /** Of the mappings this batch passes by: also by a try whose worker ended before it could say so. */
  synced: number;
  /** The same of those it refused. */
  failed: number;
  /** The CRM made something of one, whatever that was; absent in older histories. */
  answered?: boolean;
  /** Those the CRM failed at while it answered otherwise: left to the next round. */
  passedOver: number;
  /** Why it ended early, when it did. */
  later: Later | null;
}

const LANES = 4;
const LONGEST_BATCH_MS = 20_000;

/**
 * Syncs the next mappings that wait, a few at a time. It ends early when the CRM is away or our limit is used up, and after some twenty
 * seconds in any case.
 */
export async function syncBatch(parts: SyncParts, { after, round = randomUUID() }: BatchInput, beat: () => void): Promise<BatchEnd> {
  const { env, pool, shuttingDown, clock } = parts.deps;
  const { rows } = await pool.query<{ id: number }>(
    `select id from core_crmmap where wanted > done and id > $1 and (held_until is null or held_until < now() or ${TOO_LONG}) order by id limit $2`,
    [after, env.CRM_BATCH],
  );
  const now = () => (clock ? clock.now() : performance.now());
  const began = now();
  const waiting = rows.map(({ id }) => id);
  const open = new Set<number>();
  const end: BatchEnd = { after, finished: false, synced: 0, failed: 0, answered: false, passedOver: 0, later: null };
  const lane = async (most = waiting.length) => {
    while (most-- > 0 && waiting.length > 0 && !end.later && !shuttingDown.aborted && now() - began < LONGEST_BATCH_MS) {
      const id = waiting.shift()!;
      open.add(id);
      const one = await persist(() => syncMapping(parts, id, round), { ...parts, ref: `${env.CRM_REF_PREFIX}-nobody` });
      beat();
      if (one?.kind === 'later' && one.why !== 'held') {
        end.later ??= one;
        return;
      }
      open.delete(id);
      if (!one) end.passedOver++;
      end.answered ||= one?.kind !== 'idle' && one?.kind !== 'later';
    }
  };
  // The first one goes alone: in an outage it is all that is asked.
  await lane(1);
  await Promise.all(Array.from({ length: LANES }, () => lane()));
  const left = [...open, ...waiting];
  end.after = left.length > 0 ? Math.min(...left) - 1 : (rows.at(-1)?.id ?? after);
  end.finished = left.length === 0 && rows.length < env.CRM_BATCH;
  return { ...end, ...(await countPassed(pool, round, after, end)) };
}

/** Each once in a round: what a batch leaves to the next one is counted by that. */
async function countPassed(
  pool: Pool,
  round: string,
  after: number,
  end: Pick<BatchEnd, 'after' | 'finished'>,
): Promise<{ synced: number; failed: number }> {
  const { rows } = await pool.query<{ synced: number; failed: number }>(
    `select count(*) filter (where status <> 'failed')::int as synced, count(*) filter (where status = 'failed')::int as failed
     from core_crmmap where round = $1 and id > $2 and ($3::int is null or id <= $3) and wanted = done`,
    [round, after, end.finished ? null : end.after],
  );
  return rows[0]!;
}
