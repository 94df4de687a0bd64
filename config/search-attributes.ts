import {
  encodeSearchAttributeIndexedValueType as numberOf,
  type SearchAttributeKey,
  SearchAttributeType,
} from '@temporalio/common/lib/search-attributes.js';

type Attribute = SearchAttributeKey<SearchAttributeType>;

/** What a namespace has, as Temporal lists it: numbers of types, by name. */
export type Listed = Record<string, number> | null | undefined;

export const absentAttributes = (there: Listed, needed: Attribute[]): Attribute[] =>
  needed.filter(({ name }) => !Object.hasOwn(there ?? {}, name));

/** Those that somebody has registered as another type: no value of ours fits, so that no run could be started. Null where there are none. */
export function attributesOfOtherTypes(there: Listed, needed: Attribute[]): string | null {
  const others = needed.filter(({ name, type }) => Object.hasOwn(there ?? {}, name) && there![name] !== numberOf(type));
  const is = (name: string) => Object.values(SearchAttributeType).find((type) => numberOf(type) === there![name]) ?? 'another type';
  return others.map(({ name, type }) => `${name} is ${is(name)} and has to be ${type}`).join(', ') || null;
}

export const shownAttributes = (attributes: Attribute[]): string => attributes.map(({ name, type }) => `${name} (${type})`).join(', ');
