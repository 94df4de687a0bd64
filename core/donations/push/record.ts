import type { Sql } from '../../../db/sql.ts';
import { asCents, asConverted, type Money, share } from '../../../domain/money.ts';
import { type Sql as Fragment, sql as fragment, joinSql } from '../../../domain/sql.ts';
import type { DonationInput } from './donation-input.ts';
import type { DonationPage } from './donation-page.ts';
import type { Donor } from './donor.ts';

/** Everything about the money of a donation that had to be looked up or worked out. */
export interface Amounts {
  currency: string;
  total: Money;
  /** In US dollars. */
  converted: Money;
  /** Of each detail, in the order given: whom it is for. */
  candidateIds: number[];
  /** Day charges start, where there is a profile. */
  start: string | null;
}

const PERSON = fragment`email, prefix, first_name, middle_name, last_name, suffix, address1, address2, city, state, region, zip, plus4, postal, country`;

/**
 * Writes the action, the order with all its parts, the profile if there is one, and the transaction: one statement, since each needs the
 * ids of those before it and every statement more is a round trip more for each donation.
 * @returns the id of the action
 */
export async function recordDonation(
  sql: Sql,
  input: DonationInput,
  { pageId, account }: DonationPage,
  donor: Donor,
  amounts: Amounts,
): Promise<number> {
  const { order, action } = input;
  const orderedAt = at(order.donationDate ?? order.createdAt);
  const actedAt = at(action.createdAt ?? order.createdAt);
  const money = fragment`${asCents(amounts.total)}::numeric, ${asConverted(amounts.converted)}::numeric, ${amounts.currency}`;
  const steps: Fragment[] = [
    fragment`detail as (
      insert into core_orderuserdetail (user_id, source, created_at, ${PERSON})
      select id, ${donor.source}, ${orderedAt}, ${PERSON} from core_user where id = ${donor.id}::int returning id)`,
    fragment`act as (
      insert into core_action (user_id, page_id, mailing_id, referring_user_id, referring_mailing_id, is_forwarded, source, created_user, subscribed_user, taken_with, created_at)
      values (${donor.id}::int, ${pageId}::int, ${donor.mailingId}::int, ${donor.referrer?.userId ?? null}::int,
        ${donor.referrer?.mailingId ?? null}::int, ${donor.referrer !== null}::boolean, ${donor.source}, ${donor.created}::boolean, ${donor.newLists.length > 0}::boolean, ${donor.takenWith}, ${actedAt}) returning id)`,
    fragment`ord as (
      insert into core_order (action_id, user_id, user_detail_id, account_id, card_num_last_four, total, total_converted, currency, import_id, created_at)
      select act.id, ${donor.id}::int, detail.id, ${account.id}::int, ${order.lastFour}, ${money}, ${order.importId}, ${orderedAt}
      from act, detail returning id)`,
    fragment`paid as (
      insert into core_transaction (type, order_id, account_id, amount, amount_converted, currency, trans_id, created_at)
      select ${order.recurring ? 'recurring_order_create' : 'sale'}, ord.id, ${account.id}::int, ${money}, ${order.transId}, ${orderedAt} from ord)`,
  ];
  if (order.details.length > 0)
    steps.push(
      detailsStep(
        order.details.map(({ amount }) => amount),
        amounts,
        orderedAt,
      ),
    );
  if (order.recurring) {
    steps.push(fragment`profile as (
      insert into core_orderrecurring (order_id, action_id, user_id, account_id, recurring_id, exp_date, card_num, amount, amount_converted,
        currency, period, start, created_at)
      select ord.id, act.id, ${donor.id}::int, ${account.id}::int, ${order.recurring.id}, ${order.expDate}, ${order.lastFour}, ${money},
        ${order.recurring.period}, ${amounts.start}::date, ${orderedAt} from ord, act)`);
  }
  const whole = fragment`with ${joinSql(steps, ', ')} select id from act`;
  const [made] = await sql<{ id: number }>(whole.text, [...whole.values]);
  return made!.id;
}

const at = (time: string | null): Fragment => (time === null ? fragment`now()` : fragment`${time}::timestamptz`);

function detailsStep(parts: Money[], { candidateIds, total, converted, currency }: Amounts, orderedAt: Fragment): Fragment {
  return fragment`part as (
    insert into core_orderdetail (order_id, candidate_id, amount, amount_converted, currency, created_at)
    select ord.id, given.candidate, given.amount, given.converted, ${currency}, ${orderedAt} from ord,
      unnest(${candidateIds}::int[], ${parts.map(asCents)}::numeric[], ${parts.map((part) => asConverted(share(converted, part, total)))}::numeric[])
        with ordinality as given (candidate, amount, converted, position) order by given.position)`;
}
