import type { FastifyRequest, preValidationAsyncHookHandler } from 'fastify';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { MAX_INT } from '../../domain/values.ts';
import { anyTables, statement } from '../../entities/tables.ts';
import type { ApiContext } from '../deps.ts';
import { takes } from '../validation/takes.ts';
import type { Resource } from './registry.ts';

/** The parameters of a path to an object: what can be no id leads nowhere. */
export const ID_PARAMETER = {
  type: 'object',
  required: ['id'],
  properties: { id: takes('id', { type: 'integer', minimum: 1, maximum: MAX_INT }, (text) => pathId(text)) },
};

/** The id in a path. @throws NotFoundError when it cannot be one */
export const idOf = ({ params }: FastifyRequest): number => pathId((params as { id?: string }).id);

/** @throws NotFoundError when it cannot be an id */
function pathId(text: unknown): number {
  const found = readId(String(text ?? ''));
  if (found === null) throw new NotFoundError();
  return found;
}

/** @returns null for a text that can be no id */
export const readId = (text: string): number | null => (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_INT ? Number(text) : null);

/** Where the objects of a resource are. */
export interface Paths {
  /** Puts the id in the place of a name in the path, where objects have one. Throws NotFoundError. */
  byName: preValidationAsyncHookHandler | null;
  /** Absolute address of an object. */
  locationOf(id: number): Promise<string> | string;
}

/** Names under which a path leads elsewhere: to ids, to the schema, and by dots to the folder above, as clients read them. */
const LEADS_ELSEWHERE = /^(\d+|schema|\.|\.\.)$/;

/** Where an object that has a name is: by that, or by id where that would lead elsewhere. */
export const uriByName = (resource: string, id: number, name: string): string =>
  LEADS_ELSEWHERE.test(name) ? uriOf(resource, id) : `/rest/v1/${resource}/${encodeURIComponent(name)}/`;

/** By id; those with `namedBy` also by that field, and then they are told by it where it leads to them. */
export function pathsOf({ name, table, declaration, fields }: Resource, { env, pool }: ApiContext): Paths {
  const locationById = (id: number) => env.BASE_URL + uriOf(name, id);
  const { namedBy } = declaration;
  if (!namedBy) return { byName: null, locationOf: locationById };
  const column = fields.find((field) => field.name === namedBy)!.column!;
  const sql = sqlOn(pool);
  const all = anyTables
    .selectFrom(table)
    .select(['id', `${column} as name`])
    .$castTo<{ id: number; name: string }>();
  const named = statement((given: { name: string }) => all.where(column, '=', given.name));
  const withId = statement((given: { id: number }) => all.where('id', '=', given.id));
  return {
    async byName({ params }) {
      const { id: given = '' } = params as { id?: string };
      if (/^\d+$/.test(given)) return;
      const [found] = given.includes('\0') ? [] : await named(sql, { name: given });
      if (!found) throw new NotFoundError();
      (params as { id: string }).id = String(found.id);
    },
    async locationOf(id) {
      // It is there by now: no answer may say that nothing was changed, and its id leads to it as well.
      const [found] = await withId(sql, { id }).catch(() => []);
      return found ? env.BASE_URL + uriByName(name, id, found.name) : locationById(id);
    },
  };
}
