import { isReadonlyGroup } from '../../core/whipcounts/save-page.ts';
import { targetNames } from '../../core/whipcounts/shown.ts';
import { InputError } from '../../domain/errors.ts';
import { storedCountry } from '../../domain/people/address.ts';
import { CONGRESS_GROUP_TYPES } from '../../domain/words.ts';
import { Target, TargetGroup } from '../../entities/whipcounts/target.ts';
import { type Change, type FieldOverride, type ResourceDeclaration, resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';

const NAMES = Object.fromEntries(
  Object.entries(targetNames('t')).map(([name, sql]): [string, FieldOverride] => [
    name,
    { kind: 'string', sql, help: 'From name, title and gender.' },
  ]),
);

export const target = resource({
  name: 'target',
  about: 'somebody people call',
  area: 'Whip counts',
  entity: Target,
  inside: ['bioguide'],
  fields: {
    seat: { trim: true, help: '`CA_12` in the House, `CA_senior` or `CA_junior` in the Senate.' },
    // Held against those of people and their places, which are kept so.
    us_district: { trim: true, kept: (text) => text.toUpperCase(), help: '`CA_12`; at large is `AK_00`.' },
    state: { trim: true, kept: (text) => (/^[a-z]{2}$/i.test(text) ? text.toUpperCase() : text) },
    country: { trim: true, kept: storedCountry },
    ...NAMES,
  },
  filtering: {
    id: SINCE,
    type: EXACT,
    country: 'all',
    state: 'all',
    seat: 'all',
    us_district: 'all',
    first: 'all',
    last: 'all',
    gender: EXACT,
    party: 'all',
    title: 'all',
    hidden: EXACT,
    created_at: TIMES,
    updated_at: TIMES,
  },
  ordering: ['type', 'state', 'seat', 'us_district', 'last', 'created_at', 'updated_at'],
});

/** @throws InputError for a group nobody may change */
async function refuseReadonly({ sql, id }: Change): Promise<void> {
  if (await isReadonlyGroup(sql, id)) throw new InputError({ readonly: 'This group cannot be changed.' });
}

const GROUPS = {
  area: 'Whip counts',
  entity: TargetGroup,
  filtering: { id: SINCE, name: 'all', type: EXACT, hidden: EXACT, created_at: TIMES, updated_at: TIMES },
  ordering: ['name', 'type', 'created_at', 'updated_at'],
  permission: 'targetgroup',
  hooks: { beforeUpdate: refuseReadonly, beforeDelete: refuseReadonly },
} satisfies Partial<ResourceDeclaration>;

const GROUP_FIELDS: Record<string, FieldOverride> = {
  readonly: { readonly: true },
  // Shown page by page at `all`: a group may have any number.
  targets: {
    writeonly: true,
    help: 'URIs of its targets, never shown here: `all` has the targets, page by page. A change replaces them all.',
  },
  all: {
    help: 'URI of its full list of targets.',
    schema: { type: 'string', format: 'uri-reference' },
    show: ({ id }) => `/rest/v1/targetgroup/${id}/all/`,
  },
};

/** Of the resources groups are made at: what was written is read back. */
const WITH_TARGETS = {
  targets: { help: 'URIs of its targets; `all` has the targets themselves, page by page. A change replaces them all.' },
};

export const targetgroup = resource({
  ...GROUPS,
  name: 'targetgroup',
  about: 'targets that belong together, of whatever type; made at congresstargetgroup or specialtargetgroup',
  fields: { ...GROUP_FIELDS, type: { readonly: true } },
  alsoKnownAs: ['congresstargetgroup', 'specialtargetgroup'],
  methods: ['list', 'get', 'update', 'delete'],
});

export const congresstargetgroup = resource({
  ...GROUPS,
  name: 'congresstargetgroup',
  about: 'members of Congress that belong together',
  where: `t.type in (${CONGRESS_GROUP_TYPES.map((type) => `'${type}'`).join(', ')})`,
  fields: {
    ...GROUP_FIELDS,
    ...WITH_TARGETS,
    type: { words: CONGRESS_GROUP_TYPES },
  },
  alsoKnownAs: ['targetgroup'],
});

export const specialtargetgroup = resource({
  ...GROUPS,
  name: 'specialtargetgroup',
  about: 'a group of targets made by hand',
  where: `t.type = 'special'`,
  constants: { type: 'special' },
  fields: { ...GROUP_FIELDS, ...WITH_TARGETS, type: { readonly: true } },
  alsoKnownAs: ['targetgroup'],
});
