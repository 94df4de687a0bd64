import type { Sql } from '../../../db/sql.ts';
import { InputError, PushError } from '../../../domain/errors.ts';
import { defaultStart } from '../../../domain/recurring.ts';
import { statement, tables } from '../../../entities/tables.ts';
import { askForMails } from '../../people/action-mails.ts';
import { addActionFields } from '../../people/custom-fields.ts';
import { subscribe } from '../../people/subscribing.ts';
import { convert, type Refuse } from '../convert.ts';
import type { DetailInput, DonationInput, OrderInput, UserInput } from './donation-input.ts';
import { findDonationPage, type Pushing } from './donation-page.ts';
import { findDonor } from './donor.ts';
import { recordDonation } from './record.ts';

export interface Donated {
  actionId: number;
  userId: number;
  /** The confirmation and notifications that are to be sent. */
  mailIds: number[];
}

/**
 * Adds a donation that was processed elsewhere. Run inside one transaction: all of it is there afterwards, or nothing.
 * @throws PushError, InputError, ConflictError
 */
export async function donate(pushing: Pushing, input: DonationInput): Promise<Donated> {
  const { sql, env } = pushing;
  const { order, user, action } = input;
  // Pages before people, people before the order: two pushes about the same things wait for each other, and never in a circle.
  const page = await findDonationPage(pushing, input);
  const currency = order.currency ?? page.account.currency;
  const converted = order.totalConverted ?? (await convert(sql, order.total, currency, underOrder));
  const candidateIds = await findCandidates(sql, order.details);
  const listIds = await findLists(sql, user.lists, page.listId);
  const donor = await findDonor(sql, input, page.languageId, listIds, env);
  const start = order.recurring && (order.recurring.start ?? defaultStart(await today(sql), order.recurring.period));
  const actionId = await recordDonation(sql, input, page, donor, { currency, total: order.total, converted, candidateIds, start });
  await underAction(addActionFields(sql, actionId, new Map([...user.actionFields, ...action.fields])));
  await subscribe(sql, { userIds: [donor.id], listIds: donor.newLists, change: 'subscribe_api', actionId });
  const mailIds = page.hasMails
    ? await askForMails(sql, { id: actionId, userId: donor.id, pageId: page.pageId }, { confirm: !action.skipConfirmation })
    : [];
  return { actionId, userId: donor.id, mailIds };
}

const underAction = (writing: Promise<void>) =>
  writing.catch((error) => {
    throw error instanceof InputError ? new PushError({ action: error.fields }) : error;
  });

const underOrder: Refuse = (field, message) => new PushError({ order: { [field]: [message] } });

/** The day in UTC by the database's clock, which tells when the donation was made, too. */
async function today(sql: Sql): Promise<string> {
  const [now] = await sql<{ day: string }>(`select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as day`);
  return now!.day;
}

async function findCandidates(sql: Sql, details: OrderInput['details']): Promise<number[]> {
  if (details.length === 0) return [];
  const names = details.flatMap(({ candidate }) => ('name' in candidate ? [candidate.name] : []));
  const ids = details.flatMap(({ candidate }) => ('id' in candidate ? [candidate.id] : []));
  // In one order everywhere, lest two pushes that make the same candidates wait for each other in a circle.
  const unique = [...new Set(names)].sort();
  if (unique.length > 0) {
    await sql(
      `insert into core_candidate (name) select name from unnest($1::text[]) as name
       where not exists (select from core_candidate known where known.name = name.name) order by name on conflict do nothing`,
      [unique],
    );
  }
  const rows = await sql<{ id: number; name: string }>(
    'select id, name from core_candidate where id = any($1::int[]) or name = any($2::text[])',
    [ids, unique],
  );
  const byName = new Map(rows.map(({ id, name }) => [name, id]));
  const there = new Set(rows.map(({ id }) => id));
  return details.map(({ candidate }: DetailInput) => {
    const id = 'id' in candidate ? candidate.id : byName.get(candidate.name)!;
    if (!there.has(id)) throw new PushError({ order: { orderdetails: [`There is no candidate ${id}.`] } });
    return id;
  });
}

const defaultLists = statement((_: object) => tables.selectFrom('core_list').where('is_default', '=', true).select('id'));

async function findLists(sql: Sql, lists: UserInput['lists'], pageList: number | null): Promise<number[]> {
  if (lists === null) {
    if (pageList !== null) return [pageList];
    return (await defaultLists(sql, {})).map(({ id }) => id);
  }
  if (lists.length === 0) return [];
  const rows = await sql<{ id: number; name: string }>(
    'select id, name from core_list where id = any($1::int[]) or name = any($2::text[])',
    [lists.flatMap((list) => ('id' in list ? [list.id] : [])), lists.flatMap((list) => ('name' in list ? [list.name] : []))],
  );
  return lists.map((list) => {
    const row = rows.find(({ id, name }) => ('id' in list ? list.id === id : list.name === name));
    if (!row) throw new PushError({ user: { lists: [`There is no list ${'id' in list ? list.id : list.name}.`] } });
    return row.id;
  });
}
