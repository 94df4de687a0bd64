import { addressParts, type CorrectedAddress } from '../../core/geo/place-user.ts';
import { isEmptiedAddress, refuseEmptiedAddress } from '../../core/people/emptied-address.ts';
import { removeBelongings } from '../../core/people/removal.ts';
import { correctUser, saveBesideUser } from '../../core/people/write-user.ts';
import { akid } from '../../domain/akid.ts';
import { uriOf } from '../../domain/uris.ts';
import { AllowedUserField, User } from '../../entities/people/user.ts';
import { fragment } from '../../entities/tables.ts';
import { keptAddress } from '../../mail/address.ts';
import { type Change, type FieldOverride, resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { shownFields } from './shown-fields.ts';

/** URI of the objects of another resource that belong to this one. */
export function belonging(name: string, by: string): FieldOverride {
  return {
    help: `URI of the ${name} collection, filtered.`,
    schema: { type: 'string', format: 'uri-reference' },
    show: ({ id }) => `/rest/v1/${name}/?${by}=${id}`,
  };
}

/** An address as it was first received, as it is read. */
type Original = { id: number } & Record<string, string>;

const addressOf = ({ id: _, ...address }: Original) => address;

/** The address of each user under change, as it came in and corrected. */
const addresses = new WeakMap<Change, CorrectedAddress>();

async function correct(change: Change): Promise<void> {
  await refuseEmptiedAddress(change.sql, change.id, change.values['email']);
  const corrected = await correctUser(change.sql, change.id, change.values);
  if (corrected) addresses.set(change, corrected);
}

function saveRest(change: Change): Promise<void> {
  const { sql, id, extra, context } = change;
  const { fields, phones } = extra as { fields?: Record<string, unknown>; phones?: unknown[] };
  return saveBesideUser(sql, id, { fields, phones, address: addresses.get(change) }, context.env.STRICT_USER_FIELDS);
}

/** An address by which somebody is mailed, or never is. */
export const EMAIL: FieldOverride = {
  trim: true,
  check: (email: string) => (keptAddress(email) === null ? 'is not an email address' : undefined),
  kept: (email) => keptAddress(email) ?? email,
};

export const user = resource({
  name: 'user',
  about: 'a person',
  area: 'Users',
  entity: User,
  fields: {
    email: EMAIL,
    subscription_status: { readonly: true },
    rand_id: { readonly: true, help: 'No longer in use.' },
    token: {
      help: 'Hashed identifier of the user.',
      show: ({ id }, { env }) => akid(env.SECRET_KEY, null, id as number),
    },
    fields: shownFields('core_userfield', 'Custom user fields.'),
    logintoken: {
      help: 'Where a login token is asked for.',
      schema: { type: 'string', format: 'uri-reference' },
      show: ({ id }) => `${uriOf('user', id as number)}logintoken/`,
    },
    phones: {
      kind: 'list',
      readonly: false,
      default: [],
      nullIsAbsent: true,
      help: 'URIs of phones. Written, the list is what the user has afterwards: URIs of those that stay, and objects {phone, type (or phone_type), source}.',
      schema: { type: 'array', items: { type: 'string', format: 'uri-reference' } },
      sql: 'array(select p.id from core_phone p where p.user_id = t.id order by p.id)',
      show: ({ phones }) => (phones as number[]).map((id) => uriOf('phone', id)),
    },
    location: {
      help: 'Estimated place of the address.',
      nullable: true,
      schema: { type: ['string', 'null'], format: 'uri-reference' },
      sql: '(select o.id from core_location o where o.user_id = t.id)',
      show: ({ location }) => location && uriOf('location', location as number),
    },
    useroriginal: {
      help: 'The address as it was first received; US only.',
      nullable: true,
      schema: { type: ['string', 'null'], format: 'uri-reference' },
      show: ({ original }) => original && uriOf('useroriginal', (original as Original).id),
    },
    original: {
      kind: 'dict',
      nullable: true,
      help: 'The address as it was first received, uncorrected; US only.',
      // Read once for both: each further table a user is read from can be told in what a read costs.
      sql: `(select jsonb_build_object('id', o.id, 'address1', o.address1, 'address2', o.address2, 'city', o.city, 'state', o.state, 'zip', o.zip)
        from core_user_original o where o.user_id = t.id)`,
      show: ({ original }) => original && addressOf(original as Original),
    },
    groups: { nullIsAbsent: true, help: 'Groups the user is in.' },
    actions: belonging('action', 'user'),
    events: belonging('event', 'creator'),
    eventsignups: belonging('eventsignup', 'user'),
    orders: belonging('order', 'user'),
    orderrecurrings: belonging('orderrecurring', 'user'),
    sent_mails: belonging('sentmail', 'user'),
    usermailings: belonging('usermailing', 'user'),
    usergeofields: belonging('usergeofield', 'user'),
    subscriptions: belonging('subscription', 'user'),
    subscriptionhistory: belonging('subscriptionhistory', 'user'),
  },
  caseless: ['email'],
  tally: ['state', 'country', 'source', 'subscription_status', 'lang_id'],
  filtering: {
    id: SINCE,
    country: 'all',
    email: ['exact', 'iexact', 'in', 'contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'],
    language: 'joins',
    ...Object.fromEntries(
      ['prefix', 'first_name', 'middle_name', 'last_name', 'suffix', 'address1', 'address2', 'city', 'region', 'plus4', 'postal'].map(
        (name) => [name, 'all' as const],
      ),
    ),
    source: 'all',
    state: 'all',
    groups: 'joins',
    subscription_status: EXACT,
    zip: 'all',
    created_at: TIMES,
    updated_at: TIMES,
  },
  filterNames: { language: 'lang' },
  ordering: ['created_at', 'updated_at', 'email', 'first_name', 'last_name', 'city', 'state', 'country', 'zip', 'source'],
  uniqueKeys: [
    {
      constraint: 'core_user_email_key',
      field: 'email',
      properties: ['email'],
      where: ([email]) => fragment`lower(t.email) = lower(${email})`,
    },
  ],
  hooks: {
    beforeCreate: correct,
    afterCreate: saveRest,
    beforeUpdate: correct,
    afterUpdate: saveRest,
    beforeDelete: ({ sql, id }) => removeBelongings(sql, id),
  },
  plain: ({ values, extra }) =>
    Object.keys(extra).length === 0 && addressParts(values).size === 0 && !isEmptiedAddress(String(values['email'] ?? '')),
});

export const alloweduserfield = resource({
  name: 'alloweduserfield',
  about: 'a custom field users may have',
  area: 'Users',
  entity: AllowedUserField,
  fields: { name: { trim: true } },
  namedBy: 'name',
  filtering: { id: SINCE, name: 'all', hidden: EXACT },
  ordering: ['name', 'created_at', 'updated_at'],
});
