import type { TargetingField } from '../../domain/targeting/fields.ts';
import { EVENT_MILES } from '../../domain/targeting/fields.ts';
import { type Html, html } from './html.ts';
import type { MailingDocument } from './mailing-document.ts';
import { count, counted, duration, people, time } from './numbers.ts';
import { SET_WORDS } from './status-words.ts';

// Whom a mailing is for, in sentences.

type Shown = Record<string, unknown>;
type Say = (value: never, all: Shown) => string;

const either = (values: unknown[]): string => {
  const words = values.slice(0, 12).map((value) => String(value).replace(/^\/rest\/v1\/\w+\/(\d+)\/$/, '$1'));
  if (values.length > 12) words.push(`${count(values.length - 12)} more`);
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : String(words[0]);
};
const among =
  (before: string): Say =>
  (values: unknown[]) =>
    `${before} ${either(values)}`;

const DONORS: Record<string, string> = {
  active: 'gives monthly now',
  any: 'has ever given monthly',
  expires_this_month: 'has a monthly profile whose card expires this month',
  expired_last_month: 'has a monthly profile whose card expired last month',
  canceled_last_7_days: 'ended a monthly profile in the last 7 days',
};

/** What each field of targeting asks of somebody, to stand after "who". Null: it only says how another one is meant. */
const SAYS: Record<TargetingField, Say | null> = {
  users: (users: unknown[]) => (users.length > 12 ? `is one of ${count(users.length)} users named one by one` : `is user ${either(users)}`),
  lists: among('is on the list'),
  states: among('lives in'),
  countries: among('lives in'),
  regions: among('lives in the region'),
  zips: (zips: unknown[], { zip_radius: miles }) =>
    miles ? `lives within ${counted(Number(miles), 'mile', 'miles')} of ${either(zips)}` : `has the zip or city ${either(zips)}`,
  zip_radius: null,
  counties: among('lives in the county'),
  cds: among('lives in the congressional district'),
  state_house_districts: among('lives in the state house district'),
  state_senate_districts: among('lives in the state senate district'),
  has_donated: (yes: boolean) => (yes ? 'has donated' : 'has not donated'),
  was_monthly_donor: (states: string[]) => either(states.map((state) => DONORS[state] ?? state)),
  actions: among('took action on'),
  tags: among('took action on a page tagged'),
  campaigns: (names: unknown[], all) => {
    const same = ['state', 'county', 'district'].filter(
      (place) =>
        all[
          place === 'state' ? 'campaign_samestate_only' : place === 'county' ? 'campaign_same_county_only' : 'campaign_same_district_only'
        ],
    );
    const where = same.length ? `, in the same ${same.join(' and ')}` : '';
    return `lives within ${counted(Number(all['campaign_radius'] ?? EVENT_MILES), 'mile', 'miles')} of a coming event of ${either(names)}${where}`;
  },
  campaign_radius: null,
  campaign_samestate_only: null,
  campaign_same_county_only: null,
  campaign_same_district_only: null,
  target_groups: among('is represented by somebody of target group'),
  languages: among('has the language'),
  mailings: among('was sent mailing'),
  raw_sql: (statements: string[]) => `is found by ${statements.length === 1 ? 'this SQL' : 'one of these SQL statements'}`,
  query_reports: (reports: { short_name: string }[]) => `is found by the report ${either(reports.map(({ short_name }) => short_name))}`,
};

/** A side of the targeting as it is shown by the API, one sentence part for each field. Fields nobody here knows are named. */
function conditions(side: Shown): Html[] {
  return Object.entries(side).flatMap(([field, value]) => {
    const say = field in SAYS ? SAYS[field as TargetingField] : () => `matches ${field}`;
    if (say === null) return [];
    const sql = field === 'raw_sql' ? html`<pre tabindex="0">${(value as string[]).join(';\n')}</pre>` : '';
    return [html`<li>${say(value as never, side)}${sql}</li>`];
  });
}

/** Whom the mailing goes to, in words. */
export function audienceWords(mailing: MailingDocument): Html {
  const wanted = conditions(mailing.includes);
  const unwanted = conditions(mailing.excludes);
  if (mailing.target_mergefile) wanted.push(html`<li>is in the merge file</li>`);
  if (mailing.target_group_from_landing_page) wanted.push(html`<li>is represented by a target of the landing page</li>`);
  const { limit, sort_by } = mailing;
  const order = sort_by === 'random' ? ', picked at random' : sort_by === 'zip' ? ', in the order of their zips' : '';
  return html`${
    wanted.length
      ? html`<p>Everybody subscribed who</p><ul class="conditions all">${wanted}</ul>`
      : html`<p>Everybody subscribed to at least one list${unwanted.length ? ',' : '.'}</p>`
  }${unwanted.length ? html`<p>but nobody who</p><ul class="conditions any">${unwanted}</ul>` : ''}${
    limit !== null ? html`<p>At most ${people(limit)} of them${order}.</p>` : ''
  }<p class="small">Who has left, bounced or is blackholed gets nothing, also when it happens after the audience was built.</p>`;
}

/** How many that are, and how far this can be relied on. */
export function audienceCount(mailing: MailingDocument, savedCount: number | null): Html {
  const { query_status: status, query_completed_at: at, query_previous_runtime: seconds } = mailing;
  const words = SET_WORDS[status];
  const warn = words && status !== 'cleared' ? html`<p class="note ${status === 'failed' ? 'bad' : 'warn'}">${capital(words)}.</p>` : '';
  if (savedCount === null) return html`<p class="big">–</p><p class="small">${words ? '' : 'Not built yet.'}</p>${warn}`;
  const took = seconds !== null ? html`, in ${duration(seconds)}` : '';
  return html`<p class="big">${count(savedCount)} <span>${savedCount === 1 ? 'person' : 'people'}</span></p>
<p class="small">${at ? html`Built ${time(at)}${took}.` : ''}${mailing.rebuild_query_at_send ? ' Built anew right before sending.' : ''}</p>${warn}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
