import { type CustomFields, readCustomFields } from '../../../entities/people/custom-fields.ts';
import { readBody } from '../../resource/input.ts';
import { readDict, readTimestamp } from '../../resource/values.ts';
import { type OrderInput, readOrder } from './order-input.ts';
import { flag, PushObject, PushProblems } from './reading.ts';
import { readUser, type UserInput } from './user-input.ts';

export interface PageInput {
  name: string;
  account: string;
  /** Fields of the donation page resource, for a page that has to be made. */
  fields: Record<string, unknown>;
}

export interface ActionInput {
  createdAt: string | null;
  source: string;
  fields: CustomFields;
  skipConfirmation: boolean;
}

export interface DonationInput {
  page: PageInput;
  order: OrderInput;
  user: UserInput;
  action: ActionInput;
}

/**
 * A donation push, checked as far as that goes without looking anything up.
 * @throws PushError, InputError, RequestError
 */
export function readDonation(body: unknown): DonationInput {
  const given = readBody(body);
  const problems = new PushProblems();
  const input = {
    page: readPage(given['donationpage'], problems),
    order: readOrder(given['order'], problems),
    user: readUser(given['user'], problems),
    action: readAction(given['action'], problems),
  };
  problems.throwAny();
  return input;
}

function readPage(given: unknown, problems: PushProblems): PageInput {
  const page = new PushObject('donationpage', given, problems);
  const name = page.requiredText('name');
  // What resources check on names, said before anything is looked up.
  if (name && !/^[\w.~-]+$/.test(name)) page.wrong('name', 'name must hold only letters, digits and . _ ~ -');
  return { name, account: page.text('payment_account'), fields: { ...page.rest('payment_account'), name } };
}

function readAction(given: unknown, problems: PushProblems): ActionInput {
  const action = new PushObject('action', given, problems);
  return {
    createdAt: action.read('created_at', readTimestamp),
    source: action.text('source'),
    fields: action.read('fields', (value) => readCustomFields(readDict(value), 'fields')) ?? new Map(),
    skipConfirmation: action.read('skip_confirmation', flag) ?? false,
  };
}
