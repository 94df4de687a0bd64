import { defineEntity, p } from '@mikro-orm/core';
import { DKIM_ALGORITHMS } from '../../domain/words.ts';
import { createdAt, flag, id } from '../columns.ts';

/** A key that signs the mails of a domain and of those below it. Kept by `npm run dkim`; no API shows it. */
export const DkimKey = defineEntity({
  name: 'DkimKey',
  tableName: 'dkim_key',
  properties: {
    id: id(),
    /** Lower case, ASCII. */
    domain: p.text(),
    selector: p.text(),
    algorithm: p.enum(DKIM_ALGORITHMS),
    /** Whether it signs; of a domain's keys of one algorithm one does at most. */
    active: flag(),
    /** As its DNS record shows it. */
    publicKey: p.text(),
    /** PEM, sealed (domain/sealed.ts). */
    privateKey: p.text(),
    createdAt: createdAt(),
  },
  uniques: [{ name: 'dkim_key_domain_selector_key', properties: ['domain', 'selector'] }],
  indexes: [
    {
      name: 'dkim_key_active_key',
      expression: 'create unique index dkim_key_active_key on dkim_key (domain, algorithm) where active',
    },
  ],
});
