import { isDeepStrictEqual } from 'node:util';
import { plainArray, textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { checkPhone, type HeldPhone, normalizePhone, SAID, type TypedPhone, takenPhones } from '../../domain/people/phone-number.ts';
import { PHONE_TYPES, type PhoneType } from '../../domain/words.ts';
import { NOW, run, tables } from '../../entities/tables.ts';
import { refuseErased } from './erased.ts';
import { touchUser } from './single-fields.ts';

/** A phone as written on a user: one that is there already, or a new one (or new data of one). */
export interface GivenPhone {
  id: number | null;
  phone: string | null;
  type: PhoneType | null;
  source: string | null;
}

/**
 * The list as it was written: URIs and ids of phones that stay, objects, and bare numbers, mixed.
 * @throws InputError
 */
export function readPhones(given: unknown[]): GivenPhone[] {
  if (given.length > 100) throw new InputError({ phones: 'phones has too many members.' });
  return given.map((each, index) => {
    try {
      return readPhone(each);
    } catch (error) {
      throw new InputError({ phones: `phones[${index}] ${(error as Error).message}.` });
    }
  });
}

function readPhone(given: unknown): GivenPhone {
  const none = { id: null, phone: null, type: null, source: null };
  if (typeof given === 'number' || typeof given === 'string') {
    const id = phoneId(given);
    if (id !== null) return { ...none, id };
    checkPhone(String(given));
    return { ...none, phone: String(given).trim() };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error('must be a URI of a phone or an object');
  // As one by itself: clients say the type as actions do, some of them with a capital.
  const { id, resource_uri: uri, phone, source, phone_type: named, type: said = null } = given as Record<string, unknown>;
  const existing = phoneId(uri ?? id);
  if ((uri ?? id ?? null) !== null && existing === null) throw new Error('names no phone');
  const text = (value: unknown, name: string) => {
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string' || value.length > 255 || value.includes('\0')) throw new Error(`has a ${name} that is no short text`);
    return value.toWellFormed();
  };
  const number = text(typeof phone === 'number' ? String(phone) : phone, 'phone');
  if (number === null && existing === null) throw new Error('needs a phone');
  if (number !== null) checkPhone(number);
  const type = text(named ?? said, 'type')?.toLowerCase() ?? null;
  if (type !== null && !PHONE_TYPES.includes(type as PhoneType)) throw new Error(`has a type that is not one of ${PHONE_TYPES.join(', ')}`);
  return { id: existing, phone: number?.trim() ?? null, type: type as PhoneType | null, source: text(source, 'source') };
}

function phoneId(given: unknown): number | null {
  if (typeof given === 'number') return Number.isInteger(given) && given > 0 && given <= 2_147_483_647 ? given : null;
  const [, digits] = typeof given === 'string' ? (/\/rest\/v1\/phone\/(\d{1,10})\/*$/.exec(given) ?? []) : [];
  return digits && Number(digits) <= 2_147_483_647 ? Number(digits) : null;
}

/**
 * Makes a user's phones exactly these. A number the user has already, of the same type, keeps its row.
 * @returns whether anything changed
 * @throws InputError when a URI names no phone of this user
 */
export async function savePhones(sql: Sql, userId: number, phones: GivenPhone[]): Promise<boolean> {
  const own = tables.selectFrom('core_phone').where('user_id', '=', userId).orderBy('id');
  const held = await run(sql, own.select(['id', 'phone', 'normalized_phone', 'type', 'source']).forUpdate());
  const kept = new Set<number>();
  let changed = false;
  for (const { id, phone, type, source } of phones) {
    const normalized = phone === null ? null : normalizePhone(phone);
    const same = held.find((row) => (id === null ? row.normalized_phone === normalized && row.type === (type ?? 'home') : row.id === id));
    if (id !== null && !same) throw new InputError({ phones: `phones refers to nothing: this user has no phone ${id}.` });
    if (same) {
      kept.add(same.id);
      const change = {
        phone: phone ?? same.phone,
        normalized_phone: normalized ?? same.normalized_phone,
        type: type ?? same.type,
        source: source ?? same.source,
      };
      if (Object.entries(change).every(([name, value]) => same[name as keyof typeof change] === value)) continue;
      changed = true;
      await run(
        sql,
        tables
          .updateTable('core_phone')
          .set({ ...change, updated_at: NOW })
          .where('id', '=', same.id),
      );
      continue;
    }
    changed = true;
    const added = { user_id: userId, phone: phone!, normalized_phone: normalized!, type: type ?? 'home', source: source ?? '' };
    const [made] = await run(sql, tables.insertInto('core_phone').values(added).returning('id'));
    kept.add(made!.id);
  }
  const gone = held.map(({ id }) => id).filter((id) => !kept.has(id));
  if (gone.length > 0) await run(sql, tables.deleteFrom('core_phone').where('id', 'in', gone));
  return changed || gone.length > 0;
}

/**
 * Numbers that people sent in on a page, or a file says of them, in their order. Run inside a transaction that holds their rows.
 * @param given whose they are and what they are; `takenPhones` says what becomes of them
 */
export async function takePhones(sql: Sql, given: readonly (TypedPhone & { userId: number })[]): Promise<void> {
  if (given.length === 0) return;
  const byUser = Map.groupBy(given, ({ userId }) => userId);
  const held = await heldPhones(sql, [...byUser.keys()]);
  const written = [...byUser].flatMap(([userId, phones]) =>
    takenPhones(held.get(userId) ?? [], phones).map((each) => ({ ...each, userId })),
  );
  if (written.length === 0) return;
  const [added, changed] = [written.filter(({ id }) => id === null), written.filter(({ id }) => id !== null)];
  if (changed.length > 0) {
    await sql(
      `update core_phone p set phone = x.phone, normalized_phone = x.normalized, updated_at = now()
       from unnest($1::int[], $2::text[], $3::text[]) x (id, phone, normalized) where p.id = x.id`,
      [plainArray(changed.map(({ id }) => id!)), ...numbersOf(changed)],
    );
  }
  if (added.length > 0) {
    await sql(
      `insert into core_phone (user_id, phone, normalized_phone, type, source)
       select user_id, phone, normalized, type, $5 from unnest($1::int[], $2::text[], $3::text[], $4::text[]) with ordinality x (user_id, phone, normalized, type, nth) order by nth`,
      [plainArray(added.map(({ userId }) => userId)), ...numbersOf(added), textArray(added.map(({ type }) => type)), SAID],
    );
  }
  await sql('update core_user set updated_at = now() where updated_at <> now() and id = any($1::int[])', [
    plainArray([...new Set(written.map(({ userId }) => userId))]),
  ]);
}

const numbersOf = (phones: { phone: string; normalized_phone: string }[]) => [
  textArray(phones.map(({ phone }) => phone)),
  textArray(phones.map(({ normalized_phone }) => normalized_phone)),
];

/** The numbers of some people, by user, in the order they came. */
export async function heldPhones(sql: Sql, userIds: number[]): Promise<Map<number, HeldPhone[]>> {
  const rows = await sql<HeldPhone & { user_id: number }>(
    'select id, user_id, type, normalized_phone, source from core_phone where user_id = any($1::int[]) order by id',
    [plainArray(userIds)],
  );
  return Map.groupBy(rows, ({ user_id }) => user_id);
}

/**
 * Before a phone is changed or deleted by itself: the phones are a part of a person, who changes with them, and so does who is given it.
 * @param values what is to stand in it, by property; null where it goes. What stands there already is no change
 */
export async function touchOwners(sql: Sql, id: number, values: Record<string, unknown> | null): Promise<void> {
  const asked = tables.selectFrom('core_phone').where('id', '=', id);
  const [stored] = await run(sql, asked.select(['user_id as user', 'phone', 'normalized_phone as normalizedPhone', 'type', 'source']));
  const now = { ...stored!, ...values };
  if (values && isDeepStrictEqual(now, stored)) return;
  for (const userId of new Set([stored!.user, now.user])) await touchUser(sql, userId);
  if (values) await refuseErased(sql, now.user, 'user');
}

/** After somebody was given a phone. @throws InputError for who was erased */
export async function touchNewOwner(sql: Sql, userId: number): Promise<void> {
  await touchUser(sql, userId);
  await refuseErased(sql, userId, 'user');
}

export interface PersonPhone {
  id: number;
  phone: string;
  type: PhoneType;
}

/** The phones of a person, in the order they came. */
export const phonesOf = (sql: Sql, userId: number): Promise<PersonPhone[]> =>
  run(sql, tables.selectFrom('core_phone').where('user_id', '=', userId).orderBy('id').select(['id', 'phone', 'type']));
