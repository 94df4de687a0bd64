/** The relative URI of an object. */
export function uriOf(resource: string, id: number | string): string {
  return `/rest/v1/${resource}/${id}/`;
}

/** What a URI of one of these resources, relative or absolute, names the object by; whatever else was given stays as it is. */
export function idNamed(value: unknown, ...resources: string[]): unknown {
  const [, resource, id] = (typeof value === 'string' && /\/rest\/v1\/([a-z]+)\/(\d+)\/?$/.exec(value.trim())) || [];
  return resources.includes(resource!) ? id : value;
}
