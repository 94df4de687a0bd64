import { NO_REVIEWERS } from '../core/mailings/request-proofs.ts';
import { SET_REFUSALS } from '../domain/mailing-status.ts';
import { NO_NAMING } from '../domain/people/import-line.ts';
import { CAMPAIGN_RADIUS, NAMED, SAME, SIDES, WRITTEN } from './audience/audience-fields.ts';

/** What the API says of the saved set of users: here it is the audience, which is built, and nobody has heard of `rebuild_query_at_send`. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  [SET_REFUSALS.beingRebuilt, 'The audience is being built just now: wait until it is.'],
  [SET_REFUSALS.none, 'The audience is not built yet: build it, or have that done right before sending, under “Time and speed”.'],
  [
    SET_REFUSALS.changed,
    'The audience was changed after it was built: build it anew, or have that done right before sending, under “Time and speed”.',
  ],
  [SET_REFUSALS.empty, 'Nobody is in the audience.'],
  [SET_REFUSALS.notCurrent, 'The audience is not built as it is chosen now: build it first.'],
  ['subjects must hold at least one subject.', 'A subject is missing.'],
  [NO_REVIEWERS, 'Say who reviews them: nobody has before.'],
  [NO_NAMING, 'Choose which column is the email address, or the id or akid people have here.'],
]);

/** What fields are called on pages, by the names with which messages of the API begin. */
const LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    subjects: 'Subject',
    preview_text: 'Preview text',
    html: 'HTML',
    text: 'Text version',
    custom_fromline: 'From',
    fromline: 'From',
    reply_to: 'Replies go to',
    emailwrapper: 'Wrapper',
    lang: 'Language',
    landing_page: 'Landing page',
    tags: 'Tags',
    notes: 'Notes',
    scheduled_for: 'Goes out at',
    mails_per_second: 'Mails per second',
    limit: 'At most',
    sort_by: 'Picked',
    reviewers: 'Reviewers',
    proofs: 'Proofs for each',
    date: 'Day the mail sees as today',
    name: 'Name',
    groups: 'Groups',
    grants: 'What its accounts may do',
    fields: 'Custom fields',
    phones: 'Phones',
    list: 'List',
  }),
);

/** The same of the fields of an audience, which it has on two sides. */
const OF_AUDIENCE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...NAMED,
    ...Object.fromEntries(Object.entries(WRITTEN).map(([field, [label]]) => [field, label])),
    ...SAME,
    campaign_radius: CAMPAIGN_RADIUS[0],
    zip_radius: 'Miles around the zips or cities',
    has_donated: 'Has donated',
    was_monthly_donor: 'Gives monthly',
    users: 'People by name',
    query_reports: 'Reports',
    raw_sql: 'SQL',
  }),
);

const ON_A_SIDE = /^(includes|excludes): (\w+) (.*)$/s;

/** A message of the API in words of the console. @param field it is told under */
export function inWords(field: string, message: string): string {
  const [, side, of = '', rest] = ON_A_SIDE.exec(message) ?? [];
  if (side && OF_AUDIENCE.has(of)) return `${SIDES[side as keyof typeof SIDES]}: “${OF_AUDIENCE.get(of)}” ${rest}`;
  const label = message.startsWith(`${field} `) ? LABELS.get(field) : undefined;
  return PLAIN.get(message) ?? (label ? `“${label}”${message.slice(field.length)}` : message);
}

/** The same beside the field, which has its label there. */
export const besideField = (field: string, message: string): string =>
  PLAIN.get(message) ?? (message.startsWith(`${field} `) ? `It${message.slice(field.length)}` : message);

/** All that is wrong, in words of the console. */
export const messagesIn = ({ fields }: { fields: Readonly<Record<string, readonly string[]>> }): string[] =>
  Object.entries(fields).flatMap(([field, messages]) => messages.map((message) => inWords(field, message)));

/** What a field is called on pages. */
export const labelOf = (field: string): string => LABELS.get(field) ?? OF_AUDIENCE.get(field) ?? field;
