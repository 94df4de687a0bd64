import type { RouteOptions } from 'fastify';
import type { Join } from '../resource/joins.ts';

/** Who may call a route: everybody, every account, or those with a grant. */
export interface Permission {
  method: string;
  url: string;
  who: string;
  /** Another grant it takes beside that one; empty where it takes none. */
  beside: string;
  /** Filters of it that take a further grant. */
  joins: readonly Join[];
}

export const OPEN = 'everybody';

/** The routes of an application, collected while it is built: `build(deps, (app) => app.addHook('onRoute', …))`. HEAD goes with GET. */
export function permissionsOf(routes: Pick<RouteOptions, 'method' | 'url' | 'config'>[]): Permission[] {
  return routes
    .flatMap(({ method, url, config }) =>
      [method].flat().map((each) => ({
        method: each as string,
        url,
        who: config?.open ? OPEN : (config?.permission ?? ''),
        beside: config?.beside ?? '',
        joins: config?.joins ?? [],
      })),
    )
    .filter(({ method }) => method !== 'HEAD')
    .sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : a.method < b.method ? -1 : 1));
}

const HEADING = `# Permissions

Printed by \`npm run describe -- permissions\`; a test calls every route of it without credentials, with every grant but one it needs, and with those alone, and tries every filter below.

An account has the grants of its groups (\`/rest/v1/authgroup/\`); \`*\` is all of them, and a superuser needs none. \`authenticated\` is every account. Besides the grant, accounts and
groups are changed by superusers only.
`;

const JOINS = `## Filters that reach further

A filter through a relation (\`/rest/v1/action/?user__email=…\`) tells what the other resource holds, so it takes the grant to read that one, too: without it 403. That holds at every step of
a filter that goes through several (\`whipcountaction__page__name\`). The relation itself, by id or URI, takes nothing more.
`;

/** The same as a page of Markdown. */
export function permissionPage(permissions: Permission[]): string {
  const byWho = Map.groupBy(permissions, ({ who }) => who);
  const order = [...byWho.keys()].sort((a, b) => Number(b === OPEN) - Number(a === OPEN) || (a < b ? -1 : 1));
  const rows = order.map((who) => {
    const routes = byWho.get(who)!.map(({ method, url, beside }) => `\`${method} ${url}\`${beside && `, with \`${beside}\``}`);
    return `| ${who === OPEN ? 'everybody, without credentials' : `\`${who}\``} | ${routes.join('<br>')} |`;
  });
  const joins = permissions.flatMap(({ url, who, joins: each }) =>
    each.length
      ? [`| \`${url}\`, with \`${who}\` | ${each.map(({ filter, permission }) => `\`${filter}__…\`: \`${permission}\``).join('<br>')} |`]
      : [],
  );
  const tables = ['| Grant | Routes |', '|---|---|', ...rows, '', JOINS, '| Collection | Filter: grant |', '|---|---|', ...joins, ''];
  return [HEADING, ...tables].join('\n');
}
