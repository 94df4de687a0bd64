import type { RouteOptions } from 'fastify';

/** Who may call a route: everybody, every account, or those with a grant. */
export interface Permission {
  method: string;
  url: string;
  who: string;
}

export const OPEN = 'everybody';

/** The routes of an application, collected while it is built: `build(deps, (app) => app.addHook('onRoute', …))`. HEAD goes with GET. */
export function permissionsOf(routes: Pick<RouteOptions, 'method' | 'url' | 'config'>[]): Permission[] {
  return routes
    .flatMap(({ method, url, config }) =>
      [method].flat().map((each) => ({ method: each as string, url, who: config?.open ? OPEN : (config?.permission ?? '') })),
    )
    .filter(({ method }) => method !== 'HEAD')
    .sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : a.method < b.method ? -1 : 1));
}

const HEADING = `# Permissions

Printed by \`npm run describe -- permissions\`; a test calls every route of it without credentials, with every grant but the one it needs, and with that one only.

An account has the grants of its groups (\`/rest/v1/authgroup/\`); \`*\` is all of them, and a superuser needs none. \`authenticated\` is every account. Besides the grant, accounts and
groups are changed by superusers only.
`;

/** The same as a page of Markdown. */
export function permissionPage(permissions: Permission[]): string {
  const byWho = Map.groupBy(permissions, ({ who }) => who);
  const order = [...byWho.keys()].sort((a, b) => Number(b === OPEN) - Number(a === OPEN) || (a < b ? -1 : 1));
  const rows = order.map((who) => {
    const routes = byWho.get(who)!.map(({ method, url }) => `\`${method} ${url}\``);
    return `| ${who === OPEN ? 'everybody, without credentials' : `\`${who}\``} | ${routes.join('<br>')} |`;
  });
  return [HEADING, '| Grant | Routes |', '|---|---|', ...rows, ''].join('\n');
}
