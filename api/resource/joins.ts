import type { Registry, Resource } from './registry.ts';

/** A filter that reaches into another resource: `user` of `/rest/v1/action/?user__email=…`. */
export interface Join {
  filter: string;
  /** Resource it leads to, with that one's own filters. */
  to: string;
  /** Grant its use takes, beside the one of the collection. */
  permission: string;
}

/** The filters of a collection that reach into other resources; those of the resources they lead to come on top. */
export function joinsOf({ declaration, fields }: Resource, registry: Registry): Join[] {
  const { filtering = {}, filterNames = {} } = declaration;
  return Object.entries(filtering).flatMap(([filter, allowed]) => {
    const to = fields.find(({ name }) => name === (filterNames[filter] ?? filter))?.stored.to;
    if (allowed !== 'joins' || !to || !registry.has(to)) return [];
    return [{ filter, to, permission: readGrant(registry.get(to)) }];
  });
}

/** The grant to read a resource. */
export const readGrant = ({ permission }: Pick<Resource, 'permission'>): string => `${permission}:read`;
