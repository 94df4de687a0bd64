import type { Sql } from '../../db/sql.ts';

// What follows from an order's row, one rule each. Whoever changes an order asks for all of them; each writes only what differs, so that
// asking twice changes nothing. Reports, targeting and partner maps read the rows, and results of mailings are kept by triggers: they need no rule here.

/** The action of an order that came to nothing has, too; one that was reversed was done all the same. */
const ACTION_STATUS = `case o.status when 'failed' then 'failed' when 'incomplete' then 'incomplete' when 'pending' then 'incomplete' else 'complete' end`;

const ACTION = `
  update core_action a set status = ${ACTION_STATUS}, updated_at = now() from core_order o
  where o.id = $1 and a.id = o.action_id and a.status <> ${ACTION_STATUS}`;

/** The part of the order's dollars that the detail is of its total; divided to thirty decimals, so that it is rounded once. */
const DETAIL_CONVERTED = 'round((o.total_converted * d.amount)::numeric(70, 30) / o.total, 10)';

const DETAILS = `
  update core_orderdetail d set status = o.status, currency = o.currency, amount_converted = ${DETAIL_CONVERTED}, updated_at = now() from core_order o
  where o.id = $1 and d.order_id = o.id and (d.status, d.currency, d.amount_converted) is distinct from (o.status, o.currency, ${DETAIL_CONVERTED})`;

const PROFILE = `
  update core_orderrecurring r set action_id = o.action_id, updated_at = now() from core_order o
  where o.id = $1 and r.order_id = o.id and r.action_id <> o.action_id`;

/** Brings what is derived from an order into line with it, in the transaction that changed it. */
export async function followOrder(sql: Sql, orderId: number): Promise<void> {
  await sql(ACTION, [orderId]);
  await sql(DETAILS, [orderId]);
  await sql(PROFILE, [orderId]);
}

/**
 * A one-time order is what became of its payments: paid when one of them is, else given back when one was, whatever was tried beside it, else pending when one
 * is, else incomplete when one is, else failed: the last of these in the alphabet.
 */
const ORDER_STATUS = `
  update core_order o set status = p.status, updated_at = now() from (
    select coalesce(max(status) filter (where status = 'completed'), max(status) filter (where status = 'reversed'), max(status)) as status
    from core_transaction where order_id = $1 and type = 'sale') p
  where o.id = $1 and p.status is not null and o.status <> p.status and not exists (select from core_orderrecurring r where r.order_id = o.id)`;

/** A profile that goes on is late when the last of its payments, by their times, failed, and up to date when that was made. What is not known yet says neither. */
const PROFILE_STATUS = `
  update core_orderrecurring r set status = p.status, updated_at = now() from (
    select case (array_agg(status order by created_at desc, id desc))[1] when 'failed' then 'past_due' else 'active' end as status
    from core_transaction where order_id = $1 and type = 'sale' and status in ('completed', 'failed') having count(*) > 0) p
  where r.order_id = $1 and r.status in ('active', 'past_due') and r.status <> p.status`;

/** Brings the profile of an order into line with its payments. */
export async function followProfile(sql: Sql, orderId: number): Promise<void> {
  // First, and apart: who adds a payment holds the profile, and a statement that waited for them would not see it.
  await sql('select from core_orderrecurring where order_id = $1 for no key update', [orderId]);
  await sql(PROFILE_STATUS, [orderId]);
}

/** Brings an order and its profile into line with payments of which one was added or has another status. */
export async function followPayments(sql: Sql, orderId: number): Promise<void> {
  await sql(ORDER_STATUS, [orderId]);
  await followProfile(sql, orderId);
  await followOrder(sql, orderId);
}
