import { isDeepStrictEqual } from 'node:util';
import { clearGroup } from '../../core/people/clear-group.ts';
import type { FieldTable } from '../../core/people/custom-fields.ts';
import { erasedByNow } from '../../core/people/erased.ts';
import { holdPerson } from '../../core/people/hold-person.ts';
import { allowField, fieldAt, geoFieldAt, holdParent, type SingleField, touchParent } from '../../core/people/single-fields.ts';
import { InputError } from '../../domain/errors.ts';
import { ActionField } from '../../entities/pages/page.ts';
import { UserGeoField } from '../../entities/people/geo-field.ts';
import { UserField } from '../../entities/people/user.ts';
import { UserGroup } from '../../entities/people/user-group.ts';
import { type Change, type Hooks, type ResourceDeclaration, resource } from '../resource/declare.ts';
import { SINCE, TIMES } from '../resource/operators.ts';
import { belonging } from './user.ts';

/** One value by itself has to meet what a dictionary of fields has to. */
function fieldHooks(table: FieldTable): Hooks {
  const allow = ({ sql, id, context }: Change, field: SingleField) =>
    allowField(sql, table, { id, ...field }, !context.env.STRICT_USER_FIELDS);
  return {
    beforeCreate: (change) => allow(change, { value: '', ...(change.values as Omit<SingleField, 'value'>) }),
    beforeUpdate: async (change) => {
      const stored = await fieldAt(change.sql, table, change.id);
      const field: SingleField = { ...stored, ...change.values };
      if (isDeepStrictEqual(field, stored)) return;
      if (field.parent !== stored.parent) await touchParent(change.sql, table, stored.parent);
      await allow(change, field);
    },
    beforeHold: ({ sql, id, values }) => holdParent(sql, table, id, values['parent'] as number | undefined),
    beforeDelete: async ({ sql, id }) => touchParent(sql, table, (await fieldAt(sql, table, id)).parent),
  };
}

const FIELDS = { name: { maxLength: 255 }, value: { help: 'A field with a list of values has one of these for each.' } };

/** Values of the custom fields of something, one by one. */
const fieldOf = (parent: 'user' | 'action', more: Pick<ResourceDeclaration, 'about' | 'area' | 'entity'>) =>
  resource({
    ...more,
    name: `${parent}field`,
    // Some clients look for it by whose it is, and make it so.
    fields: { parent: { alsoNamed: [parent], help: `URI of the ${parent}; a new one needs it, as parent or ${parent}.` }, ...FIELDS },
    filterNames: { [parent]: 'parent' },
    filtering: { id: SINCE, parent: 'joins', [parent]: 'joins', name: 'all', value: 'all' },
    tally: [],
    ordering: ['name'],
    permission: parent,
    hooks: fieldHooks(`core_${parent}field`),
  });

export const userfield = fieldOf('user', { about: 'one value of a custom field of a user', area: 'Users', entity: UserField });
export const actionfield = fieldOf('action', { about: 'one value of a custom field of an action', area: 'Actions', entity: ActionField });

export const usergeofield = resource({
  name: 'usergeofield',
  about: 'what a client says of where a user lives',
  area: 'Users',
  entity: UserGeoField,
  fields: FIELDS,
  filtering: { id: SINCE, user: 'joins', name: 'all', value: 'all', created_at: TIMES, updated_at: TIMES },
  ordering: ['name', 'created_at', 'updated_at'],
  permission: 'user',
  hooks: {
    beforeCreate: checkUser,
    beforeHold: ({ sql, id, values }) => holdPerson(sql, 'core_usergeofield', id, { next: values['user'] }),
    beforeUpdate: checkUser,
  },
});

async function checkUser({ sql, id, values }: Change): Promise<void> {
  const stored = id ? await geoFieldAt(sql, id) : null;
  const field = { ...stored, ...values };
  if (stored && isDeepStrictEqual(field, stored)) return;
  const user = field['user'] as number;
  if (await erasedByNow(sql, user)) throw new InputError({ user: `User ${user} was erased.` });
}

export const usergroup = resource({
  name: 'usergroup',
  about: 'a name under which clients gather people',
  area: 'Users',
  entity: UserGroup,
  fields: { name: { trim: true }, users: belonging('user', 'groups') },
  filtering: { id: SINCE, name: 'all', created_at: TIMES, updated_at: TIMES },
  ordering: ['name', 'created_at', 'updated_at'],
  hooks: { deletePart: ({ sql, id }, after) => clearGroup(sql, id, after) },
});
