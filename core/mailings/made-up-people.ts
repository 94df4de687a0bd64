import type { Pool } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import { run, tables } from '../../entities/tables.ts';
import type { Recipient } from '../../mail/contracts.ts';

// People nobody is, for mails shown to those who may not see members.

const NAMES = [
  ['Sam', 'Sample', 'Springfield', 'IL', '62701'],
  ['Alex', 'Example', 'Albany', 'NY', '12207'],
  ['Robin', 'Nobody', 'Austin', 'TX', '78701'],
  ['Kim', 'Invented', 'Denver', 'CO', '80202'],
] as const;

const LOCATION = { us_district: 'IL_13', us_county: 'Sangamon', country_code: 'US', region_code: 'IL', timezone: 'America/Chicago' };

/**
 * @param columns of a recipient, as for real ones: SQL over the row `u` of core_user
 * @param mergefileColumns each gets its own name as a value, and so does every custom user field
 */
export async function madeUpPeople(pool: Pool, count: number, columns: string, mergefileColumns: readonly string[]): Promise<Recipient[]> {
  const people = Array.from({ length: count }, (_, n) => {
    const [first_name, last_name, city, state, zip] = NAMES[n % NAMES.length]!;
    const name = {
      first_name,
      last_name,
      city,
      state,
      region: state,
      zip,
      postal: zip,
      address1: '1 Main Street',
      country: 'United States',
    };
    // Ids that no user has: what hangs on a person is looked up by them, and must be nobody's.
    return { id: -1 - n, email: `sample${n + 1}@example.org`, ...name, source: 'sample', subscription_status: 'subscribed', ...stamps() };
  });
  const { rows } = await pool.query<Recipient>(
    `select u.id as user_id, u.email${columns} from jsonb_populate_recordset(null::core_user, $1::jsonb) u order by u.id desc`,
    [JSON.stringify(people)],
  );
  const fields = rows.some((row) => 'fields' in row) ? await declaredFields(pool) : [];
  return rows.map((row) => ({
    ...row,
    ...('fields' in row && { fields: named(fields) }),
    ...('location' in row && { location: LOCATION }),
    ...('row' in row && { row: named(mergefileColumns) }),
  }));
}

const stamps = () => {
  const now = new Date().toISOString();
  return { created_at: now, updated_at: now };
};

const named = (names: readonly string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, `[${name}]`]));

async function declaredFields(pool: Pool): Promise<string[]> {
  const declared = await run(sqlOn(pool), tables.selectFrom('core_alloweduserfield').select('name').orderBy('name').limit(10_000));
  return declared.map(({ name }) => name);
}
