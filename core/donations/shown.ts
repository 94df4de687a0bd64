import { timestampSql } from '../../db/timestamp-sql.ts';

// SQL of the objects that stand inside others: an order in its action, details and profiles in their order. A push answers with finer
// times and amounts than a GET shows, and with objects where a GET has URIs.

export interface Grain {
  /** The parts and the profile of an order: as URIs, or as they are. */
  parts: 'uris' | 'objects';
  time: (column: string) => string;
  /** An amount in US dollars. */
  converted: (column: string) => string;
}

export const ON_GET: Grain = { parts: 'uris', time: timestampSql, converted: (column) => `round(${column}, 2)::text` };

export const ON_PUSH: Grain = {
  parts: 'objects',
  time: (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`,
  converted: (column) => `${column}::text`,
};

/** @param id SQL of the id; a null gives null */
export const uriSql = (resource: string, id: string) => `'/rest/v1/${resource}/' || ${id} || '/'`;

const object = (fields: Record<string, string>) =>
  `json_build_object(${Object.entries(fields)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')})`;

const listOf = (item: string, from: string) => `coalesce((select json_agg(${item} order by x.id) from ${from}), '[]')`;

const ACCOUNT_OF = (row: string) => `(select a.name from core_paymentaccount a where a.id = ${row}.account_id)`;

/** List of the details of an order. @param order SQL of its id */
export function orderdetailsSql(order: string, { parts, time, converted }: Grain): string {
  if (parts === 'uris') return listOf(uriSql('orderdetail', 'x.id'), `core_orderdetail x where x.order_id = ${order}`);
  const detail = object({
    amount: 'x.amount::text',
    amount_converted: converted('x.amount_converted'),
    candidate: uriSql('candidate', 'x.candidate_id'),
    created_at: time('x.created_at'),
    currency: 'x.currency',
    id: 'x.id',
    order: uriSql('order', 'x.order_id'),
    product: uriSql('product', 'x.product_id'),
    quantity: 'x.quantity',
    resource_uri: uriSql('orderdetail', 'x.id'),
    status: 'x.status',
    updated_at: time('x.updated_at'),
  });
  return listOf(detail, `core_orderdetail x where x.order_id = ${order}`);
}

/** List of the profiles of an order: one, or none. @param order SQL of its id */
export function orderrecurringsSql(order: string, { parts, time, converted }: Grain): string {
  if (parts === 'uris') return listOf(uriSql('orderrecurring', 'x.id'), `core_orderrecurring x where x.order_id = ${order}`);
  const profile = object({
    account: ACCOUNT_OF('x'),
    action: uriSql('donationaction', 'x.action_id'),
    amount: 'x.amount::text',
    amount_converted: converted('x.amount_converted'),
    cancel: `'/rest/v1/orderrecurring/' || x.id || '/cancel/'`,
    card_num: 'x.card_num',
    created_at: time('x.created_at'),
    currency: 'x.currency',
    exp_date: 'x.exp_date',
    id: 'x.id',
    order: uriSql('order', 'x.order_id'),
    period: 'x.period',
    recurring_id: 'x.recurring_id',
    resource_uri: uriSql('orderrecurring', 'x.id'),
    start: `to_char(x.start, 'YYYY-MM-DD')`,
    status: 'x.status',
    updated_at: time('x.updated_at'),
    user: uriSql('user', 'x.user_id'),
  });
  return listOf(profile, `core_orderrecurring x where x.order_id = ${order}`);
}

/** URIs of the transactions of an order. @param order SQL of its id */
export const transactionsSql = (order: string) => listOf(uriSql('transaction', 'x.id'), `core_transaction x where x.order_id = ${order}`);

/** The order of an action, or null. @param action SQL of the action's id */
export function orderSql(action: string, grain: Grain): string {
  const { time, converted } = grain;
  const order = object({
    account: ACCOUNT_OF('o'),
    action: uriSql('donationaction', 'o.action_id'),
    card_num_last_four: 'o.card_num_last_four',
    created_at: time('o.created_at'),
    currency: 'o.currency',
    id: 'o.id',
    import_id: 'o.import_id',
    orderdetails: orderdetailsSql('o.id', grain),
    orderrecurrings: orderrecurringsSql('o.id', grain),
    payment_method: 'o.payment_method',
    resource_uri: uriSql('order', 'o.id'),
    shipping_address: 'null',
    status: 'o.status',
    total: 'o.total::text',
    total_converted: converted('o.total_converted'),
    transactions: transactionsSql('o.id'),
    updated_at: time('o.updated_at'),
    user: uriSql('user', 'o.user_id'),
    user_detail: uriSql('orderuserdetail', 'o.user_detail_id'),
  });
  return `(select ${order} from core_order o where o.action_id = ${action})`;
}
