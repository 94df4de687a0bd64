import { NAME_AND_ADDRESS } from '../domain/people/person-columns.ts';
import type { Names } from '../template/scope.ts';
import type { MailingContent, Recipient, WantedReport } from './contracts.ts';

/** What the templates of a mailing see while one mail is made. */
export interface Moment {
  recipient: Recipient;
  akid: string;
  unsubscribeLink: string;
  /** Where this mail can be read on the web. */
  viewLink?: string;
  /** The rendered subject; empty while the subject itself is rendered. */
  subject: string;
  /** Which of the subjects and preview texts. */
  variant: number;
  now: Date;
  /** The HTML has shown its footer. */
  hasFooter: boolean;
  /** The version that is made has shown the link to leave by. */
  hasLink: boolean;
}

/** Columns of core_user that templates may show. */
const USER_COLUMNS = ['email', ...NAME_AND_ADDRESS, 'source', 'subscription_status', 'created_at', 'updated_at'] as const;

const columns: ReadonlySet<string> = new Set(USER_COLUMNS);

/** What the templates turned out to need of each recipient. */
export class Needs {
  readonly columns = new Set<string>();
  /** Custom fields by name; true once they are used as a whole. */
  fields: Set<string> | true = new Set();
  location = false;
  row = false;
  targets = false;
  readonly reports = new Map<string, WantedReport>();
}

/** What templates may show of a person's location, as the API calls it. */
const LOCATION_COLUMNS = [
  'us_district',
  'us_county',
  'us_state_senate',
  'us_state_district',
  'country_code',
  'region_code',
  'latitude',
  'longitude',
  'timezone',
] as const;

const locationColumns: ReadonlySet<string> = new Set(LOCATION_COLUMNS);

type Read = (moment: Moment) => unknown;

/** The names that templates of a mailing may use. Others are refused when a template is saved: a misspelt name would be empty for everybody. */
export function mailingNames(
  content: Pick<MailingContent, 'mailingId' | 'fields' | 'mergefile'>,
  token: (userId: number) => string,
  needs: Needs,
): Names<Moment> {
  const { mailingId, fields, mergefile } = content;
  const fullName: Read = ({ recipient }) => [recipient.first_name, recipient.last_name].filter(Boolean).join(' ');

  const leave: Read = (moment) => {
    moment.hasLink = true;
    return moment.unsubscribeLink;
  };

  const user: Record<string, Read> = {
    id: ({ recipient }) => recipient.user_id,
    akid: ({ akid }) => akid,
    token: ({ recipient }) => token(recipient.user_id),
    name: fullName,
    full_name: fullName,
    fields: ({ recipient }) => recipient.fields,
    custom_fields: ({ recipient }) => recipient.fields,
  };
  const mailing: Record<string, Read> = {
    id: () => mailingId,
    subject: ({ subject }) => subject,
    fields: () => fields,
    custom_fields: () => fields,
  };
  const alone: Record<string, Read> = {
    akid: ({ akid }) => akid,
    unsubscribe_link: leave,
    unsubscribe_url: leave,
    view_link: ({ viewLink }) => viewLink,
    mailing_fields: () => fields,
    now: ({ now }) => now,
  };

  const needField = (name: string | undefined) => {
    // What has no field of this name gives all there are (template/values.ts).
    if (name === undefined || name === 'items') needs.fields = true;
    else if (needs.fields !== true) needs.fields.add(name);
  };
  const ofUser = (name: string | undefined, further: string | undefined): Read | string => {
    if (name === undefined) return 'say what of the user is meant, as in user.first_name';
    if (columns.has(name)) {
      needs.columns.add(name);
      return ({ recipient }) => recipient[name];
    }
    if (!Object.hasOwn(user, name)) return `a user has no “${name}”; there are ${[...Object.keys(user), ...columns].sort().join(', ')}`;
    if (user[name] === fullName) needs.columns.add('first_name').add('last_name');
    if (user[name] === user.fields || user[name] === user.custom_fields) needField(further);
    return user[name]!;
  };
  const ofLocation = (name: string | undefined): Read | string => {
    if (name === undefined || !locationColumns.has(name)) return `of a location there are ${LOCATION_COLUMNS.join(', ')}`;
    needs.location = true;
    return ({ recipient }) => recipient.location?.[name];
  };
  const ofRow = (name: string | undefined): Read | string => {
    if (name === undefined) return 'say what of the row is meant, as in row.color';
    if (mergefile && !mergefile.columns.includes(name))
      return `the mergefile has no column “${name}”; there are ${mergefile.columns.join(', ')}`;
    needs.row = true;
    return ({ recipient }) => recipient.row?.[name];
  };
  const ofTargets = (): Read => {
    needs.targets = true;
    return ({ recipient }) => recipient.targets;
  };
  const ofMailing = (name: string | undefined): Read | string =>
    (name !== undefined && Object.hasOwn(mailing, name) && mailing[name]) || `of a mailing there are ${Object.keys(mailing).join(', ')}`;

  return ([first, second, third]) => {
    if (first === 'user' && second === 'location') {
      const read = ofLocation(third);
      return typeof read === 'string' ? read : { read, taken: 3 };
    }
    if (first === 'targets') {
      return { read: ofTargets(), taken: 1 };
    }
    const inner =
      first === 'user' ? ofUser(second, third) : first === 'mailing' ? ofMailing(second) : first === 'row' ? ofRow(second) : null;
    if (inner !== null) return typeof inner === 'string' ? inner : { read: inner, taken: 2 };
    if (Object.hasOwn(alone, first!)) return { read: alone[first!]!, taken: 1 };
    const meant = columns.has(first!) || first === 'name' ? `; user.${first} may be meant` : '';
    return `there is no “${first}”${meant}`;
  };
}
