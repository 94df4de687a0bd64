import { akid } from '../../domain/akid.ts';
import { fieldsSql, readCustomFields, saveUserFields } from '../../entities/people/custom-fields.ts';
import { AllowedUserField, User } from '../../entities/people/user.ts';
import { usableAddress } from '../../mail/address.ts';
import { type Change, type FieldOverride, resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { uriOf } from '../resource/reference.ts';

/** URI of the objects of another resource that belong to this one. */
export function belonging(name: string, by: string): FieldOverride {
  return {
    help: `URI of the ${name} collection, filtered.`,
    schema: { type: 'string', format: 'uri-reference' },
    show: ({ id }) => `/rest/v1/${name}/?${by}=${id}`,
  };
}

async function saveFields({ sql, id, extra, context }: Change): Promise<void> {
  if (extra['fields'] === undefined) return;
  const fields = readCustomFields(extra['fields'] as Record<string, unknown>, 'fields');
  await saveUserFields(sql, id, fields, context.env.STRICT_USER_FIELDS);
  await sql('update core_user set updated_at = now() where id = $1', [id]);
}

export const user = resource({
  name: 'user',
  about: 'a person',
  area: 'Users',
  entity: User,
  fields: {
    email: { trim: true, check: (email: string) => (usableAddress(email) === null ? 'is not an email address' : undefined) },
    subscription_status: { readonly: true },
    rand_id: { readonly: true, help: 'No longer in use.' },
    token: {
      help: 'Hashed identifier of the user.',
      show: ({ id }, { env }) => akid(env.SECRET_KEY, null, id as number),
    },
    fields: {
      kind: 'dict',
      readonly: false,
      default: {},
      help: 'Custom user fields. A change replaces only the names sent; a value may be a list.',
      sql: fieldsSql('core_userfield', 't.id'),
    },
    logintoken: {
      help: 'Where a login token is asked for.',
      schema: { type: 'string', format: 'uri-reference' },
      show: ({ id }) => `${uriOf('user', id as number)}logintoken/`,
    },
    actions: belonging('action', 'user'),
    subscriptions: belonging('subscription', 'user'),
    subscriptionhistory: belonging('subscriptionhistory', 'user'),
  },
  caseless: ['email'],
  filtering: {
    id: SINCE,
    country: 'all',
    email: ['exact', 'iexact', 'in'],
    language: 'joins',
    last_name: 'all',
    source: 'all',
    state: 'all',
    subscription_status: EXACT,
    zip: 'all',
    created_at: TIMES,
    updated_at: TIMES,
  },
  filterNames: { language: 'lang' },
  ordering: ['created_at', 'updated_at', 'last_name', 'state', 'country', 'zip', 'source'],
  uniqueKeys: [{ constraint: 'core_user_email_key', field: 'email', where: 'lower(t.email) = lower($1)', properties: ['email'] }],
  hooks: {
    afterCreate: saveFields,
    afterUpdate: saveFields,
    // What hangs on a person goes with the row. Mails of a sending that is not over stay: its sums must come out.
    afterDelete: async ({ sql, id }) => {
      await sql(`delete from send_ledger l using core_mailing m where l.user_id = $1 and m.id = l.mailing_id and m.status = 'completed'`, [
        id,
      ]);
    },
  },
});

export const alloweduserfield = resource({
  name: 'alloweduserfield',
  about: 'a custom field users may have',
  area: 'Users',
  entity: AllowedUserField,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', hidden: EXACT },
  ordering: ['name', 'created_at', 'updated_at'],
});
