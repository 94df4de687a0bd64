import type { Env } from '../../config/env.ts';
import type { Sql } from '../../db/sql.ts';
import { readAnyAkid } from '../../domain/akid.ts';
import { InputError, UnknownPageError } from '../../domain/errors.ts';
import { leadingTo } from '../../domain/web-address.ts';
import type { PageType } from '../../domain/words.ts';
import { createEvent, signUp } from '../events/act.ts';
import { addressParts, placeUser } from '../geo/place-user.ts';
import { askForMails } from '../people/action-mails.ts';
import { addActionFields, saveUserFields, type Undeclared } from '../people/custom-fields.ts';
import { isErased } from '../people/erased.ts';
import { type HeldPerson, holdPerson, makePerson, updatePerson } from '../people/one-person.ts';
import { takePhones } from '../people/phones.ts';
import { holdPresentUser } from '../people/present-user.ts';
import { subscribe, unsubscribe } from '../people/subscribing.ts';
import { recordCalled } from '../whipcounts/record-called.ts';
import { refuseLinks } from './refuse-links.ts';
import { refuseMoney } from './refuse-money.ts';
import type { RecordedAction, Submission } from './submission.ts';

export interface ProcessedAction {
  actionId: number;
  userId: number;
  mailingId: number | null;
  /** The page acted on. `leadsTo` is where it says to go on; empty when it does not. */
  page: { type: PageType; name: string; leadsTo: string };
  /** The confirmation and notifications that are to be sent. */
  mailIds: number[];
}

/** Who sent a submission in. */
export interface Sender {
  ipAddress: string;
  /** Without credentials. */
  anonymous: boolean;
}

/** By type of page; in the transaction of the action. */
const MORE: Partial<Record<PageType, (sql: Sql, action: RecordedAction) => Promise<void>>> = {
  whipcount: recordCalled,
  eventcreate: createEvent,
  eventsignup: signUp,
};

/** How submissions call a custom field. */
const called = (prefix: string) => (name: string) => (prefix + name).slice(0, 300);

interface PageRow {
  id: number;
  name: string;
  type: PageType;
  url: string;
  followup_url: string;
  status: string;
  hidden: boolean;
  required_fields: string[];
  /** Its own, else those that are the default. */
  list_ids: number[];
  /** Whether its followup may mean mails. */
  writes: boolean;
  language_id: number | null;
  multilingual_campaign_id: number | null;
}

/**
 * Does what a submission on a page means: finds or makes the person, keeps what they sent, records the action, and puts them on lists or takes
 * them off. Run inside one transaction.
 * @throws UnknownPageError, InputError: nothing may then be committed
 */
export async function processAction(
  sql: Sql,
  submission: Submission,
  env: Env,
  { ipAddress, anonymous }: Sender,
): Promise<ProcessedAction> {
  const page = await findPage(sql, submission);
  if (page.type === 'donation') refuseMoney(submission.given);
  if (anonymous) refuseLinks(submission.person);
  const origin = await readOrigin(sql, submission, env.SECRET_KEY);
  const listIds = await checkLists(sql, submission.listIds, page, anonymous);
  const person = await findOrMakePerson(sql, submission, origin.userId, page);
  await placeUser(sql, person.id, addressParts(submission.person), person.zip);
  await takePhones(
    sql,
    submission.phones.map((phone) => ({ ...phone, userId: person.id })),
  );
  const undeclared: Undeclared = env.STRICT_USER_FIELDS ? 'refused' : anonymous ? { upTo: env.OPEN_USER_FIELDS } : 'declared';
  await saveUserFields(sql, person.id, submission.userFields, undeclared, { wire: called('user_'), stranger: anonymous });

  // An akid of somebody else than the address names: that person brought this one along.
  const ownAkid = origin.userId === person.id;
  const mailingId = submission.mailingId ?? (ownAkid ? origin.mailingId : null) ?? origin.referrer?.mailingId ?? null;
  const referrer = ownAkid
    ? origin.referrer
    : (origin.referrer ?? (origin.userId === null ? null : { userId: origin.userId, mailingId: origin.mailingId }));
  const [action] = await sql<{ id: number }>(
    `insert into core_action (user_id, page_id, mailing_id, referring_user_id, referring_mailing_id, is_forwarded, source, created_user, ip_address, taken_with)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [
      person.id,
      page.id,
      mailingId,
      referrer?.userId ?? null,
      referrer?.mailingId ?? null,
      referrer !== null,
      submission.source,
      person.created,
      ipAddress,
      origin.userId === null ? '' : submission.akid,
    ],
  );
  const actionId = action!.id;
  await addActionFields(sql, actionId, submission.actionFields, { wire: called('action_'), stranger: anonymous });
  await changeLists(sql, page, submission, listIds, { userId: person.id, byAkid: origin.userId !== null, actionId });
  await MORE[page.type]?.(sql, { submission, pageId: page.id, userId: person.id, actionId });
  const confirm = !submission.skipConfirmation;
  const most = anonymous ? env.OPEN_CONFIRMATIONS_PER_HOUR : null;
  const mailIds = page.writes ? await askForMails(sql, { id: actionId, userId: person.id, pageId: page.id }, { confirm, most }) : [];
  const { type, name } = page;
  return { actionId, userId: person.id, mailingId, page: { type, name, leadsTo: leadingTo(page.followup_url, page.url) }, mailIds };
}

/** Missing fields that are named: anybody may ask, and more tell nobody more. */
const MOST_SAID = 100;

async function findPage(sql: Sql, { page: name, filled }: Submission): Promise<PageRow> {
  const [page] = await sql<PageRow>(
    `select p.id, name, type, p.url, coalesce(f.url, '') as followup_url, status, hidden, required_fields, language_id, multilingual_campaign_id,
       case when list_id is not null then array[list_id] else array(select id from core_list where is_default) end as list_ids,
       coalesce(f.send_email or f.send_notifications, false) as writes
     from core_page p left join core_pagefollowup f on f.page_id = p.id where name = $1`,
    [name],
  );
  if (!page) throw unknownPage(name);
  if (page.hidden || page.status !== 'active') throw new InputError({ page: 'This page takes no actions.' });
  const missing = page.required_fields.filter((field) => field !== 'email' && field !== 'akid' && !filled.has(field));
  if (missing.length > 0)
    throw new InputError(Object.fromEntries(missing.slice(0, MOST_SAID).map((field) => [field, `${field} is required.`])));
  // Before the person, as whoever deletes such a page comes to those who left by it.
  if (page.type === 'unsubscribe' && (await sql('select from core_page where id = $1 for key share', [page.id])).length === 0)
    throw unknownPage(name);
  return page;
}

const unknownPage = (name: string) => new UnknownPageError(`There is no page named ${name.slice(0, 100)}.`);

interface Origin {
  /** Whom the akid names. */
  userId: number | null;
  mailingId: number | null;
  referrer: { userId: number; mailingId: number | null } | null;
}

/** An akid that proves nothing is left aside where the person is known without it: links are mangled, and people deleted. */
async function readOrigin(sql: Sql, { akid, referringAkid, mailingId, email }: Submission, secret: string): Promise<Origin> {
  const named = async (text: string | null) => {
    const found = text === null ? null : readAnyAkid(secret, text);
    if (found === null) return null;
    const present = await holdPresentUser(sql, found.userId);
    return present === null ? null : { ...found, userId: present };
  };
  const own = await named(akid);
  if (own === null && email === null) {
    const valid = readAnyAkid(secret, akid ?? '') !== null;
    throw new InputError({ akid: valid ? 'akid names nobody.' : 'akid is not a valid akid.' });
  }
  if (mailingId !== null && (await sql('select 1 from core_mailing where id = $1', [mailingId])).length === 0) {
    throw new InputError({ mailing_id: 'Unable to associate this mailing ID with account.' });
  }
  return { userId: own?.userId ?? null, mailingId: own?.mailingId ?? null, referrer: await named(referringAkid) };
}

/** A hidden list is not for strangers to join, though a page may lead there; whoever is on it may leave it. */
async function checkLists(sql: Sql, ids: number[] | null, page: PageRow, anonymous: boolean): Promise<number[] | null> {
  if (!ids || ids.length === 0) return ids;
  const open = anonymous && page.type !== 'unsubscribe' ? page.list_ids : null;
  const rows = await sql<{ id: number }>(
    'select id from core_list where id = any($1::int[]) and ($2::int[] is null or not hidden or id = any($2))',
    [ids, open],
  );
  const unknown = ids.filter((id) => !rows.some((row) => row.id === id));
  if (unknown.length > 0) throw new InputError({ lists: `There is no list ${unknown.slice(0, 5).join(', ')}.` });
  return ids;
}

async function findOrMakePerson(
  sql: Sql,
  { email, person, source }: Submission,
  akidUserId: number | null,
  page: PageRow,
): Promise<HeldPerson & { created: boolean }> {
  let held: HeldPerson | null = email === null ? await holdPerson(sql, { id: akidUserId! }) : null;
  // Who has the address may be waited for, and then be merged with another, deleted, or known by another one: it is free then.
  for (let tries = 0; email !== null && held === null && tries < 2; tries++) {
    const made = await makePerson(sql, { email, source, lang_id: page.language_id, ...person });
    if (made !== null) return { id: made, created: true, zip: '', source };
    held = await holdPerson(sql, { email });
  }
  if (!held) throw new InputError({ [email === null ? 'akid' : 'email']: 'This person was deleted or erased.' });
  // By a link of an old mail: what they say would stand under a record of which nothing is kept, and their placeholder address come onto lists.
  if (email === null && (await isErased(sql, held.id))) throw new InputError({ akid: 'akid names nobody.' });
  // Somebody's source is that of their first action, also where they were there before it.
  await updatePerson(sql, held.id, { ...person, ...(held.source === '' && { source }) });
  // Somebody who acts on one of several pages that say the same chose its language; who has said another keeps that.
  if (page.multilingual_campaign_id !== null && page.language_id !== null) {
    await sql('update core_user set lang_id = $2, updated_at = now() where id = $1 and lang_id is null', [held.id, page.language_id]);
  }
  return { ...held, created: false };
}

async function changeLists(
  sql: Sql,
  page: PageRow,
  { wantsList }: Submission,
  listIds: number[] | null,
  { userId, byAkid, actionId }: { userId: number; byAkid: boolean; actionId: number },
): Promise<void> {
  if (page.type === 'unsubscribe') {
    const change = byAkid ? 'unsubscribe_email' : 'unsubscribe';
    // A list chosen is left; none chosen means all of them.
    const chosen = listIds && listIds.length > 0 ? { listIds } : {};
    await unsubscribe(sql, { userIds: [userId], ...chosen, change, actionId, held: true });
    return;
  }
  if (!wantsList) return;
  await subscribe(sql, { userIds: [userId], listIds: listIds ?? page.list_ids, change: 'subscribe', actionId, held: true });
}
