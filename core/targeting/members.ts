import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { copyFrom, type Pool, type PoolClient } from '../../db/driver.ts';
import type { BoundStatement, Parameters } from '../../domain/reports/placeholders.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import type { Sql } from '../../domain/sql.ts';
import { MEMBER_SOURCE, type Side, stagingOf } from '../../domain/targeting/compile.ts';
import type { Targeting } from '../../domain/targeting/fields.ts';
import { prepareRaw, prepareStatement } from '../reports/prepare.ts';
import { readMemberIds } from './member-ids.ts';
import { RebuildError } from './rebuild-error.ts';

/** What reading the people of statements takes. */
export interface MemberDeps {
  pool: Pool;
  /** Login of the restricted role, for raw_sql and query_reports. */
  reportDatabaseUrl: string;
  statementTimeoutMs: number;
  /** Most memory one of them may take of the server, where that can be watched. */
  reportMemoryMb?: number;
}

type Sides = Record<Side, Targeting>;

const MAX_MEMBERS = 20_000_000;
/** A targeting may hold a hundred statements: all together get the time of so many, lest one rebuild keeps the others waiting for hours. */
const TIMEOUTS_OF_ALL = 10;
const STAGE_AT_ONCE = 50_000;

export type Members = Map<number, number[]>;
const SIDES = Object.keys(MEMBER_SOURCE) as Side[];

/**
 * The people of raw_sql and query_reports, by their source (MEMBER_SOURCE).
 * @throws RebuildError when a statement cannot be used
 */
export async function readMembers(deps: MemberDeps, plan: Sides, signal?: AbortSignal): Promise<Members> {
  const members: Members = new Map();
  const deadline = performance.now() + TIMEOUTS_OF_ALL * deps.statementTimeoutMs;
  for (const side of SIDES) {
    for (const [source, statement] of await statementsOf(deps.pool, plan[side], side)) {
      const ids = await readMemberIds(statement, {
        reportDatabaseUrl: deps.reportDatabaseUrl,
        timeoutMs: Math.max(1, Math.min(deps.statementTimeoutMs, Math.ceil(deadline - performance.now()))),
        maxRows: MAX_MEMBERS,
        memoryMb: deps.reportMemoryMb,
        signal,
      });
      members.set(source, (members.get(source) ?? []).concat(ids));
    }
  }
  return members;
}

async function statementsOf(pool: Pool, targeting: Targeting, side: Side): Promise<[source: number, BoundStatement][]> {
  const statements: [number, BoundStatement][] = [];
  for (const raw of targeting.raw_sql ?? []) statements.push([MEMBER_SOURCE[side].raw_sql, await usable(() => prepareRaw(raw))]);
  for (const wanted of targeting.query_reports ?? []) {
    const found = await pool.query<WrittenStatement>('select sql, dialect from reports_queryreport where short_name = $1', [
      wanted.short_name,
    ]);
    const report = found.rows[0];
    if (!report) throw new RebuildError([`There is no report ${wanted.short_name}.`]);
    const prepared = await usable(() => prepareStatement(report, (wanted.params ?? {}) as Parameters), `Report ${wanted.short_name}: `);
    statements.push([MEMBER_SOURCE[side].query_reports, prepared]);
  }
  return statements;
}

async function usable(prepare: () => Promise<BoundStatement>, what = ''): Promise<BoundStatement> {
  return prepare().catch((error: Error) => {
    throw error instanceof StatementError ? new RebuildError([what + error.message]) : error;
  });
}

/**
 * Makes the temporary table `target_member` of the audience's statement and fills it, in the caller's transaction.
 * @param more statements that fill it with others
 */
export async function stageMembers(client: PoolClient, plan: Sides, members: Members, more: Sql[] = []): Promise<void> {
  await client.query('create temporary table target_member (source int not null, user_id int not null) on commit drop');
  if (members.size) await pipeline(Readable.from(copyLines(members)), client.query(copyFrom('copy target_member from stdin')));
  const staging = [...SIDES.flatMap((side) => stagingOf(plan[side], side)), ...more];
  for (const { text, values } of staging) await client.query(text, [...values]);
  // The planner knows nothing of a new table; without figures it may loop over it.
  if (members.size || staging.length) await client.query('analyze target_member');
}

function* copyLines(members: Members): Generator<string> {
  for (const [source, ids] of members) {
    for (let from = 0; from < ids.length; from += STAGE_AT_ONCE) {
      yield `${source}\t${ids.slice(from, from + STAGE_AT_ONCE).join(`\n${source}\t`)}\n`;
    }
  }
}
