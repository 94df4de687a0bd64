import { newConnection } from '../../db/driver.ts';

const BATCH = 50_000;

const FIRST = [
  'Alma',
  'Bruno',
  'Chloé',
  'Dalia',
  'Emre',
  'Freja',
  'Gus',
  'Hiro',
  'Inés',
  'Jaya',
  'Kofi',
  'Lotte',
  'Milan',
  'Noor',
  'Oona',
  'Pavel',
];
const LAST = ['Abara', 'Berg', 'Costa', 'Duarte', 'Endo', 'Fischer', 'Gallo', 'Holm', 'Ito', 'Jung', 'Kaya', 'Lund', 'Mbeki'];

/**
 * Loads generated people set-wise, subscribed to a list: many more than a demonstration would sign up one by one.
 * @param states they live in these, evenly
 * @param loaded told how many are in
 */
export async function loadCrowd(
  databaseUrl: string,
  people: number,
  listId: number,
  states: string[],
  loaded: (count: number) => void,
): Promise<void> {
  const client = newConnection(databaseUrl);
  await client.connect();
  try {
    for (let from = 1; from <= people; from += BATCH) {
      const to = Math.min(people, from + BATCH - 1);
      await client.query(CROWD, [from, to, listId, states, FIRST, LAST]);
      loaded(to);
    }
    await client.query('vacuum analyze core_user, core_subscription');
  } finally {
    await client.end();
  }
}

/** The addresses `loadCrowd` gives so many people. */
export const crowdAddresses = (people: number): string[] => Array.from({ length: people }, (_, n) => `person${n + 1}@crowd.example`);

const CROWD = `
  with born as (
    insert into core_user (email, first_name, last_name, state, country, source, subscription_status)
    select 'person' || n || '@crowd.example', ($5::text[])[1 + n % cardinality($5::text[])], ($6::text[])[1 + n % cardinality($6::text[])],
      ($4::text[])[1 + n % cardinality($4::text[])], 'United States', 'demo', 'subscribed'
    from generate_series($1::int, $2::int) n returning id),
  joined as (insert into core_subscription (user_id, list_id) select id, $3 from born)
  insert into core_subscriptionhistory (user_id, list_id, change) select id, $3, 'subscribe_import' from born`;
