import { isDeepStrictEqual } from 'node:util';
import { checkPhone, normalizePhone, phoneAt } from '../../core/people/phones.ts';
import { touchUser } from '../../core/people/single-fields.ts';
import { Location, Phone, UserOriginal } from '../../entities/people/contact.ts';
import { type Change, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';

function normalize({ values }: Change): void {
  if (typeof values['phone'] === 'string') values['normalizedPhone'] = normalizePhone(values['phone']);
}

/** The phones are a part of a person, who has changed with them; so has whoever had the phone before. */
async function change({ sql, id, values }: Change): Promise<void> {
  const stored = await phoneAt(sql, id);
  const now: typeof stored = { ...stored, ...values };
  if (isDeepStrictEqual(now, stored)) return;
  for (const userId of new Set([stored.user, now.user])) await touchUser(sql, userId);
}

export const phone = resource({
  name: 'phone',
  about: 'a phone number of a user',
  area: 'Users',
  entity: Phone,
  fields: {
    phone: {
      trim: true,
      check: (text: string) => {
        try {
          return void checkPhone(text);
        } catch (error) {
          return (error as Error).message;
        }
      },
    },
    normalized_phone: { readonly: true, help: 'Digits alone, a leading + kept.' },
  },
  filtering: {
    id: SINCE,
    user: 'joins',
    phone: 'all',
    normalized_phone: 'all',
    type: EXACT,
    source: 'all',
    created_at: SINCE,
    updated_at: SINCE,
  },
  ordering: ['created_at', 'updated_at'],
  hooks: {
    beforeCreate: normalize,
    afterCreate: ({ sql, values }) => touchUser(sql, values['user'] as number),
    beforeUpdate: (phone) => {
      normalize(phone);
      return change(phone);
    },
    beforeDelete: async ({ sql, id }) => touchUser(sql, (await phoneAt(sql, id)).user),
  },
});

const FROM_USER = { area: 'Users', methods: ['list' as const, 'get' as const], permission: 'user' };

export const location = resource({
  ...FROM_USER,
  name: 'location',
  about: 'the estimated place of a user, made anew whenever the address changes',
  entity: Location,
  filtering: {
    id: SINCE,
    user: 'joins',
    us_district: 'all',
    us_county: 'all',
    us_state_senate: 'all',
    us_state_district: 'all',
    country_code: 'all',
    region_code: 'all',
    timezone: 'all',
    updated_at: SINCE,
  },
  ordering: ['updated_at'],
});

export const useroriginal = resource({
  ...FROM_USER,
  name: 'useroriginal',
  about: 'a US address as it was first received',
  entity: UserOriginal,
  filtering: { id: SINCE, user: 'joins', zip: 'all', state: 'all' },
});
