import type { UserInput } from '../../../core/donations/push/donation-input.ts';
import { type CustomFields, readCustomFields } from '../../../core/people/custom-fields.ts';
import { InputError } from '../../../domain/errors.ts';
import { splitName } from '../../../domain/people/full-name.ts';
import { NAME_AND_ADDRESS } from '../../../domain/people/person-columns.ts';
import { idNamed } from '../../../domain/uris.ts';
import { readDict, readInteger, readShortText } from '../../../domain/values.ts';
import { readAddress } from '../../../mail/address.ts';
import { PushObject, type PushProblems, unlessBlank } from './reading.ts';

/** Columns of a person a push may fill. */
const PERSON = NAME_AND_ADDRESS;

const MOST_LISTS = 1_000;

/** Reads `user` of a donation push. What is wrong goes to `problems`. */
export function readUser(given: unknown, problems: PushProblems): UserInput {
  const user = new PushObject('user', given, problems);
  const person: UserInput['person'] = {};
  for (const name of PERSON) {
    const value = user.text(name);
    if (value) person[name] = value;
  }
  const fullName = user.text('name');
  if (fullName && !person.first_name && !person.last_name) Object.assign(person, splitName(fullName));
  const email = user.read('email', readAddress);
  const akid = user.text('akid') || null;
  if (!akid && user.given('email') === undefined) user.wrong('email', 'email or akid is required.');
  return {
    email,
    akid,
    person,
    source: user.text('source'),
    fields: user.read('fields', readUserFields) ?? new Map(),
    actionFields: readActionFields(user),
    lists: user.readNeverBlank('lists', readLists),
  };
}

function readUserFields(value: unknown): CustomFields {
  const given = Object.entries(readDict(value)).map(([name, each]) => [name.replace(/^user_/, ''), each] as const);
  return readCustomFields(Object.fromEntries(given), 'fields');
}

/** `action_<name>` beside the fields of the user, as forms of pages send them. */
function readActionFields(user: PushObject): CustomFields {
  const given = Object.entries(user.rest()).filter(([name]) => /^action_./.test(name));
  try {
    return readCustomFields(Object.fromEntries(given.map(([name, value]) => [name.slice('action_'.length), value])), 'fields');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    for (const message of Object.values(error.fields).flat()) user.wrong('fields', message);
    return new Map();
  }
}

function readLists(value: unknown): UserInput['lists'] {
  if (!Array.isArray(value) || value.length > MOST_LISTS) throw new Error(`must be a list of at most ${MOST_LISTS} ids or {name} objects`);
  return value.map((each) => {
    if (typeof each === 'object' && each !== null) {
      const { id, name } = each as Record<string, unknown>;
      if (unlessBlank(id) !== undefined) return { id: readInteger(id) };
      const text = readShortText(name ?? '');
      if (text) return { name: text };
      throw new Error('must hold ids or {name} objects');
    }
    return { id: readInteger(idNamed(each, 'list')) };
  });
}
