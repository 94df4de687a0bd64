import type { PartnerKind } from '../../../domain/words.ts';
import { ERASED } from '../../people/erased.ts';

/** One kind of thing that gets a record in the partner system: where those without a mapping are found, and where the mapping goes. */
export interface PartnerSource {
  kind: PartnerKind;
  table: string;
  localColumn: string;
  remoteColumn: string;
  /** SQL: whose the thing with the id $1 is. */
  owner: string;
  /** SQL: `id` of the next things without a mapping after $1, at most $2, in the order of ids. */
  waiting: string;
}

// Asked when they are looked for, and again when they are sent: between the two they may have been given back.
const ORDER_COUNTS = `o.status = 'completed'`;
const PAYMENT_COUNTS = `t.success and t.status = 'completed'`;

/** In this order: a contribution needs its contact. What is waiting for one that was refused is left alone. */
export const PARTNER_SOURCES: readonly PartnerSource[] = [
  {
    kind: 'user',
    table: 'core_partnerusermap',
    localColumn: 'user_id',
    remoteColumn: 'partner_contact_id',
    owner: 'select $1::int',
    waiting: `
      select u.id from core_user u
      where u.id > $1 and not exists (select from core_partnerusermap m where m.user_id = u.id) and not ${ERASED}
      order by u.id limit $2`,
  },
  {
    kind: 'order',
    table: 'core_partnerordermap',
    localColumn: 'order_id',
    remoteColumn: 'contribution_id',
    owner: 'select user_id from core_order where id = $1',
    waiting: `
      select o.id from core_order o
      where o.id > $1 and ${ORDER_COUNTS} and not exists (select from core_partnerordermap m where m.order_id = o.id)
        and exists (select from core_partnerusermap c where c.user_id = o.user_id)
      order by o.id limit $2`,
  },
  {
    kind: 'transaction',
    table: 'core_partnertransactionmap',
    localColumn: 'transaction_id',
    remoteColumn: 'contribution_id',
    // Payments that came in on recurring orders; the money of a one-time order is its order's contribution.
    owner: 'select o.user_id from core_transaction t join core_order o on o.id = t.order_id where t.id = $1',
    waiting: `
      select t.id from core_transaction t join core_order o on o.id = t.order_id
      where t.id > $1 and t.type = 'sale' and ${PAYMENT_COUNTS}
        and exists (select from core_orderrecurring r where r.order_id = o.id)
        and not exists (select from core_partnertransactionmap m where m.transaction_id = t.id)
        and exists (select from core_partnerusermap c where c.user_id = o.user_id)
      order by t.id limit $2`,
  },
];

/** What is sent of an order, if it still is. `$1` is its id. A recurring one is a promise: the numbers of its payments stand with these. */
export const ORDER_SQL = `
  select c.partner_contact_id::text as contact_id, o.total::text as amount, o.currency,
    case when p.promised then '' else coalesce((select t.trans_id from core_transaction t
      where t.order_id = o.id and t.type = 'sale' and ${PAYMENT_COUNTS} order by t.trans_id = '', t.id limit 1), '') end as trans_id,
    to_char(o.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as received_at,
    case when p.promised then 'recurring_order' else 'order' end as kind
  from core_order o join core_partnerusermap c on c.user_id = o.user_id
    cross join lateral (select exists (select from core_orderrecurring r where r.order_id = o.id) as promised) p
  where o.id = $1 and ${ORDER_COUNTS}`;

/** What is sent of a transaction, if it still is. `$1` is its id. */
export const TRANSACTION_SQL = `
  select c.partner_contact_id::text as contact_id, t.amount::text, t.currency, t.trans_id,
    to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as received_at, 'payment' as kind
  from core_transaction t join core_order o on o.id = t.order_id join core_partnerusermap c on c.user_id = o.user_id where t.id = $1 and ${PAYMENT_COUNTS}`;

/** What a reference is made of. */
export interface Referred {
  localId: number;
  born: Date;
  generation: number;
}

/**
 * Our reference to a record over there, and the key of its creation: the same on every try, another after its mapping was deleted. All of it is known of the thing
 * itself: where a failover has lost mapping and intent, the next try finds the record; and where it has lost the thing, its id is given out a second time, but not with its time.
 */
export const referenceOf = (env: { CRM_REF_PREFIX: string }, kind: PartnerKind, { localId, born, generation }: Referred): string =>
  `${env.CRM_REF_PREFIX}-${kind}-${localId}-${born.getTime()}-${generation}`;
