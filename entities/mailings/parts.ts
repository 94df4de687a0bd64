import { defineEntity, p } from '@mikro-orm/core';
import { DIALECTS } from '../../domain/words.ts';
import { createdAt, flag, id, status, text, updatedAt } from '../columns.ts';
import { Language } from '../people/language.ts';

/** A sender, as it stands in the From header: `"Name" <address>`. */
export const FromLine = defineEntity({
  name: 'FromLine',
  tableName: 'core_fromline',
  properties: {
    id: id(),
    fromLine: p.text().unique(),
    isDefault: flag(),
    hidden: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** What stands around the content of every mail; the templates hold a `{{ content }}` place. */
export const EmailWrapper = defineEntity({
  name: 'EmailWrapper',
  tableName: 'core_emailwrapper',
  properties: {
    id: id(),
    name: p.text().unique(),
    template: text(),
    textTemplate: text(),
    lang: () => p.manyToOne(Language).nullable().deleteRule('set null'),
    unsubscribeText: text(),
    unsubscribeHtml: text(),
    isDefault: flag(),
    hidden: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** A piece of template that others include by its name. An empty text version is made of the HTML. */
export const Snippet = defineEntity({
  name: 'Snippet',
  tableName: 'core_snippet',
  properties: {
    id: id(),
    name: p.text().unique(),
    html: text(),
    text: text(),
    hidden: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** Mailings that are held against each other. */
export const MailingTestGroup = defineEntity({
  name: 'MailingTestGroup',
  tableName: 'core_mailingtestgroup',
  properties: {
    id: id(),
    name: p.text().unique(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** A saved report; `sql` may hold {{ name }} (or {name}) placeholders, which are bound, never pasted in. */
export const QueryReport = defineEntity({
  name: 'QueryReport',
  tableName: 'reports_queryreport',
  properties: {
    id: id(),
    name: p.text(),
    shortName: p.text().unique(),
    sql: p.text(),
    dialect: status(DIALECTS, 'postgresql'),
    description: text(),
    hidden: flag(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
