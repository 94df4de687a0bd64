import type { Money } from '../../../domain/money.ts';
import type { NAME_AND_ADDRESS } from '../../../domain/people/person-columns.ts';
import type { RecurringPeriod } from '../../../domain/words.ts';
import type { CustomFields } from '../../people/custom-fields.ts';

// What a donation push says, checked as far as that goes without looking anything up.

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

export interface DetailInput {
  /** An id, or the name of somebody to find or make. */
  candidate: { id: number } | { name: string };
  amount: Money;
}

export interface OrderInput {
  total: Money;
  details: DetailInput[];
  lastFour: string;
  /** MMYY. */
  expDate: string;
  createdAt: string | null;
  donationDate: string | null;
  account: string;
  importId: string | null;
  currency: string | null;
  totalConverted: Money | null;
  transId: string;
  recurring: { id: string; period: RecurringPeriod; start: string | null } | null;
}

export interface UserInput {
  email: string | null;
  akid: string | null;
  /** Given and not empty: nothing that is left out overwrites what is known. */
  person: Partial<Record<(typeof NAME_AND_ADDRESS)[number], string>>;
  source: string;
  fields: CustomFields;
  /** Beside those of the action itself, which win. */
  actionFields: CustomFields;
  /** Absent: the list of the page. Empty: none. */
  lists: ({ id: number } | { name: string })[] | null;
}
