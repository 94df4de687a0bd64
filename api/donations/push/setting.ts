import { ConflictError, InputError, PushError } from '../../../domain/errors.ts';
import { stubNames } from '../../../entities/donations/accounts.ts';
import { IMPORT_STUB } from '../../../entities/donations/payment-account.ts';
import { Page } from '../../../entities/pages/page.ts';
import type { Sql } from '../../../entities/sql.ts';
import type { Change } from '../../resource/declare.ts';
import { checkReferences, type Input, readInput } from '../../resource/input.ts';
import { uriOf } from '../../resource/reference.ts';
import type { DonationInput } from './donation-input.ts';

/** Where a push is done: inside one transaction. Without an entity manager it can do everything but make a page. */
export type PushPlace = Pick<Change, 'context' | 'sql' | 'request'> & { em: Change['em'] | null };

/** The page has to be made, which takes an entity manager. */
export class PageMissing extends Error {}

/** Where a donation goes: its page, made when there was none, and the account it is booked to. */
export interface Setting {
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
export async function findSetting(place: PushPlace, { page, order }: DonationInput): Promise<Setting> {
  const { sql } = place;
  const [found] = await sql<Found>(FIND, [page.name, order.importId, IMPORT_STUB]);
  if (found!.imported !== null) throw new ConflictError('donation_import_id', order.importId!, uriOf('order', found!.imported));
  const named = await namedAccounts(sql, page.account, order.account);
  const row = found!.id === null ? await makePage(place, page, named.get(page.account)?.id) : found!;
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

/** A page of the fields given; of two pushes that make it at once the second goes on with what the first made. */
async function makePage(place: PushPlace, page: DonationInput['page'], accountId: number | undefined): Promise<Found> {
  const { context, em, sql } = place;
  if (!em) throw new PageMissing();
  const { values, extra } = await refusedUnderPage(() => readPageFields(place, page.fields));
  const [made] = await sql<{ id: number }>(
    `insert into core_page (name, type) values ($1, 'donation') on conflict (name) do nothing returning id`,
    [page.name],
  );
  if (made) {
    if (Object.keys(values).length > 1) {
      const entity = await em.findOneOrFail(Page, made.id, { populate: ['tags'] });
      em.assign(entity, values as never);
      await em.flush();
    }
    // What making one through its resource does.
    const { hooks } = context.registry.get('donationpage').declaration;
    const change: Change = { ...place, em, values, extra: { ...extra, ...(accountId && { payment_account: accountId }) }, id: made.id };
    await refusedUnderPage(() => hooks!.afterCreate!(change));
  }
  const [row] = await sql<Found>(FIND, [page.name, null, IMPORT_STUB]);
  return row!;
}

async function readPageFields({ context, sql }: PushPlace, fields: Record<string, unknown>): Promise<Input> {
  const input = readInput(context, context.registry.get('donationpage'), fields, true);
  await checkReferences(sql, context.registry, input);
  return input;
}

async function refusedUnderPage<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InputError) throw new PushError({ donationpage: error.fields });
    throw error;
  }
}
