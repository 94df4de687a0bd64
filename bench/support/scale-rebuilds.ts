import type pg from 'pg';
import { writeRebuildJob } from '../../core/targeting/rebuild-job.ts';
import { rebuildSet } from '../../core/targeting/rebuild-set.ts';
import { sqlOn } from '../../db/sql.ts';
import { REBUILDABLE } from '../../domain/mailing-status.ts';
import type { Targeting } from '../../domain/targeting/fields.ts';
import { MAILINGS } from './grown-data.ts';

/** An audience of a platform grown large (grown-data.ts), and how long it may take to build. */
export interface ScaleRebuild {
  what: string;
  includes: Targeting;
  excludes: Targeting;
  fast?: boolean;
  /** Milliseconds at five million people. */
  bar: number;
}

const PAGES = Array.from({ length: 20 }, (_, n) => n + 20);
/** Every fifth mailing went to the same fifth of all people: nobody would be left without all of them. */
const SENT = Array.from({ length: MAILINGS }, (_, n) => n + 1).filter((mailing) => mailing % 5 !== 0);
const WITHOUT = { includes: { lists: [1] }, excludes: { mailings: SENT } };

export const SCALE_REBUILDS: readonly ScaleRebuild[] = [
  { what: 'everybody on a list', includes: { lists: [1] }, excludes: {}, bar: 8000 },
  { what: 'who acted on one of 20 pages', includes: { actions: PAGES }, excludes: {}, bar: 4200 },
  { what: 'who was sent a mailing', includes: { mailings: [3] }, excludes: {}, bar: 4100 },
  { what: `a list without who was sent one of ${SENT.length} mailings`, ...WITHOUT, bar: 4400 },
  { what: 'the same anew with fast_rebuild', ...WITHOUT, fast: true, bar: 5700 },
];

/** @returns builds the set of a new mailing once more each time it is called, and says how many are in it */
export async function rebuilder(pool: pg.Pool, { includes, excludes, fast = false }: ScaleRebuild): Promise<() => Promise<number>> {
  const { rows } = await pool.query('insert into core_mailing (includes, excludes) values ($1, $2) returning id', [includes, excludes]);
  const mailingId: number = rows[0].id;
  const deps = { pool, reportDatabaseUrl: '', statementTimeoutMs: 60_000, fastRebuild: true };
  return async () => {
    const jobId = await writeRebuildJob(sqlOn(pool), mailingId, fast, 1);
    return (await rebuildSet(deps, { mailingId, jobId, during: REBUILDABLE })).count;
  };
}
