import type { Env } from '../../../config/env.ts';
import type { Sql } from '../../../db/sql.ts';
import { ConflictError, InputError, PushError } from '../../../domain/errors.ts';
import { uriOf } from '../../../domain/uris.ts';
import { IMPORT_STUB } from '../../../entities/donations/payment-account.ts';
import { stubNames } from '../accounts.ts';
import type { DonationInput } from './donation-input.ts';

/** What a push is done with, inside one transaction. */
export interface Pushing {
  sql: Sql;
  env: Env;
  /** Null where no page can be made: making one takes more than plain statements. */
  makePage: MakePage | null;
}

/**
 * Makes the donation page of these fields, as its resource does; of two pushes that make it at once the second finds what the first made.
 * @param accountId the payment account, where the push names one
 * @throws InputError by field
 */
export type MakePage = (fields: Record<string, unknown>, accountId: number | undefined) => Promise<void>;

/** The page has to be made, and cannot be here. */
export class PageMissing extends Error {}

/** Where a donation goes: its page, made when there was none, and the account it is booked to. */
export interface DonationPage {
  pageId: number;
  listId: number | null;
  languageId: number | null;
  /** Whether a confirmation or notifications follow donations on the page. */
  hasMails: boolean;
  account: { id: number; currency: string };
}

interface Found {
  imported: number | null;
  id: number | null;
  type: string;
  list_id: number | null;
  language_id: number | null;
  has_mails: boolean;
  account_id: number | null;
  account_currency: string;
  /** Whether the page's account takes pushes. */
  stub: boolean;
}

// One statement for everything the page and the import id are asked for.
const FIND = `
  select (select o.id from core_order o where o.import_id = $2) as imported,
    p.id, p.type, p.list_id, p.language_id, a.id as account_id, a.currency as account_currency, coalesce(a.processor = $3, false) as stub,
    coalesce(f.send_email or f.send_notifications, false) as has_mails
  from (select 1) one left join core_page p on p.name = $1
    left join core_donationpage d on d.page_ptr_id = p.id
    left join core_paymentaccount a on a.id = d.payment_account_id
    left join core_pagefollowup f on f.page_id = p.id`;

/** @throws ConflictError when the order was imported before, PushError when page or account cannot be used */
export async function findDonationPage(pushing: Pushing, { page, order }: DonationInput): Promise<DonationPage> {
  const { sql } = pushing;
  const [found] = await sql<Found>(FIND, [page.name, order.importId, IMPORT_STUB]);
  if (found!.imported !== null) throw new ConflictError('donation_import_id', order.importId!, uriOf('order', found!.imported));
  const named = await namedAccounts(sql, page.account, order.account);
  const row = found!.id === null ? await makePage(pushing, page, named.get(page.account)?.id) : found!;
  if (row.type !== 'donation')
    throw new PushError({ donationpage: { name: [`The page ${page.name} is of type ${row.type}, not donation.`] } });
  const own = row.stub ? { id: row.account_id!, currency: row.account_currency } : undefined;
  const account = order.account ? named.get(order.account) : own;
  if (!account) throw await notStub(sql, 'donationpage', 'The account of this page is not an import stub.');
  return { pageId: row.id!, listId: row.list_id, languageId: row.language_id, hasMails: row.has_mails, account };
}

type NamedAccounts = Map<string, { id: number; currency: string }>;

async function namedAccounts(sql: Sql, ofPage: string, ofOrder: string): Promise<NamedAccounts> {
  const names = [ofPage, ofOrder].filter((name) => name !== '');
  if (names.length === 0) return new Map();
  const rows = await sql<{ id: number; name: string; currency: string }>(
    'select id, name, currency from core_paymentaccount where name = any($1::text[]) and processor = $2 and not hidden',
    [names, IMPORT_STUB],
  );
  const named: NamedAccounts = new Map(rows.map(({ name, ...account }) => [name, account]));
  if (ofPage && !named.has(ofPage)) throw await notStub(sql, 'donationpage', `${ofPage} is not an import-stub account.`);
  if (ofOrder && !named.has(ofOrder)) throw await notStub(sql, 'order', `${ofOrder} is not an import-stub account.`);
  return named;
}

async function notStub(sql: Sql, object: string, message: string): Promise<PushError> {
  const names = await stubNames(sql);
  const available = names.length > 0 ? `Available import-stub accounts: ${names.join(', ')}.` : 'There is no import-stub account.';
  return new PushError({ [object]: { payment_account: [`${message} ${available}`] } });
}

async function makePage({ makePage: make, sql }: Pushing, page: DonationInput['page'], accountId: number | undefined): Promise<Found> {
  if (!make) throw new PageMissing();
  try {
    await make(page.fields, accountId);
  } catch (error) {
    if (error instanceof InputError) throw new PushError({ donationpage: error.fields });
    throw error;
  }
  const [row] = await sql<Found>(FIND, [page.name, null, IMPORT_STUB]);
  return row!;
}
