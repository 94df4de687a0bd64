import { NAME_AND_ADDRESS } from '../../domain/people/person-columns.ts';
import { NOT_KEPT } from './free-texts.ts';

// What hangs on a user: the one list that DELETE, merge and erasure go by. A table that names users anywhere is declared here; a test
// looks for columns that are not.

/** Options of the eraser; without one, what it names stays. */
export const ERASE_OPTIONS = ['order_user_details', 'user_fields', 'action_fields', 'transactional_mailings'] as const;
export type EraseOption = (typeof ERASE_OPTIONS)[number];

export interface Belonging {
  table: string;
  /** Holds the user's id; with `through`, the id of a row of that table. */
  column: string;
  /** The rows belong to rows of this table, whose `column` holds the user's id. They go with it on delete and stay with it on merge. */
  through?: { table: string; column: string };
  /** The column holds the user's address instead of an id: these rows stay on delete, and are found on merge by the address there is, on erasure by those there were, too. */
  by?: 'email';
  /**
   * On DELETE of the user: `cascade`, a foreign key does it; `clear`, the column becomes null; `keep`, a bare number stays as a record; `byHand`,
   * domain rules say.
   */
  delete: 'cascade' | 'clear' | 'keep' | 'byHand';
  /**
   * On merge, the rows of merged users: `move` to the primary; `drop`; `keep` untouched; `byHand`, domain rules of the merge say; or moved
   * unless the primary has a row with the same values in `unlessThere` already, the one with more `rank` (SQL over the row `x`) winning.
   */
  merge: 'move' | 'drop' | 'keep' | 'byHand' | { unlessThere: string[]; rank?: string };
  /** Whose they are is shown: for clients that ask by `updated_at`, to become another's or nobody's is a change. */
  shown?: true;
  /** On erasure: kept as it is, deleted, or columns set to SQL expressions over the row `x`, where they are others. With `only`, not unless that option is asked for. */
  erase: 'keep' | 'byHand' | { delete: true; only?: EraseOption } | { set: Record<string, string>; only?: EraseOption };
}

/** Columns that say who somebody is and where they live; the row of a user and the details of an order have them alike. */
export const PERSON_COLUMNS = ['email', ...NAME_AND_ADDRESS, 'source'] as const;

const blank = (columns: readonly string[]) => Object.fromEntries(columns.map((column) => [column, `''`]));

/** Of what is read by `updated_at`. */
const CHANGED = { updated_at: 'now()' };

/** What has not begun does not begin, and what is on its way has no words to come. */
const LAST_WORDS = {
  status: `case when x.status = 'pending' then 'skipped' else x.status end`,
  detail: `case when x.status in ('pending', 'sending') then '${NOT_KEPT}' else '' end`,
};

/** SQL: what a statement that says anew whose rows are sets beside. @param shown of the belonging */
export const changed = (shown: boolean | undefined): string => (shown ? ', updated_at = now()' : '');

const actions = { table: 'core_action', column: 'user_id' };

/** In the order they are worked on. Other areas add their lines here. */
export const BELONGINGS: readonly Belonging[] = [
  { table: 'core_open', column: 'user_id', delete: 'cascade', merge: 'move', erase: 'keep' },
  { table: 'core_click', column: 'user_id', delete: 'cascade', merge: 'move', erase: 'keep' },
  { table: 'core_trackedrecipient', column: 'user_id', delete: 'cascade', merge: 'byHand', erase: 'keep' },
  { table: 'core_mergefilerow', column: 'user_id', delete: 'cascade', merge: { unlessThere: ['mergefile_id'] }, erase: { delete: true } },
  { table: 'core_userfield', column: 'parent_id', delete: 'cascade', merge: 'byHand', erase: { delete: true, only: 'user_fields' } },
  { table: 'core_phone', column: 'user_id', delete: 'cascade', merge: 'byHand', erase: { delete: true } },
  { table: 'core_location', column: 'user_id', delete: 'cascade', merge: 'byHand', erase: { delete: true } },
  { table: 'core_user_original', column: 'user_id', delete: 'cascade', merge: 'byHand', erase: { delete: true } },
  { table: 'core_formeremail', column: 'user_id', delete: 'cascade', merge: { unlessThere: ['email'] }, erase: { delete: true } },
  { table: 'core_logintoken', column: 'user_id', delete: 'cascade', merge: 'drop', erase: { delete: true } },
  { table: 'core_subscription', column: 'user_id', delete: 'cascade', merge: 'byHand', erase: 'byHand' },
  { table: 'core_subscriptionhistory', column: 'user_id', delete: 'cascade', merge: 'move', erase: 'keep' },
  {
    table: 'core_action',
    column: 'user_id',
    delete: 'cascade',
    merge: 'move',
    shown: true,
    erase: { set: { ip_address: 'null', ...CHANGED } },
  },
  { table: 'core_action', column: 'referring_user_id', delete: 'clear', merge: 'move', shown: true, erase: 'keep' },
  {
    table: 'core_actionfield',
    column: 'parent_id',
    through: actions,
    delete: 'cascade',
    merge: 'move',
    erase: { delete: true, only: 'action_fields' },
  },
  {
    table: 'core_whipcountactioncalled',
    column: 'user_id',
    delete: 'cascade',
    // Two people who were one: what was reported last stands, and nothing that an erasure has emptied, which it has written since.
    merge: { unlessThere: ['page_id', 'target_id'], rank: `case when x.response = '' then 0 else extract(epoch from x.updated_at) end` },
    erase: {
      set: {
        response: `case when response in ('uncommitted', 'supportive', 'opposed', 'message') then response else '' end`,
        ...CHANGED,
      },
      only: 'action_fields',
    },
  },
  {
    table: 'core_user_groups',
    column: 'user_id',
    delete: 'cascade',
    merge: { unlessThere: ['usergroup_id'] },
    erase: { delete: true, only: 'user_fields' },
  },
  {
    table: 'core_usergeofield',
    column: 'user_id',
    delete: 'cascade',
    merge: 'move',
    shown: true,
    erase: { delete: true, only: 'user_fields' },
  },
  {
    table: 'events_event',
    column: 'creator_id',
    delete: 'clear',
    merge: 'move',
    shown: true,
    erase: { set: { fields: `'{}'`, ...CHANGED }, only: 'action_fields' },
  },
  {
    table: 'events_eventsignup',
    column: 'user_id',
    delete: 'cascade',
    // Who comes under either name comes.
    merge: { unlessThere: ['event_id', 'role'], rank: `(x.status = 'active')::int` },
    shown: true,
    erase: { set: { fields: `'{}'`, ...CHANGED }, only: 'action_fields' },
  },
  {
    table: 'core_bounce',
    column: 'user_id',
    delete: 'cascade',
    merge: { unlessThere: ['report_id'] },
    erase: { set: { diagnostic: `''` } },
  },
  {
    table: 'core_transactionalmailing',
    column: 'user_id',
    delete: 'cascade',
    merge: 'move',
    erase: { set: { email: `''`, subject: `''` }, only: 'transactional_mailings' },
  },
  {
    table: 'core_transactionalmailing',
    column: 'user_id',
    delete: 'cascade',
    merge: 'move',
    erase: { set: LAST_WORDS },
  },
  // A reviewer's final proof.
  {
    table: 'core_mailingnotice',
    column: 'reviewer_id',
    delete: 'keep',
    merge: 'move',
    erase: { set: LAST_WORDS },
  },
  {
    table: 'core_mailing_reviewers',
    column: 'user_id',
    delete: 'cascade',
    merge: { unlessThere: ['mailing_id'] },
    erase: { delete: true },
  },
  // core/sending/recipients-who-go.ts, in all cases: what is counted stays.
  { table: 'send_set', column: 'user_ids', delete: 'byHand', merge: 'byHand', erase: 'byHand' },
  { table: 'send_accepted', column: 'user_id', delete: 'byHand', merge: 'byHand', erase: 'byHand' },
  { table: 'send_exception', column: 'user_id', delete: 'byHand', merge: 'byHand', erase: 'byHand' },
  { table: 'targeting_gone', column: 'user_id', delete: 'keep', merge: 'keep', erase: 'keep' },
  { table: 'core_order', column: 'user_id', delete: 'cascade', merge: 'move', shown: true, erase: 'keep' },
  { table: 'core_orderrecurring', column: 'user_id', delete: 'cascade', merge: 'move', shown: true, erase: 'keep' },
  {
    table: 'core_transaction',
    column: 'order_id',
    through: { table: 'core_order', column: 'user_id' },
    delete: 'cascade',
    merge: 'move',
    erase: { set: { failure_description: `''`, failure_message: `''`, ...CHANGED } },
  },
  {
    table: 'core_orderuserdetail',
    column: 'user_id',
    delete: 'cascade',
    merge: 'move',
    erase: { set: { ...blank(PERSON_COLUMNS), ...CHANGED }, only: 'order_user_details' },
  },
  {
    table: 'core_donationattempt',
    column: 'email',
    by: 'email',
    delete: 'keep',
    // Under the address by which whoever they were merged into can be asked, and is erased.
    merge: 'move',
    erase: { set: { email: `''`, name: `''`, errors: `'{}'` }, only: 'order_user_details' },
  },
  {
    table: 'core_crmmap',
    column: 'user_id',
    // A mapping without its user is closed by the sweep, which has the CRM told; on merge and erasure core/crm/mapping-status.ts sees to it.
    delete: 'clear',
    merge: 'byHand',
    erase: 'byHand',
  },
  // An erased user's contact is told to the partner system by the integration, which then deletes the row; of one who is merged or deleted before, it is kept with an intent.
  { table: 'core_partnerusermap', column: 'user_id', delete: 'cascade', merge: { unlessThere: [] }, shown: true, erase: 'keep' },
  // Until the integration has told the partner system, which drops the row of an erased or deleted user; what it says meanwhile is not kept.
  { table: 'partner_intent', column: 'local_id', delete: 'keep', merge: 'keep', erase: 'byHand' },
  { table: 'core_usermerge', column: 'primary_user', delete: 'keep', merge: 'keep', erase: 'keep' },
  { table: 'core_usermerge', column: 'address_user', delete: 'keep', merge: 'keep', erase: 'keep' },
  { table: 'core_usermerge', column: 'source_user', delete: 'keep', merge: 'keep', erase: 'keep' },
  { table: 'core_usermerge', column: 'sms_user', delete: 'keep', merge: 'keep', erase: 'keep' },
  { table: 'core_erasure', column: 'user_id', delete: 'keep', merge: 'keep', erase: 'keep' },
];
