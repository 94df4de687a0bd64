import type { TestApi } from './api.ts';

type Fields = Record<string, unknown>;

export interface PushBody {
  donationpage: Fields;
  order: Fields;
  user: Fields;
  action?: Fields | null;
}

/** A one-time donation push that is accepted, with parts of it replaced. */
export function donation(more: { [part in keyof PushBody]?: Fields | null } = {}): PushBody {
  return {
    donationpage: { name: 'give', ...more.donationpage },
    order: {
      amount: '10.00',
      card_num: '4111111111111111',
      card_code: '007',
      exp_date_month: '12',
      exp_date_year: '2031',
      ...more.order,
    },
    user: { email: 'dora@example.org', first_name: 'Dora', last_name: 'Donor', ...more.user },
    ...(more.action && { action: more.action }),
  };
}

/** POST of a donation push that must answer 200. @returns the donation action */
// biome-ignore lint/suspicious/noExplicitAny: a body of any shape
export async function push(api: TestApi, more: Parameters<typeof donation>[0] = {}): Promise<any> {
  const answer = await api.call('POST', '/rest/v1/donationpush/', donation(more));
  if (answer.statusCode !== 200) throw new Error(`donationpush answered ${answer.statusCode}: ${answer.body}`);
  return answer.json();
}

/** How many rows there are of everything a push may write. */
export async function counted(api: TestApi): Promise<Record<string, number>> {
  const tables = [
    'core_user',
    'core_page',
    'core_action',
    'core_order',
    'core_orderdetail',
    'core_orderuserdetail',
    'core_orderrecurring',
    'core_transaction',
    'core_candidate',
    'core_subscription',
    'core_userfield',
    'core_actionfield',
    'push_key',
  ];
  const { rows } = await api.pool.query(`select ${tables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ')}`);
  return rows[0];
}
