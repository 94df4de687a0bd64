import { InputError } from '../../domain/errors.ts';

/**
 * Fields of the public platform's donation forms: amounts, cards, and whom or what the money is for. Libraries that write an object or a list into a form put
 * what is inside in brackets, `order[amount]`. Strangers name these fields: each name is read once, however long it is.
 */
const MONEY = /^(?:exp_date|card_.|recurring_.|payment_.|(?:amount|amount_other|candidate_\d+|product_\d+|order|orderdetails)(?:\[|$))/s;

/**
 * A submission on a donation page that holds money is not taken as an action: no payment is processed here, and an action without an order would look like a donation.
 * @throws InputError under each such field
 */
export function refuseMoney(given: Record<string, unknown>): void {
  const fields = Object.keys(given).filter((name) => MONEY.test(name) && given[name] !== null && given[name] !== '');
  if (fields.length === 0) return;
  const message = 'Payments are not processed here. Push donations that were processed elsewhere to /rest/v1/donationpush/.';
  throw new InputError(Object.fromEntries(fields.slice(0, 20).map((name) => [name, message])));
}
