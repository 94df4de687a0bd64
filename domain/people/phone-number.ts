import { PHONE_TYPES, type PhoneType } from '../words.ts';

/** A number of somebody's, as it was given. */
export interface TypedPhone {
  type: PhoneType;
  phone: string;
}

const LONGEST = 50;

/** A number beside its type: `mobile_phone`; `phone` alone is of the type that `phone_type` says. */
export const PHONES_BY_TYPE = PHONE_TYPES.map((type) => ({ type, name: `${type}_phone` }));

/** Digits alone, a leading + kept: what two spellings of one number share. */
export function normalizePhone(phone: string): string {
  return (phone.trim().startsWith('+') ? '+' : '') + phone.replace(/\D/g, '');
}

/** @throws Error whose message follows the field's name */
export function checkPhone(phone: string): void {
  if (phone.length > LONGEST || !/\d/.test(phone) || /[\p{Cc}]/u.test(phone)) throw new Error('is not a phone number');
}

/** What people say of their phones: `none`, say, is no number, and no reason to refuse what else they do. @returns empty for that. @throws Error whose message follows the field's name */
export function phoneSaid(text: string): string {
  if (!/\d/.test(text)) return '';
  checkPhone(text);
  return text;
}

/** @throws Error whose message follows the field's name */
export function readPhoneType(text: unknown): PhoneType {
  const type = PHONE_TYPES.find((each) => each === text);
  if (!type) throw new Error(`must be one of ${PHONE_TYPES.join(', ')}`);
  return type;
}

/**
 * The numbers of one form or line, in the order they are taken in.
 * @param read gives the number that stands under a name, empty where there is none
 * @param type of the number in `phone`
 */
export const phonesGiven = (read: (name: string) => string, type: PhoneType): TypedPhone[] =>
  [{ type, name: 'phone' }, ...PHONES_BY_TYPE].flatMap(({ type, name }) => {
    const phone = read(name);
    return phone ? [{ type, phone }] : [];
  });

/** Source of what people say of themselves. */
export const SAID = 'user';

/** A number somebody has, or comes to have: those are yet without an id. */
export interface HeldPhone {
  id: number | null;
  type: PhoneType;
  normalized_phone: string;
  source: string;
}

/**
 * Numbers that somebody sent in, one after the other. The last one of a type stands, as of an address; those that came otherwise stay, and a number that is there
 * is no other.
 * @param held in the order they came
 * @returns those that are new, or stand in the place of another
 */
export function takenPhones(held: readonly HeldPhone[], given: readonly TypedPhone[]): (HeldPhone & { phone: string })[] {
  const all = [...held];
  const written = new Map<number, HeldPhone & { phone: string }>();
  for (const { type, phone } of given) {
    const normalized = normalizePhone(phone);
    const ofType = all.filter((each) => each.type === type);
    if (ofType.some((each) => each.normalized_phone === normalized)) continue;
    const said = ofType.find(({ source }) => source === SAID);
    const at = said ? all.indexOf(said) : all.length;
    const taken = { id: said?.id ?? null, type, normalized_phone: normalized, source: SAID, phone };
    all[at] = taken;
    written.set(at, taken);
  }
  return [...written.values()];
}
