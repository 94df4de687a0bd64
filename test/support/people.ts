import type pg from 'pg';

export interface Person {
  id: number;
  email: string;
  state?: string;
  country?: string;
  region?: string;
  zip?: string;
  lang?: number | null;
  status?: 'subscribed' | 'unsubscribed' | 'bounced' | 'never';
  lists?: number[];
}

/** People put straight into the tables, set-wise. Lists they name must exist. */
export async function insertPeople(pool: pg.Pool | pg.Client, people: Person[]): Promise<void> {
  await pool.query(
    `insert into core_user (id, email, state, country, region, zip, lang_id, subscription_status)
     select id, email, coalesce(state, ''), coalesce(country, ''), coalesce(region, ''), coalesce(zip, ''), lang, coalesce(status, 'subscribed')
     from jsonb_to_recordset($1) as x(id int, email text, state text, country text, region text, zip text, lang int, status text)`,
    [JSON.stringify(people)],
  );
  await pool.query(
    `insert into core_subscription (user_id, list_id)
     select id, list::int from jsonb_to_recordset($1) as x(id int, lists jsonb), jsonb_array_elements_text(coalesce(lists, '[]')) as list`,
    [JSON.stringify(people)],
  );
  await pool.query(`select setval('core_user_id_seq', (select coalesce(max(id), 0) + 1 from core_user), false)`);
}
