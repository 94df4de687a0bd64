import { defineEntity, p } from '@mikro-orm/core';
import { TARGET_GROUP_TYPES, TARGET_TYPES } from '../../domain/words.ts';
import { createdAt, flag, id, text, updatedAt } from '../columns.ts';

/** Somebody people call: a member of a parliament, or whoever was entered by hand. */
export const Target = defineEntity({
  name: 'Target',
  tableName: 'core_target',
  properties: {
    id: id(),
    type: p.enum(TARGET_TYPES),
    country: text().default('United States'),
    state: text(),
    /** `CA_12` in the House, `CA_senior` or `CA_junior` in the Senate; free for others. */
    seat: text(),
    /** `CA_12`; at large is `AK_00`. Empty for whoever stands for a whole state. */
    usDistrict: text(),
    first: text(),
    last: text(),
    gender: text(),
    party: text(),
    title: text(),
    longTitle: text(),
    phone: text(),
    fax: text(),
    email: text(),
    hidden: flag(),
    /** Who it is in the file it was loaded from; null for targets made by hand, which a load never touches. */
    bioguide: p.text().nullable().unique(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_target_seat_index', properties: ['seat', 'id'] },
    { name: 'core_target_state_index', properties: ['state', 'type', 'id'] },
    { name: 'core_target_us_district_index', properties: ['usDistrict', 'id'] },
  ],
});

/** Targets that belong together on a page. `targets` is the order of nothing: a set. */
export const TargetGroup = defineEntity({
  name: 'TargetGroup',
  tableName: 'core_targetgroup',
  properties: {
    id: id(),
    name: p.text(),
    type: p.enum(TARGET_GROUP_TYPES),
    hidden: flag(),
    readonly: flag(),
    targets: () => p.manyToMany(Target).pivotTable('core_targetgroup_targets').joinColumn('targetgroup_id').inverseJoinColumn('target_id'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [{ name: 'core_targetgroup_name_index', properties: ['name', 'id'] }],
});
