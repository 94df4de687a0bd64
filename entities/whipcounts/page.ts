import { defineEntity, p } from '@mikro-orm/core';
import { STANCES } from '../../domain/words.ts';
import { createdAt, flag, id, text, updatedAt } from '../columns.ts';
import { Action, Page } from '../pages/page.ts';
import { User } from '../people/user.ts';
import { Target, TargetGroup } from './target.ts';

/** What a page of type whipcount has beyond any page. */
export const WhipcountPage = defineEntity({
  name: 'WhipcountPage',
  tableName: 'core_whipcountpage',
  properties: {
    page: () => p.oneToOne(Page).primary().deleteRule('cascade').owner().fieldName('page_ptr_id'),
    hostedWith: text(),
    targetGroups: () =>
      p.manyToMany(TargetGroup).pivotTable('core_whipcountpage_target_groups').joinColumn('page_id').inverseJoinColumn('targetgroup_id'),
  },
});

/** The texts and rules of a whip count, made with its page. */
export const WhipcountForm = defineEntity({
  name: 'WhipcountForm',
  tableName: 'core_whipcountform',
  properties: {
    id: id(),
    page: () => p.oneToOne(Page).deleteRule('cascade').owner(),
    introductionText: text(),
    scriptText: text(),
    surveyQuestionText: text(),
    thankYouText: text(),
    /** So many callers must have reported before a target's stance counts as known. */
    minimumCalls: p.integer().default(1).check('minimum_calls >= 0'),
    /** That share of them must have reported the same. */
    minimumResponseAgreement: p.decimal().precision(4).scale(2).default('0.50'),
    resultsSource: text().default('responses'),
    clientHosted: flag(),
    clientUrl: text(),
    templateset: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** What a target told a caller: one row per page, caller and target, the last report. */
export const WhipcountActionCalled = defineEntity({
  name: 'WhipcountActionCalled',
  tableName: 'core_whipcountactioncalled',
  properties: {
    id: id(),
    /** The action it was last reported with. */
    whipcountaction: () => p.manyToOne(Action).deleteRule('cascade').index(),
    page: () => p.manyToOne(Page).deleteRule('cascade'),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    target: () => p.manyToOne(Target).deleteRule('cascade'),
    response: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  indexes: [
    { name: 'core_whipcountactioncalled_created_at_index', properties: ['createdAt', 'id'] },
    // How many callers a page has.
    { name: 'core_whipcountactioncalled_page_user_index', properties: ['page', 'user'] },
    { name: 'core_whipcountactioncalled_updated_at_index', properties: ['updatedAt', 'id'] },
  ],
  uniques: [{ name: 'core_whipcountactioncalled_page_target_user_key', properties: ['page', 'target', 'user'] }],
});

/** Where a target stands in an administrator's judgement, whatever callers reported. */
export const WhipcountOverride = defineEntity({
  name: 'WhipcountOverride',
  tableName: 'core_whipcountoverride',
  properties: {
    id: id(),
    page: () => p.manyToOne(Page).deleteRule('cascade'),
    target: () => p.manyToOne(Target).deleteRule('cascade').index(),
    stance: p.enum(STANCES),
    note: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  uniques: [{ name: 'core_whipcountoverride_page_target_key', properties: ['page', 'target'] }],
});
