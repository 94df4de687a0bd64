import type { Pool } from '../../db/driver.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { FileError } from '../../domain/errors.ts';
import { type Legislator, type LoadedTarget, targetOf } from '../../domain/whipcounts/legislators.ts';

/** What a load did, in targets. */
export interface LoadSummary {
  added: number;
  changed: number;
  unchanged: number;
  /** Left Congress since the last load: hidden, with everything that was reported about them kept. */
  hidden: number;
  /** Entries that could not be used, and why. */
  skipped: string[];
}

/** A file that is far from whole must not hide half of Congress. */
const SMALLEST_SHARE = 0.5;

const COLUMNS = [
  'type',
  'state',
  'seat',
  'us_district',
  'first',
  'last',
  'gender',
  'party',
  'title',
  'long_title',
  'phone',
  'fax',
  'email',
] as const satisfies (keyof LoadedTarget)[];

/**
 * Brings the members of Congress up to date with the entries of a file, in one transaction. Targets made by hand are not touched; nobody is deleted. The same entries a second time change nothing.
 * @throws Error when there is nothing usable, or far fewer people than were loaded before
 */
export async function loadTargets(pool: Pool, entries: readonly Legislator[]): Promise<LoadSummary> {
  const { targets, skipped } = read(entries);
  if (targets.size === 0) throw new FileError('There is no usable entry in the file.');
  const client = await pool.connect();
  try {
    await client.query('begin');
    const counts = await write(sqlOn(client), targets);
    await client.query('commit');
    return { ...counts, skipped };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

async function write(sql: Sql, targets: Map<string, LoadedTarget>): Promise<Omit<LoadSummary, 'skipped'>> {
  await sql('lock table core_target in share row exclusive mode');
  const [before] = await sql<{ count: number }>('select count(*)::int as count from core_target where bioguide is not null and not hidden');
  if (targets.size < before!.count * SMALLEST_SHARE) {
    throw new FileError(
      `The file has ${targets.size} people, where ${before!.count} were loaded before: it is not whole. Nothing was changed.`,
    );
  }
  const incoming = `jsonb_to_recordset($1::jsonb) as n(bioguide text, ${COLUMNS.map((column) => `${column} text`).join(', ')})`;
  const values = [JSON.stringify([...targets.values()])];
  const differs = COLUMNS.map((column) => `t.${column} is distinct from n.${column}`).join(' or ');
  const changed = await sql(
    `update core_target t set ${COLUMNS.map((column) => `${column} = n.${column}`).join(', ')}, hidden = false, updated_at = now()
     from ${incoming} where t.bioguide = n.bioguide and (t.hidden or ${differs}) returning t.id`,
    values,
  );
  const added = await sql(
    `insert into core_target (bioguide, ${COLUMNS.join(', ')}) select n.bioguide, ${COLUMNS.map((column) => `n.${column}`).join(', ')}
     from ${incoming} where not exists (select from core_target t where t.bioguide = n.bioguide) order by n.type, n.seat returning id`,
    values,
  );
  const hidden = await sql(
    `update core_target t set hidden = true, updated_at = now() where t.bioguide is not null and not t.hidden
       and not exists (select from ${incoming} where n.bioguide = t.bioguide) returning t.id`,
    values,
  );
  return {
    added: added.length,
    changed: changed.length,
    unchanged: targets.size - added.length - changed.length,
    hidden: hidden.length,
  };
}

function read(entries: readonly Legislator[]): { targets: Map<string, LoadedTarget>; skipped: string[] } {
  const targets = new Map<string, LoadedTarget>();
  const skipped: string[] = [];
  for (const entry of entries) {
    try {
      const target = targetOf(entry ?? {});
      targets.set(target.bioguide, target);
    } catch (error) {
      skipped.push((error as Error).message);
    }
  }
  return { targets, skipped };
}
