import { Client, Connection } from '@temporalio/client';
import type { FastifyInstance } from 'fastify';
import { readEnv } from '../../config/env.ts';
import { createPool } from '../../db/pool.ts';
import { connectOrm } from '../../entities/orm.ts';
import { build } from '../app.ts';
import type { ApiDeps } from '../deps.ts';
import { temporalWorkflows } from '../plugins/workflows.ts';

const DATABASE_URL = 'postgresql://nobody@127.0.0.1:1/nothing';

/**
 * The API with no service behind it, to be asked what it is: nothing connects before it is used.
 * @param pages what is served beside it
 * @param onApp sees it before any route is registered
 */
export async function detachedApi(pages: ApiDeps['pages'], onApp?: (app: FastifyInstance) => void): Promise<FastifyInstance> {
  const env = readEnv({ ...process.env, DATABASE_URL });
  const connection = Connection.lazy();
  const orm = await connectOrm({ DATABASE_URL, DATABASE_POOL: 1 });
  const workflows = temporalWorkflows(new Client({ connection }));
  return build({ env, orm, pool: createPool(DATABASE_URL, 1), workflows, pages }, (app) => {
    app.addHook('onClose', () => connection.close());
    onApp?.(app);
  });
}
