import type pg from 'pg';

/** Somebody a stage made, as it knows them itself. */
export interface Person {
  id: number;
  email: string;
  /** Every first name they have had since the mailing was frozen; empty is none. */
  names: string[];
  /** The address of somebody who was merged into them: a mail to it was theirs. */
  merged?: string;
}

/** Those who are to have every mailing, and those who must have none. */
export interface People {
  members: Person[];
  outsiders: Person[];
}

const NAMES = ['Alma', 'Zoë', '', "Conan O'Neil", 'Ana & Bo', '<b>Max</b>', '李小龍', 'Ümit', 'x'.repeat(60), 'Jo{{n}}'];

/** Why somebody must not be mailed, and the SQL that makes it so of user $1. */
const OUTSIDE: readonly string[] = [
  // Never on the list.
  'delete from core_subscription where user_id = $1',
  // On the list by a row left behind, but gone from all lists.
  `update core_user set subscription_status = 'unsubscribed' where id = $1`,
  `update core_user set subscription_status = 'bounced' where id = $1`,
  `insert into core_blackholedemail (email) select lower(email) from core_user where id = $1`,
];

/** Puts people into an empty platform: so many on the list `Everyone`, and between them some who must get nothing. */
export async function makePeople(pool: pg.Pool, recipients: number): Promise<People> {
  await pool.query(`insert into core_list (name) values ('Everyone')`);
  const all = await addPeople(pool, 'person', recipients + OUTSIDE.length * 2);
  await pool.query('insert into core_subscription (user_id, list_id) select u.id, l.id from core_user u, core_list l');
  const every = Math.floor(all.length / (OUTSIDE.length * 2));
  const outsiders = OUTSIDE.flatMap((_, n) => [all[n * every]!, all[(n + OUTSIDE.length) * every]!]);
  for (const [n, { id }] of outsiders.entries()) await pool.query(OUTSIDE[Math.floor(n / 2)]!, [id]);
  await pool.query(`insert into core_page (name, type) values ('leave', 'unsubscribe')`);
  await pool.query('analyze core_user, core_subscription');
  return { members: all.filter((person) => !outsiders.includes(person)), outsiders };
}

/** Users who are subscribed as far as their row says; on no list yet. */
export async function addPeople(pool: pg.Pool, kind: string, count: number): Promise<Person[]> {
  const made = Array.from({ length: count }, (_, n) => ({ email: `${kind}.${n}@example.org`, name: NAMES[n % NAMES.length]! }));
  const { rows } = await pool.query<{ id: number; email: string }>(
    `insert into core_user (email, first_name, subscription_status)
      select email, name, 'subscribed' from unnest($1::text[], $2::text[]) p(email, name) returning id, email`,
    [made.map(({ email }) => email), made.map(({ name }) => name)],
  );
  const ids = new Map(rows.map(({ id, email }) => [email, id]));
  return made.map(({ email, name }) => ({ id: ids.get(email)!, email, names: [name] }));
}
