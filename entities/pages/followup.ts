import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, flag, id, text, updatedAt } from '../columns.ts';
import { EmailWrapper, FromLine } from '../mailings/parts.ts';
import { Page } from './page.ts';

/** What happens after an action on a page: where the person is led, and the mails that are written. */
export const PageFollowup = defineEntity({
  name: 'PageFollowup',
  tableName: 'core_pagefollowup',
  properties: {
    id: id(),
    page: () => p.oneToOne(Page).deleteRule('cascade').owner(),
    url: text(),
    sendEmail: flag(),
    sendNotifications: flag(),
    sendTaf: flag(),
    emailSubject: text(),
    emailBody: text(),
    emailCustomFrom: text(),
    emailFromLine: () => p.manyToOne(FromLine).nullable().deleteRule('set null'),
    emailWrapper: () => p.manyToOne(EmailWrapper).nullable().deleteRule('set null'),
    /** Addresses told of every action. */
    notifications: p.json<string[]>().defaultRaw(`'[]'::jsonb`),
    tafSubject: text(),
    tafBody: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** The texts a page is shown with. */
export const CmsForm = defineEntity({
  name: 'CmsForm',
  tableName: 'core_cmsform',
  properties: {
    id: id(),
    page: () => p.oneToOne(Page).deleteRule('cascade').owner(),
    introductionText: text(),
    aboutText: text(),
    statementLeadin: text(),
    statementText: text(),
    thankYouText: text(),
    clientHosted: flag(),
    clientUrl: text(),
    templateset: text(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});
