import type { FastifyRequest } from 'fastify';
import type { InputContext, Prepared } from '../../core/mailings/input/context.ts';
import type { Sql } from '../../db/sql.ts';
import type { DeclarationContext } from '../resource/declare.ts';
import { can } from '../route-options.ts';

/** What the use cases of mailings need to know of a request. */
export const inputContext = (
  { registry, env }: Pick<DeclarationContext, 'registry' | 'env'>,
  sql: Sql,
  request: FastifyRequest,
  prepared?: Prepared,
): InputContext => ({
  registry,
  env,
  sql,
  can: (permission) => can(request, permission),
  account: request.account?.id,
  ...(prepared && { prepared }),
});
