import type { Generated } from './generate.ts';

// What the pushes must come to, worked out in plain integers: cents, and ten-billionths of a dollar. It shares no code with the platform.

const SCALE = 10_000_000_000n;
/** Units for one euro, times 10^10, as `RATES` below. */
const PER_EURO: Record<string, bigint> = { USD: 10_800_000_000n, EUR: SCALE, GBP: 8_500_000_000n, JPY: 1_623_500_000_000n };
export const RATES: Record<string, string> = { USD: '1.08', GBP: '0.85', JPY: '162.35' };

interface Profile {
  cents: bigint;
  currency: string;
  converted: bigint;
  status: string;
  /** Milliseconds of the last payment. */
  paidAt: number;
  page: string;
}

export interface Expected {
  status: number;
  total?: string;
  converted?: string;
  createdUser?: boolean;
}

/** Stands for the month of an order that names no time: the pushes may run into the next one. */
export const NOW = 'now';

export class Reference {
  readonly people = new Map<string, { lists: Set<string>; city: string; fields: Map<string, string> }>();
  readonly pages = new Map<string, string>();
  readonly profiles = new Map<string, Profile>();
  /** By page, currency and month of the order: cents, and ten-billionths of a dollar. */
  readonly orders = new Map<string, { count: number; cents: bigint; converted: bigint }>();
  /** By type and status. */
  readonly transactions = new Map<string, { count: number; cents: bigint; converted: bigint }>();
  readonly candidates = new Map<string, bigint>();
  refused = 0;

  apply({ path, body, fault }: Generated): Expected {
    if (fault) {
      this.refused++;
      return { status: fault === 'taken-import' ? 409 : 400 };
    }
    if (path !== 'donationpush') {
      this.#profilePush(path, body);
      return { status: 201 };
    }
    return this.#donate(body as never);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a generated body
  #donate({ donationpage, order, user }: Record<'donationpage' | 'order' | 'user', Record<string, any>>): Expected {
    const name = donationpage['name'] as string;
    if (!this.pages.has(name)) this.pages.set(name, donationpage['payment_account'] ?? 'Default Import Stub');
    const details = (order['orderdetails'] ?? []) as { candidate: { name: string }; amount: string }[];
    const cents = [order['amount'], ...details.map(({ amount }) => amount)].reduce((sum, text) => sum + (text ? centsOf(text) : 0n), 0n);
    const currency = order['currency'] ?? order['donation_currency'] ?? 'USD';
    const converted = order['total_converted'] ? centsOf(order['total_converted']) * (SCALE / 100n) : dollars(cents, currency);
    for (const { candidate, amount } of details) add(this.candidates, candidate.name, centsOf(amount));

    const email = String(user['email']).toLowerCase();
    const createdUser = !this.people.has(email);
    const person = this.people.get(email) ?? { lists: new Set(), city: '', fields: new Map() };
    this.people.set(email, person);
    if (user['city']) person.city = user['city'];
    for (const [field, value] of Object.entries(user['fields'] ?? {}))
      person.fields.set(field.replace(/^user_/, ''), [value].flat().join(','));
    for (const list of (user['lists'] ?? []) as { name: string }[]) person.lists.add(list.name);

    const time = order['donation_date'] ?? order['created_at'];
    const month = time ? monthOf(time) : NOW;
    count(this.orders, `${name} ${currency} ${month}`, cents, converted);
    count(this.transactions, `${order['recurring_id'] ? 'recurring_order_create' : 'sale'} completed`, cents, converted);
    if (order['recurring_id'])
      this.profiles.set(order['recurring_id'], { cents, currency, converted, status: 'active', paidAt: 0, page: name });
    return { status: 200, total: decimal(cents, 2), converted: decimal(converted, 10), createdUser };
  }

  #profilePush(path: Generated['path'], body: Record<string, unknown>): void {
    const profile = this.profiles.get(String(body['recurring_id']))!;
    const cents = body['amount'] ? centsOf(String(body['amount'])) : profile.cents;
    const currency = (body['currency'] as string | undefined) ?? profile.currency;
    if (path === 'profilecancelpush') {
      profile.status = `canceled_by_${body['canceled_by']}`;
      count(this.transactions, 'recurring_order_cancel completed', profile.cents, profile.converted);
      return;
    }
    const converted = dollars(cents, currency);
    if (path === 'profileupdatepush') {
      Object.assign(profile, { cents, currency, converted });
      count(this.transactions, 'recurring_order_update completed', cents, converted);
      return;
    }
    const status = (body['status'] as string | undefined) ?? 'completed';
    const paidAt = body['created_at'] ? Date.parse(`${body['created_at']}Z`) : Date.now();
    if (paidAt >= profile.paidAt) Object.assign(profile, { status: status === 'failed' ? 'past_due' : 'active', paidAt });
    count(this.transactions, `sale ${status}`, cents, converted);
  }
}

function centsOf(text: string): bigint {
  const [units = '0', part = ''] = text.split('.');
  return BigInt(units) * 100n + BigInt(part.padEnd(2, '0'));
}

/** Half up to ten decimals. */
function dollars(cents: bigint, currency: string): bigint {
  if (currency === 'USD') return cents * (SCALE / 100n);
  const [over, under] = [cents * (SCALE / 100n) * PER_EURO['USD']!, PER_EURO[currency]!];
  return (2n * over + under) / (2n * under);
}

/** Of a time with or without an offset. */
function monthOf(time: string): string {
  return new Date(/Z$|[+-]\d\d:\d\d$/.test(time) ? time : `${time}Z`).toISOString().slice(0, 7);
}

export function decimal(scaled: bigint, decimals: number): string {
  const text = String(scaled).padStart(decimals + 1, '0');
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}

function add(sums: Map<string, bigint>, key: string, cents: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + cents);
}

function count(sums: Reference['orders'], key: string, cents: bigint, converted: bigint): void {
  const sum = sums.get(key) ?? { count: 0, cents: 0n, converted: 0n };
  sums.set(key, { count: sum.count + 1, cents: sum.cents + cents, converted: sum.converted + converted });
}
