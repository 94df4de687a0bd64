// Pushes made from a seed: all options mixed, about one in ten of them wrong on purpose.

/** What may be wrong with a push, and the answer that must come. */
export type Fault =
  | 'amount-number'
  | 'amount-text'
  | 'no-card'
  | 'no-rate'
  | 'unknown-list'
  | 'unknown-account'
  | 'bad-date'
  | 'nameless'
  | 'taken-import'
  | 'taken-recurring';

export interface Generated {
  path: 'donationpush' | 'recurringpaymentpush' | 'profileupdatepush' | 'profilecancelpush';
  body: Record<string, unknown>;
  fault: Fault | null;
}

/** Numbers in [0, 1), the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const FAULTS: Fault[] = [
  'amount-number',
  'amount-text',
  'no-card',
  'no-rate',
  'unknown-list',
  'unknown-account',
  'bad-date',
  'nameless',
  'taken-import',
  'taken-recurring',
];
const CURRENCIES = ['USD', 'EUR', 'GBP', 'JPY'];
const CANDIDATES = ['Ann', 'Bob', 'Cleo', 'Dan'];
export const ACCOUNTS = ['Default Import Stub', 'Second Stub'];
export const LISTS = ['Everyone', 'Donors'];

/** @param count how many */
export function* generate(seed: number, count: number): Generator<Generated> {
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const amount = () => `${Math.floor(random() * 500) + 1}${chance(0.8) ? `.${String(Math.floor(random() * 100)).padStart(2, '0')}` : ''}`;
  const day = () => `20${pick(['24', '25', '26'])}-${pick(['01', '02', '11'])}-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`;
  const imports: string[] = [];
  const profiles: { id: string; account: string; open: boolean }[] = [];

  for (let n = 0; n < count; n++) {
    const open = profiles.filter((profile) => profile.open);
    if (open.length > 0 && chance(0.25)) {
      yield profilePush(pick(open));
      continue;
    }
    const fault = chance(0.135) ? pick(FAULTS) : null;
    const body = donation(n);
    const wrong = fault && spoil(body, fault);
    if (!wrong) remember(body);
    yield { path: 'donationpush', body, fault: wrong ? fault : null };
  }

  function donation(n: number): {
    order: Record<string, unknown>;
    user: Record<string, unknown>;
    donationpage: Record<string, unknown>;
    action?: object;
  } {
    const known = `donor${Math.floor(random() * count * 0.4)}@example.org`;
    const details = chance(0.3)
      ? Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({ candidate: { name: pick(CANDIDATES) }, amount: amount() }))
      : null;
    return {
      donationpage: { name: `page-${Math.floor(random() * 5)}`, ...(chance(0.5) && { payment_account: pick(ACCOUNTS) }) },
      order: {
        ...(details ? { orderdetails: details, ...(chance(0.5) && { amount: amount() }) } : { amount: amount() }),
        card_num: `xxxx-${String(n).padStart(4, '0')}`,
        card_code: '007',
        exp_date_month: '0'.concat(String(1 + Math.floor(random() * 9))),
        exp_date_year: '2031',
        ...(chance(0.5) && { created_at: `${day()}T${chance(0.5) ? '23:59:59.999999' : '00:00:00'}${pick(['', 'Z', '+02:00'])}` }),
        ...(chance(0.2) && { donation_date: `${day()}T12:00:00` }),
        ...(chance(0.3) && { payment_account: pick(ACCOUNTS) }),
        ...(chance(0.4) && { donation_import_id: `import-${n}` }),
        ...(chance(0.5) && { [pick(['currency', 'donation_currency'])]: pick(CURRENCIES) }),
        ...(chance(0.1) && { total_converted: amount() }),
        ...(chance(0.3) && { trans_id: `trans-${n}` }),
        ...(chance(0.2) && { recurring_id: `recurring-${n}`, ...(chance(0.5) && { recurring_period: pick(['weeks', 'months']) }) }),
        ...(chance(0.1) && { unheard_of: { x: 1 }, trans_id: null }),
      },
      user: {
        email: chance(0.2) ? known.toUpperCase() : known,
        first_name: 'Dora',
        last_name: 'Donor',
        ...(chance(0.3) && { city: pick(['Oslo', 'Lima']), country: pick(['Norway', 'Peru']) }),
        ...(chance(0.3) && { source: pick(['web', 'phone']) }),
        ...(chance(0.3) && { fields: { user_color: pick(['red', 'blue']), ...(chance(0.5) && { sizes: ['s', 'm'] }) } }),
        ...(chance(0.4) && { lists: chance(0.3) ? [] : [{ name: pick(LISTS) }] }),
      },
      ...(chance(0.5) && {
        action: {
          ...(chance(0.5) && { source: 'script' }),
          ...(chance(0.5) && { fields: { note: pick(['a', 'b']) } }),
          skip_confirmation: chance(0.5),
        },
      }),
    };
  }

  /** @returns whether it is wrong now: a taken id needs one that was taken before */
  function spoil({ order, user }: ReturnType<typeof donation>, fault: Fault): boolean {
    const taken = profiles.at(-1);
    switch (fault) {
      case 'amount-number':
        order['amount'] = 10.5;
        return true;
      case 'amount-text':
        order['amount'] = pick(['ten', '1.234', '-5', '0.00']);
        return true;
      case 'no-card':
        delete order['card_num'];
        return true;
      case 'no-rate':
        Object.assign(order, { currency: 'XXX', total_converted: null });
        return true;
      case 'unknown-list':
        user['lists'] = [{ name: 'Nowhere' }];
        return true;
      case 'unknown-account':
        order['payment_account'] = 'Nowhere';
        return true;
      case 'bad-date':
        order['created_at'] = '2026-02-30T00:00:00';
        return true;
      case 'nameless':
        Object.assign(user, { email: `nameless${Math.floor(random() * 1e9)}@example.org`, first_name: '', last_name: null });
        return true;
      case 'taken-import':
        if (imports.length === 0) return false;
        order['donation_import_id'] = pick(imports);
        return true;
      case 'taken-recurring':
        if (!taken) return false;
        delete order['donation_import_id'];
        Object.assign(order, { recurring_id: taken.id, payment_account: taken.account });
        return true;
    }
  }

  function remember({ order, donationpage }: ReturnType<typeof donation>): void {
    if (order['donation_import_id']) imports.push(String(order['donation_import_id']));
    // Only those booked to a named account: of the others the page decides.
    if (order['recurring_id'] && order['payment_account']) {
      profiles.push({
        id: String(order['recurring_id']),
        account: String(order['payment_account'] ?? donationpage['payment_account']),
        open: true,
      });
    }
  }

  function profilePush(profile: (typeof profiles)[number]): Generated {
    const recurring_id = profile.id;
    const more = {
      recurring_id,
      ...(chance(0.5) && { created_at: `${day()}T10:00:00` }),
      ...(chance(0.5) && { trans_id: `more-${Math.floor(random() * 1e9)}` }),
    };
    const kind = random();
    if (kind < 0.7) {
      const failed = chance(0.2) && { success: false, status: 'failed', failure_code: '51' };
      return { path: 'recurringpaymentpush', body: { ...more, ...(chance(0.5) && { amount: amount() }), ...failed }, fault: null };
    }
    if (kind < 0.9) {
      const changes = {
        ...(chance(0.5) && { amount: amount() }),
        ...(chance(0.5) && { currency: pick(CURRENCIES) }),
        ...(chance(0.5) && { recurring_period: 'weeks' }),
      };
      return { path: 'profileupdatepush', body: { ...more, ...changes }, fault: null };
    }
    profile.open = false;
    return { path: 'profilecancelpush', body: { ...more, canceled_by: pick(['user', 'processor', 'failure', 'expired']) }, fault: null };
  }
}
