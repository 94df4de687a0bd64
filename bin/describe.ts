import type { RouteOptions } from 'fastify';
import { detachedApi } from '../api/describe/detached.ts';
import { permissionPage, permissionsOf } from '../api/describe/permissions.ts';
import { installConsole } from '../console/console.ts';

// npm run describe -- openapi | permissions: what the API is, read from its routes. Needs no services.
const [what = ''] = process.argv.slice(2);
if (!['openapi', 'permissions'].includes(what)) {
  console.error('npm run describe -- openapi | permissions');
  process.exit(2);
}
const routes: RouteOptions[] = [];
const app = await detachedApi(installConsole, (app) => app.addHook('onRoute', (route) => void routes.push(route)));
const document = async () => `${JSON.stringify((await app.inject('/rest/v1/openapi.json')).json(), null, 1)}\n`;
process.stdout.write(what === 'openapi' ? await document() : permissionPage(permissionsOf(routes)));
await app.close();
