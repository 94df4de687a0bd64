import type { ActionInput, DonationInput, PageInput } from '../../../core/donations/push/donation-input.ts';
import { readCustomFields } from '../../../core/people/custom-fields.ts';
import { readBody, readBoolean, readDict, readTimestamp } from '../../../domain/values.ts';
import { readOnce } from '../../validation/takes.ts';
import { readOrder } from './order-input.ts';
import { PushObject, PushProblems, unlessBlank } from './reading.ts';
import { readUser } from './user-input.ts';

/**
 * A donation push, checked as far as that goes without looking anything up.
 * @throws PushError, InputError, RequestError
 */
export const readDonation = readOnce((body: unknown): DonationInput => {
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
});

function readPage(given: unknown, problems: PushProblems): PageInput {
  const page = new PushObject('donationpage', given, problems);
  const name = page.requiredText('name');
  // What resources check on names, said before anything is looked up.
  if (name && !/^[\w.~-]+$/.test(name)) page.wrong('name', 'name must hold only letters, digits and . _ ~ -');
  const fields = Object.entries(page.rest('payment_account')).filter(([, value]) => unlessBlank(value) !== undefined);
  return { name, account: page.text('payment_account'), fields: { ...Object.fromEntries(fields), name } };
}

function readAction(given: unknown, problems: PushProblems): ActionInput {
  const action = new PushObject('action', given, problems);
  return {
    createdAt: action.read('created_at', readTimestamp),
    source: action.text('source'),
    fields: action.read('fields', (value) => readCustomFields(readDict(value), 'fields')) ?? new Map(),
    skipConfirmation: action.readNeverBlank('skip_confirmation', readBoolean) ?? false,
  };
}
