import type { FastifyRequest } from 'fastify';
import type { Sender } from '../../core/actions/process.ts';
import type { Submission } from '../../core/actions/submission.ts';
import { type CustomFields, readCustomFields } from '../../core/people/custom-fields.ts';
import { InputError, RequestError } from '../../domain/errors.ts';
import { notPostal } from '../../domain/people/address.ts';
import { splitName } from '../../domain/people/full-name.ts';
import { NAME_AND_ADDRESS } from '../../domain/people/person-columns.ts';
import { phoneSaid, phonesGiven, readPhoneType } from '../../domain/people/phone-number.ts';
import { idNamed } from '../../domain/uris.ts';
import { readBody, readBoolean, readInteger, readShortText, readText } from '../../domain/values.ts';
import { readAddress } from '../../mail/address.ts';
import { readOnce } from '../validation/takes.ts';
import { withMembers } from './members.ts';

/** Columns of a person that a submission may fill. */
const PERSON = NAME_AND_ADDRESS;
/** `user_<name>` fields of one submission, and `action_<name>` fields: more than any form has. */
const MOST_FIELDS = 200;
/** Fields of all kinds; whip counts have two for each target. */
const MOST_GIVEN = 2_500;

/** Who sends, as far as it matters to what they send. */
export const senderOf = ({ ip, account }: Pick<FastifyRequest, 'ip' | 'account'>): Sender => ({
  ipAddress: ip,
  anonymous: account === null,
});

/** A body is read as a whole: what a form's fields are called says what they are. @throws InputError, RequestError */
export const readSubmission = readOnce((body: unknown): Submission => {
  const given = withMembers(readBody(body));
  if (Object.keys(given).length > MOST_GIVEN) throw new RequestError({ body: `The body must not have more than ${MOST_GIVEN} fields.` });
  const errors: Record<string, string> = {};
  const read = <Value>(name: string, how: (value: unknown) => Value, absent: Value): Value => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined || value === null || value === '') return absent;
    try {
      return how(value);
    } catch (error) {
      errors[name] = `${name} ${(error as Error).message}.`;
      return absent;
    }
  };
  const person: Submission['person'] = {};
  for (const name of PERSON) {
    const value = read(name, readShortText, '');
    if (value) person[name] = value;
  }
  const fullName = read('name', readShortText, '');
  if (fullName && !person.first_name && !person.last_name) Object.assign(person, splitName(fullName));
  const phoneType = read('phone_type', (value) => readPhoneType([value].flat().at(-1) || 'home'), 'home');
  const phones = phonesGiven((name) => read(name, readPhone, ''), phoneType);
  const submission: Submission = {
    page: read('page', readText, ''),
    email: read('email', readAddress, null),
    akid: read('akid', readText, null),
    referringAkid: read('referring_akid', readText, null),
    mailingId: read('mailing_id', (value) => readInteger(idNamed(value, 'mailer', 'mailing')), null),
    person,
    phones,
    userFields: prefixed(given, 'user_'),
    actionFields: prefixed(given, 'action_'),
    listIds: read('lists', readIds, null),
    wantsList: read('opt_in', readAnswer, true) && !read('suppress_subscribe', readAnswer, false),
    skipConfirmation: read('skip_confirmation', readAnswer, false),
    source: read('source', readShortText, 'restful_api'),
    filled: filledIn(given, person),
    given,
  };
  if (notPostal(submission.person)) errors['postal'] = 'This is not a zip code of the United States.';
  if (!submission.page && !errors['page']) errors['page'] = 'page is required.';
  if (!submission.email && !submission.akid && !errors['email']) errors['email'] = 'email or akid is required.';
  if (Object.keys(errors).length > 0) throw new InputError(errors);
  return submission;
});

/** A form may repeat the field: the last number stands. */
function readPhone(value: unknown): string {
  const texts = [value].flat().map((each) => (typeof each === 'number' ? String(each) : readText(each)).trim());
  return phoneSaid(texts.findLast((text) => /\d/.test(text)) ?? '');
}

/** One list, several, or `1,2`: forms repeat the field, or name one. */
function readIds(value: unknown): number[] {
  const members = [value].flat().flatMap((each) => (typeof each === 'string' ? each.split(',') : [each]));
  if (members.length > 1_000) throw new Error('has too many members');
  return members.map((each) => readInteger(idNamed(each, 'list')));
}

/** A form's own words for yes and no beside those of everybody. */
function readAnswer(value: unknown): boolean {
  if (typeof value === 'string' && /^(yes|no)$/i.test(value.trim())) return /^y/i.test(value.trim());
  return readBoolean(value);
}

function prefixed(given: Record<string, unknown>, prefix: string): CustomFields {
  const named = Object.entries(given).flatMap(([name, value]) =>
    name.startsWith(prefix) && name.length > prefix.length ? [[name.slice(prefix.length), value] as const] : [],
  );
  const [tooMany] = named.slice(MOST_FIELDS);
  if (tooMany) {
    throw new InputError({ [(prefix + tooMany[0]).slice(0, 300)]: `At most ${MOST_FIELDS} fields may begin with ${prefix}.` });
  }
  return named.reduce<CustomFields>((all, [name, value]) => {
    const wire = `${prefix}${name}`.slice(0, 300);
    for (const entry of readCustomFields({ [name]: value }, wire, () => wire)) all.set(...entry);
    return all;
  }, new Map());
}

/** What a page may require: what was sent, the parts of a name that came as one text, and the name whose parts came. */
function filledIn(given: Record<string, unknown>, { first_name, last_name }: Submission['person']): Set<string> {
  const names = Object.entries({ first_name, last_name, name: first_name || last_name }).flatMap(([part, text]) => (text ? [part] : []));
  return new Set([...Object.keys(given).filter((name) => isFilled(given[name])), ...names]);
}

function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isFilled);
  return value !== undefined && value !== null && (typeof value === 'object' || String(value).trim() !== '');
}
