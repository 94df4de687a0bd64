/** The relative URI of an object. */
export function uriOf(resource: string, id: number | string): string {
  return `/rest/v1/${resource}/${id}/`;
}
