import { StatementError } from '../../../domain/reports/statement-error.ts';
import type { WrittenStatement } from '../../../domain/reports/written.ts';
import type { Side } from '../../../domain/targeting/compile.ts';
import type { RawSql, Targeting } from '../../../domain/targeting/fields.ts';
import { readBody } from '../../../domain/values.ts';
import { DIALECTS, type Dialect } from '../../../domain/words.ts';
import { prepareRaw } from '../../reports/prepare.ts';
import { type InputContext, type Prepared, readList, readString } from './context.ts';

/** Characters of all statements of one side: reading them takes a share of a second for each ten thousand, on one thread for everybody. */
const MOST_CHARACTERS = 100_000;

const keyOfRaw = (raw: RawSql): string => (typeof raw === 'string' ? raw : JSON.stringify([raw.sql, raw.dialect]));

/**
 * The statements of a side, each once: text, in the dialect of REPORT_DIALECT unless it is stored already, or an object that says its dialect.
 * None is looked into.
 * @throws Error whose message follows the field's name
 */
export function readRawSql(value: unknown, { env }: Pick<InputContext, 'env'>, stored: readonly RawSql[] = []): RawSql[] {
  const read = readList(value, 100).map((each) => readStatement(each, env.REPORT_DIALECT, stored));
  const statements = [...new Map(read.map((each) => [keyOfRaw(each), each])).values()];
  const characters = statements.reduce((sum, each) => sum + (typeof each === 'string' ? each : each.sql).length, 0);
  if (characters > MOST_CHARACTERS) throw new Error(`must not have more than ${MOST_CHARACTERS} characters together`);
  return statements;
}

function readStatement(value: unknown, usual: Dialect, stored: readonly RawSql[]): RawSql {
  const { sql, dialect = usual, ...others } = typeof value === 'string' ? { sql: value } : ((value ?? {}) as Partial<WrittenStatement>);
  const [other] = Object.keys(others);
  if (typeof sql !== 'string' || other !== undefined) throw new Error('must hold texts, or objects with sql and dialect');
  readString(sql);
  if (!DIALECTS.includes(dialect as Dialect)) throw new Error(`must have a dialect of ${DIALECTS.join(', ')}`);
  if (dialect === 'postgresql' || (typeof value === 'string' && stored.includes(value))) return sql;
  return { sql, dialect: dialect as Dialect };
}

/** The statements that are not stored already. */
export function addedRawSql(statements: readonly RawSql[] = [], stored: readonly RawSql[] = []): RawSql[] {
  const known = new Set(stored.map(keyOfRaw));
  return statements.filter((statement) => !known.has(keyOfRaw(statement)));
}

/**
 * The statements of a side as they are stored. Those that are new are known to be usable; only where the caller may write any, since it takes long.
 * @throws Error whose message follows the field's name
 */
export async function readUsableRawSql(value: unknown, context: InputContext & { stored: Targeting }): Promise<RawSql[]> {
  const statements = readRawSql(value, context, context.stored.raw_sql);
  if (!context.can('report:sql')) return statements;
  for (const statement of addedRawSql(statements, context.stored.raw_sql)) {
    await prepareOnce(statement, context, context.prepared).catch((error: Error) => {
      // That nobody could look at it says nothing of the statement.
      if (!(error instanceof StatementError)) throw error;
      throw new Error(`cannot be used. ${error.message.replace(/\.$/, '')}`);
    });
  }
  return statements;
}

function prepareOnce(statement: RawSql, { account }: Pick<InputContext, 'account'>, prepared: Prepared = new Map()): Promise<unknown> {
  const key = keyOfRaw(statement);
  const outcome = prepared.get(key) ?? prepareRaw(statement, account);
  prepared.set(key, outcome);
  return outcome;
}

/**
 * Prepares the new statements of a body before there is a transaction that would hold a connection, and rows, meanwhile. What is wrong is said when the body is
 * read with what this gives.
 * @param mailingId null for one that is to be made
 * @param context of the pool
 */
export async function prepareAhead(body: unknown, mailingId: number | null, context: InputContext): Promise<Prepared> {
  const prepared: Prepared = new Map();
  const given = readBody(body) as Partial<Record<Side, Targeting | null>>;
  const sides = (['includes', 'excludes'] as const).filter((side) => given[side]?.raw_sql);
  if (sides.length === 0 || !context.can('report:sql')) return prepared;
  const [stored] = await context.sql<Record<Side, Targeting>>('select includes, excludes from core_mailing where id = $1', [mailingId]);
  try {
    for (const side of sides) {
      const [known, now] = [stored?.[side].raw_sql, given[side]!.raw_sql];
      for (const statement of addedRawSql(readRawSql(now, context, known), known)) await prepareOnce(statement, context, prepared);
    }
  } catch {
    // The first that cannot be used: the rest is not looked at then either.
  }
  return prepared;
}
