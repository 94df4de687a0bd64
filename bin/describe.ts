import { Client, Connection } from '@temporalio/client';
import type { RouteOptions } from 'fastify';
import { build } from '../api/app.ts';
import { openapiDocument } from '../api/describe/openapi-document.ts';
import { permissionPage, permissionsOf } from '../api/describe/permissions.ts';
import { temporalWorkflows } from '../api/plugins/workflows.ts';
import { readEnv } from '../config/env.ts';
import { connectOrm } from '../entities/orm.ts';
import { createPool } from '../entities/pool.ts';

// npm run describe -- openapi | permissions: what the API is, read from its routes. Needs no services: nothing connects before it is used.
const [what = ''] = process.argv.slice(2);
if (!['openapi', 'permissions'].includes(what)) {
  console.error('npm run describe -- openapi | permissions');
  process.exit(2);
}
const DATABASE_URL = 'postgresql://nobody@127.0.0.1:1/nothing';
const env = readEnv({ ...process.env, DATABASE_URL });
const connection = Connection.lazy();
const workflows = temporalWorkflows(new Client({ connection }));
const orm = await connectOrm({ DATABASE_URL, DATABASE_POOL: 1 });
const routes: RouteOptions[] = [];
const deps = { env, orm, pool: createPool(DATABASE_URL, 1), workflows };
const app = await build(deps, (app) => app.addHook('onRoute', (route) => void routes.push(route)));
const document = () => JSON.stringify(openapiDocument(app, env.BASE_URL), null, 1);
process.stdout.write(what === 'openapi' ? `${document()}\n` : permissionPage(permissionsOf(routes)));
await Promise.all([app.close(), connection.close()]);
