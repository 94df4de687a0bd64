import { priceProblem } from '../../domain/money.ts';
import { Candidate, DonationForm, Product } from '../../entities/donations/form.ts';
import { Currency, PaymentAccount } from '../../entities/donations/payment-account.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { AREA, CURRENCY, NAMED } from './fields.ts';

export const paymentaccount = resource({
  ...AREA,
  name: 'paymentaccount',
  about: 'an account payments are booked to; `import_stub` accounts take pushes',
  entity: PaymentAccount,
  fields: { ...NAMED, currency: CURRENCY },
  filtering: { id: SINCE, name: 'all', processor: EXACT, hidden: EXACT },
  ordering: ['name'],
});

export const currency = resource({
  ...AREA,
  name: 'currency',
  about: 'a currency and its rate to the euro, as the European Central Bank publishes it',
  entity: Currency,
  fields: {
    iso_code: CURRENCY,
    per_euro: {
      help: 'Units of this currency for one euro.',
      check: (rate: string) => (Number(rate) > 0 ? undefined : 'must be more than zero'),
    },
  },
  filtering: { id: SINCE, iso_code: EXACT, rate_date: SINCE },
  ordering: ['iso_code', 'rate_date'],
});

export const candidate = resource({
  ...AREA,
  name: 'candidate',
  about: 'somebody a donation may be split to',
  entity: Candidate,
  fields: NAMED,
  filtering: { id: SINCE, name: 'all', status: EXACT, hidden: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['name', 'created_at', 'updated_at'],
});

export const product = resource({
  ...AREA,
  name: 'product',
  about: 'something that is given for a donation',
  entity: Product,
  fields: { ...NAMED, price: { check: priceProblem } },
  filtering: { id: SINCE, name: 'all', price: SINCE, status: EXACT, hidden: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['name', 'price', 'created_at', 'updated_at'],
});

export const donationform = resource({
  ...AREA,
  name: 'donationform',
  about: 'what a donation page shows',
  entity: DonationForm,
  fields: { page: { to: 'donationpage' } },
  filtering: { id: SINCE, page: 'joins', products: 'joins', candidates: 'joins' },
  ordering: ['created_at', 'updated_at'],
});
