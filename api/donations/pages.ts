import { findStub, savePageAccount } from '../../core/donations/accounts.ts';
import { ON_GET, orderSql } from '../../core/donations/shown.ts';
import { uriOf } from '../../domain/uris.ts';
import { actionOf, pageOf } from '../pages/pages.ts';
import type { Change } from '../resource/declare.ts';

async function saveAccount({ sql, id, extra }: Change, missing?: number | null): Promise<void> {
  const account = extra['payment_account'] === undefined ? missing : extra['payment_account'];
  if (account !== undefined) await savePageAccount(sql, id, account as number | null);
}

export const donationpage = pageOf('donation', 'a page that takes donations', {
  fields: {
    payment_account: {
      kind: 'reference',
      to: 'paymentaccount',
      readonly: false,
      nullable: true,
      help: 'Where its payments are booked; a new page takes the first import-stub account unless it names one.',
      sql: '(select d.payment_account_id from core_donationpage d where d.page_ptr_id = t.id)',
      show: ({ payment_account }) => (payment_account === null ? null : uriOf('paymentaccount', payment_account as number)),
    },
  },
  hooks: {
    afterCreate: async (change) => saveAccount(change, await findStub(change.sql)),
    afterUpdate: (change) => saveAccount(change),
  },
});

export const donationaction = actionOf('donation', {
  order: { kind: 'dict', nullable: true, sql: orderSql('t.id', ON_GET), help: 'The donation itself.' },
});
