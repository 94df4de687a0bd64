import type { NAME_AND_ADDRESS } from '../../domain/people/person-columns.ts';
import type { TypedPhone } from '../../domain/people/phone-number.ts';
import type { CustomFields } from '../people/custom-fields.ts';

/** What somebody sent in on a page, checked as far as that is possible without looking anything up. */
export interface Submission {
  page: string;
  email: string | null;
  akid: string | null;
  referringAkid: string | null;
  mailingId: number | null;
  /** Given and not empty: nobody's data is blanked by a form that left a field out. */
  person: Partial<Record<(typeof NAME_AND_ADDRESS)[number], string>>;
  phones: TypedPhone[];
  userFields: CustomFields;
  actionFields: CustomFields;
  /** Absent: the page's list, or the default one. Empty: none. */
  listIds: number[] | null;
  /** False when the person was asked and said no, or the caller says not to. */
  wantsList: boolean;
  skipConfirmation: boolean;
  source: string;
  /** Names of all fields that hold something, as sent. */
  filled: Set<string>;
  /** Everything as sent, for what only pages of one type understand. */
  given: Record<string, unknown>;
}

/** An action that has just been recorded, for what pages of its type do beyond that. */
export interface RecordedAction {
  submission: Submission;
  pageId: number;
  userId: number;
  actionId: number;
}
