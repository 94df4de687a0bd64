import { holdPerson } from '../../core/people/hold-person.ts';
import { touchNewOwner, touchOwners } from '../../core/people/phones.ts';
import { checkPhone, normalizePhone, readPhoneType } from '../../domain/people/phone-number.ts';
import { readText } from '../../domain/values.ts';
import { PHONE_TYPES } from '../../domain/words.ts';
import { Location, Phone, UserOriginal } from '../../entities/people/contact.ts';
import { type Change, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';

function normalize({ values }: Change): void {
  if (typeof values['phone'] === 'string') values['normalizedPhone'] = normalizePhone(values['phone']);
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
    // Clients say it as actions do, some of them with a capital.
    type: {
      nullIsAbsent: true,
      alsoNamed: ['phone_type'],
      taken: { type: 'string', enum: [...PHONE_TYPES] },
      read: (given) => readPhoneType(readText(given).toLowerCase()),
    },
    normalized_phone: { readonly: true, help: 'Digits alone, a leading + kept.' },
  },
  tally: [],
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
    afterCreate: ({ sql, values }) => touchNewOwner(sql, values['user'] as number),
    beforeHold: ({ sql, id, values }) => holdPerson(sql, 'core_phone', id, { as: 'no key update', next: values['user'] }),
    beforeUpdate: (change) => {
      normalize(change);
      return touchOwners(change.sql, change.id, change.values);
    },
    beforeDelete: ({ sql, id }) => touchOwners(sql, id, null),
  },
});

const FROM_USER = { area: 'Users', methods: ['list' as const, 'get' as const], permission: 'user' };

export const location = resource({
  ...FROM_USER,
  name: 'location',
  about: 'the estimated place of a user, made anew whenever the address changes',
  entity: Location,
  tally: [],
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
