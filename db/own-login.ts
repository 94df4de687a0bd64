import { SettingError } from '../config/env.ts';
import { type Client, escapeIdentifier, escapeLiteral, newConnection } from './driver.ts';

/**
 * What every statement takes for granted of its session. A server, a database or a login may say otherwise, and a schema named like the login comes before
 * public by itself; with another isolation a lock would be waited for, and what its holder has written not be seen.
 */
const TAKEN_FOR_GRANTED = [
  { setting: 'search_path', value: 'public', holds: `current_schema() is not distinct from 'public'` },
  {
    setting: 'default_transaction_isolation',
    value: 'read committed',
    holds: `current_setting('default_transaction_isolation') = 'read committed'`,
  },
  { setting: 'datestyle', value: 'ISO, MDY', holds: `current_setting('datestyle') like 'ISO%'` },
  { setting: 'standard_conforming_strings', value: 'on', holds: `current_setting('standard_conforming_strings') = 'on'` },
  { setting: 'array_nulls', value: 'on', holds: `current_setting('array_nulls') = 'on'` },
  // With replica, which is set while a database is filled by replication and forgotten, no trigger runs and nothing looks at what a row refers to.
  { setting: 'session_replication_role', value: 'origin', holds: `current_setting('session_replication_role') = 'origin'` },
];

/**
 * Tells the login of a database, for this database alone, what statements take for granted where it is set otherwise. Of the login and not of each connection: a
 * pooler takes few settings of one.
 * @returns the names of the settings that were told
 * @throws SettingError where connections are handed out that began before it was told, and where only a superuser may tell it
 */
export async function settleLogin(databaseUrl: string): Promise<string[]> {
  const others = await setOtherwise(databaseUrl);
  if (others.length) await tell(databaseUrl, others);
  const still = others.length ? await setOtherwise(databaseUrl) : [];
  if (still.length)
    throw new SettingError(
      `DATABASE_URL: its login has ${named(still)} from now on, and not here: by options in DATABASE_URL, or by connections that the pooler before the database has from before; tell that to RECONNECT, then do this again`,
    );
  return others.map(({ setting }) => setting);
}

const named = (settings: typeof TAKEN_FOR_GRANTED) => settings.map(({ setting, value }) => `${setting} = '${value}'`).join(', ');

/** What a login has otherwise than it was told, or has never been: one that came after the migration, say. @returns words; null where nothing */
export async function whyNotSettled(client: Pick<Client, 'query'>): Promise<string | null> {
  const others = notHeld((await client.query<Held>(ASK_HELD)).rows);
  return others.length ? `its login does not have ${named(others)} in this database: statements would not do what they are meant to` : null;
}

interface Held {
  held: boolean[];
}

const ASK_HELD = `select array[${TAKEN_FOR_GRANTED.map(({ holds }) => holds).join(', ')}] as held`;

const notHeld = ([row]: Held[]) => TAKEN_FOR_GRANTED.filter((_, n) => !row!.held[n]);

const setOtherwise = (databaseUrl: string) => onConnection(databaseUrl, async (query) => notHeld(await query<Held>(ASK_HELD)));

/** One at a time, whoever else does so: of two that write the same row of the catalogue PostgreSQL refuses one. */
const tell = (databaseUrl: string, settings: typeof TAKEN_FOR_GRANTED) =>
  onConnection(databaseUrl, async (query) => {
    await query('begin');
    await query(`select pg_advisory_xact_lock(hashtext('campaign-platform login'))`);
    // A login that acts as another role from its first statement has the settings of its own name; it may change them under that alone.
    await query('set local role none');
    const [row] = await query<{ login: string; database: string }>('select session_user as login, current_database() as database');
    const [login, database] = [row!.login, row!.database].map((name) => escapeIdentifier(name));
    for (const { setting, value } of settings) {
      const statement = `alter role ${login} in database ${database} set ${setting} = ${escapeLiteral(value)}`;
      await query(statement).catch((error: { code?: string }) => {
        if (error.code !== NOT_ALLOWED) throw error;
        throw new SettingError(
          `DATABASE_URL: its login needs another ${setting} and may not tell itself: have a superuser say ${statement}`,
        );
      });
    }
    await query('commit');
  });

const NOT_ALLOWED = '42501';

type Query = <Row = unknown>(text: string) => Promise<Row[]>;

async function onConnection<Result>(databaseUrl: string, work: (query: Query) => Promise<Result>): Promise<Result> {
  const client = newConnection(databaseUrl);
  await client.connect();
  try {
    return await work(async (text) => (await client.query(text)).rows as never);
  } finally {
    await client.end();
  }
}
