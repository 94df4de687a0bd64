import type { EntityManager } from '@mikro-orm/postgresql';
import type { FastifyRequest } from 'fastify';
import type { MakePage } from '../../core/donations/push/setting.ts';
import { claimPage } from '../../core/pages/new-page.ts';
import type { Sql } from '../../db/sql.ts';
import { Page } from '../../entities/pages/page.ts';
import type { ApiContext } from '../deps.ts';
import { checkReferences, readInput } from '../resource/input.ts';

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
