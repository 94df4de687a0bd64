import { ON_GET } from '../../core/donations/shown.ts';
import { asConverted, readCents, readConverted } from '../../domain/money.ts';
import { readText } from '../../domain/values.ts';
import { COMPLETED_TOO } from '../../domain/words.ts';
import { fragment } from '../../entities/tables.ts';
import type { FieldOverride, ResourceDeclaration } from '../resource/declare.ts';

// What several resources of money have in common.

export const AREA = { area: 'Donations' } satisfies Partial<ResourceDeclaration>;
export const READ_ONLY = { ...AREA, methods: ['list', 'get'] } satisfies Partial<ResourceDeclaration>;

export const CURRENCY: FieldOverride = {
  help: 'Three-letter ISO code.',
  check: (code: string) => (/^[A-Z]{3}$/.test(code) ? undefined : 'must be three capital letters'),
};
export const ACTION: FieldOverride = { to: 'donationaction' };
export const STAYS: FieldOverride = { readonly: true };
export const GIVEN_TIME: FieldOverride = { readonly: false };
export const DONE: FieldOverride = { same: COMPLETED_TOO };
const inCapitals = (value: unknown): string => readText(value).trim().toUpperCase();
/** Currencies as pushes take them; they are found so, too. */
export const ANY_CASE_CURRENCY: FieldOverride = { ...CURRENCY, read: inCapitals, filteredBy: { read: inCapitals } };
export const AMOUNT: FieldOverride = {
  read: readCents,
  taken: { anyOf: [{ type: 'string', pattern: '^\\d+(\\.\\d{1,2})?$' }, { type: 'number' }] },
};
/** Taken with a new transaction alone; else it follows from the amount. */
export const CONVERTED: FieldOverride = { read: (value) => asConverted(readConverted(value)), taken: AMOUNT.taken };
/** Shown by its name and taken by it, as pushes name it. */
export const ACCOUNT: FieldOverride = {
  kind: 'string',
  required: false,
  nullable: false,
  sql: '(select a.name from core_paymentaccount a where a.id = t.account_id)',
  show: ({ account }) => account,
  help: 'Name of the payment account.',
  filteredBy: {
    column: fragment`a.name`,
    type: 'text',
    read: readText,
    where: (condition, alias) => fragment`${alias}.account_id in (select a.id from core_paymentaccount a where ${condition})`,
  },
};
/** Kept to ten decimals, shown to two. */
export const converted = (column: string): FieldOverride => ({
  readonly: true,
  sql: ON_GET.converted(`t."${column}"`),
  help: 'In US dollars.',
});
export const URIS = { type: 'array', items: { type: 'string', format: 'uri-reference' } };
export const NAMED = { name: { trim: true } };
