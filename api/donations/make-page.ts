import type { EntityManager } from '@mikro-orm/postgresql';
import type { FastifyRequest } from 'fastify';
import { type MakePage, PageMissing } from '../../core/donations/push/donation-page.ts';
import type { PushDeps } from '../../core/donations/push/push-donation.ts';
import { claimPage } from '../../core/pages/new-page.ts';
import type { Sql } from '../../db/sql.ts';
import { inPreparedTransaction } from '../../db/transaction.ts';
import { Page } from '../../entities/pages/page.ts';
import type { ApiContext } from '../deps.ts';
import { inTransaction } from '../in-transaction.ts';
import { checkReferences, readInput } from '../resource/input.ts';

/** Nearly always the page is there: statements that stay prepared do the rest. Where it has to be made, the push is done anew in a transaction of the ORM, which can. */
export const pushTransaction =
  (context: ApiContext, request: FastifyRequest): PushDeps['transaction'] =>
  (push) =>
    inPreparedTransaction(context.pool, (sql) => push({ sql, env: context.env, makePage: null })).catch((error) => {
      if (!(error instanceof PageMissing)) throw error;
      return inTransaction(context, (em, sql) => push({ sql, env: context.env, makePage: pageMaker(context, request, em, sql) }));
    });

/** Makes donation pages for pushes, in their transaction, with the checks and hooks of the resource. */
export function pageMaker(context: ApiContext, request: FastifyRequest, em: EntityManager, sql: Sql): MakePage {
  const resource = context.registry.get('donationpage');
  return async (fields, accountId) => {
    const input = readInput(context, resource, fields, true);
    await checkReferences(sql, context.registry, input);
    const { values, extra } = input;
    const id = await claimPage(sql, fields['name'] as string, 'donation');
    if (id === null) return;
    if (Object.keys(values).length > 1) {
      const entity = await em.findOneOrFail(Page, id, { populate: ['tags'] });
      em.assign(entity, values as never);
      await em.flush();
    }
    const withAccount = { ...extra, ...(accountId && { payment_account: accountId }) };
    await resource.declaration.hooks!.afterCreate!({ context, em, sql, request, values, extra: withAccount, id });
  };
}
