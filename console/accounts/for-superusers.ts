import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import { PermissionError } from '../../domain/errors.ts';

/** Options of a page about accounts or groups: as for changing them over the API, whoever has the grant has to be a superuser, too. */
export const forSuperusers = (
  grant: 'authuser:write' | 'authgroup:write',
): { config: FastifyContextConfig; preHandler: (request: FastifyRequest) => Promise<void> } => ({
  ...page(grant),
  preHandler: async ({ account }) => {
    if (!account?.isSuperuser) throw new PermissionError('Accounts and groups are for superusers only.');
  },
});
