import type { RouteOptions } from 'fastify';
import { command, UsageError } from './command.ts';

// What the API is, read from its routes. Needs no services.
await command('npm run describe -- openapi | permissions | errors', {}, async ([what = '']) => {
  if (!['openapi', 'permissions', 'errors'].includes(what)) throw new UsageError();
  // The whole API is loaded for who asks for something there is.
  const { errorMarkdown } = await import('../api/describe/error-page.ts');
  if (what === 'errors') return void process.stdout.write(errorMarkdown());
  const { detachedApi } = await import('../api/describe/detached.ts');
  const { permissionPage, permissionsOf } = await import('../api/describe/permissions.ts');
  const { installConsole } = await import('../console/console.ts');
  const routes: RouteOptions[] = [];
  const app = await detachedApi(installConsole, (made) => made.addHook('onRoute', (route) => void routes.push(route)));
  const document = async () => `${JSON.stringify((await app.inject('/rest/v1/openapi.json')).json(), null, 1)}\n`;
  process.stdout.write(what === 'openapi' ? await document() : permissionPage(permissionsOf(routes)));
  await app.close();
});
