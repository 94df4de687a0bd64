import { defineEntity, p } from '@mikro-orm/core';

/** How the domain of from lines was found set up when it was last looked at (`npm run check-domain`). */
export const SenderCheck = defineEntity({
  name: 'SenderCheck',
  tableName: 'sender_check',
  properties: {
    /** Lower case, ASCII. */
    domain: p.text().primary(),
    passed: p.boolean(),
    /** What was looked at and what was found (core/senders/check.ts). */
    items: p.json<unknown[]>(),
    checkedAt: p.datetime(6).defaultRaw('now()'),
  },
});
