import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { registerAccountList } from './account-list.ts';
import { registerAccountPages } from './account-page.ts';
import { registerGroupPages } from './group-page.ts';

/** The pages about accounts and groups. */
export function registerAccounts(app: FastifyInstance, context: ApiContext): void {
  registerAccountList(app, context);
  registerAccountPages(app, context);
  registerGroupPages(app, context);
}
