import type { RouteOptions } from 'fastify';
import { detachedApi } from '../api/describe/detached.ts';
import { errorMarkdown } from '../api/describe/error-page.ts';
import { permissionPage, permissionsOf } from '../api/describe/permissions.ts';
import { installConsole } from '../console/console.ts';
import { command, UsageError } from './command.ts';

// What the API is, read from its routes. Needs no services.
await command('npm run describe -- openapi | permissions | errors', {}, async ([what = '']) => {
  if (!['openapi', 'permissions', 'errors'].includes(what)) throw new UsageError();
  if (what === 'errors') return void process.stdout.write(errorMarkdown());
  const routes: RouteOptions[] = [];
  const app = await detachedApi(installConsole, (made) => made.addHook('onRoute', (route) => void routes.push(route)));
  const document = async () => `${JSON.stringify((await app.inject('/rest/v1/openapi.json')).json(), null, 1)}\n`;
  process.stdout.write(what === 'openapi' ? await document() : permissionPage(permissionsOf(routes)));
  await app.close();
});
