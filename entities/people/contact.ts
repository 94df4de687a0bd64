import { defineEntity, p } from '@mikro-orm/core';
import { PHONE_TYPES } from '../../domain/words.ts';
import { createdAt, id, status, text, updatedAt } from '../columns.ts';
import { User } from './user.ts';

export const Phone = defineEntity({
  name: 'Phone',
  tableName: 'core_phone',
  properties: {
    id: id(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    phone: p.text(),
    /** Digits alone, a leading + kept: what two spellings of one number share. */
    normalizedPhone: text(),
    type: status(PHONE_TYPES, 'home'),
    source: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_phone_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'core_phone_normalized_phone_index', properties: ['normalizedPhone', 'id'] },
    { name: 'core_phone_updated_at_index', properties: ['updatedAt', 'id'] },
  ],
});

/** Where a person's address is, as far as our data tells; made anew whenever the address changes. */
export const Location = defineEntity({
  name: 'Location',
  tableName: 'core_location',
  properties: {
    id: id(),
    user: () => p.oneToOne(User).deleteRule('cascade').owner(),
    /** `NY_12`; empty where a zip touches several districts. */
    usDistrict: text(),
    usStateSenate: text(),
    usStateDistrict: text(),
    usCounty: text(),
    locCode: text(),
    longitude: p.double().nullable(),
    latitude: p.double().nullable(),
    countryCode: text(),
    regionCode: text(),
    latLonPrecision: text(),
    timezone: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [{ name: 'core_location_updated_at_index', properties: ['updatedAt', 'id'] }],
});

/** A US address as it was first received, before correction. */
export const UserOriginal = defineEntity({
  name: 'UserOriginal',
  tableName: 'core_user_original',
  properties: {
    id: id(),
    user: () => p.oneToOne(User).deleteRule('cascade').owner(),
    address1: text().fieldName('address1'),
    address2: text().fieldName('address2'),
    city: text(),
    state: text(),
    zip: text(),
    createdAt: createdAt(),
  },
});
