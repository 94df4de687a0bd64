import { type FieldAsked, hasField } from '../../core/events/with-field.ts';
import { InputError, RequestError } from '../../domain/errors.ts';
import { fragment } from '../../entities/tables.ts';
import type { ApiContext } from '../deps.ts';
import type { Condition } from '../resource/operators.ts';
import { type Can, checkGrants, type QueryParameters, readQuery } from '../resource/query.ts';
import type { Resource } from '../resource/registry.ts';

// `exclude[title]=…`, as clients of the public platform leave events out of a search (parsons).

const EXCLUDED = /^exclude\[([^[\]]+)\]$/;

/** Whether a parameter says what is left out. */
export const excludes = (name: string): boolean => EXCLUDED.test(name);

const plain = (name: string): string => EXCLUDED.exec(name)![1]!;

/** @throws PermissionError for one that reaches into what the caller may not read */
export function checkExcluded(context: ApiContext, resource: Resource, query: QueryParameters, can: Can): void {
  const names = Object.keys(query).filter(excludes);
  checkGrants(context, resource, Object.fromEntries(names.map((name) => [plain(name), query[name]])), can);
}

/**
 * Events that are all of what `exclude[…]` says are left out; name and value of a custom field are those of one.
 * @returns a condition over `t` of the others, or nothing
 * @throws RequestError naming each parameter that cannot be used
 */
export function readExcluded(context: ApiContext, resource: Resource, query: QueryParameters, can: Can): Condition | null {
  const given = Object.entries(query).filter(([name]) => excludes(name));
  if (given.length === 0) return null;
  const errors: Record<string, string> = Object.create(null);
  const asked: FieldAsked = {};
  const all: Condition[] = [];
  for (const [name, value] of given) {
    const filter = plain(name);
    const [, part] = /^field__(name|value)$/.exec(filter) ?? [];
    if (part && typeof value === 'string') asked[part as keyof FieldAsked] = value;
    else {
      const read = readOne(context, resource, { [filter]: value }, can);
      if (typeof read === 'string') errors[name] = `exclude: ${read}`;
      else all.push(...read);
    }
  }
  if (Object.keys(errors).length > 0) throw new RequestError(errors);
  if (Object.keys(asked).length > 0) all.push(hasField(asked));
  // What is not known of an event leaves it in.
  return fragment`(${all.reduce((both, each) => fragment<boolean>`${both} and ${each}`)}) is not true`;
}

/** @returns what one filter means, or what is wrong with it */
function readOne(context: ApiContext, resource: Resource, query: QueryParameters, can: Can): Condition[] | string {
  try {
    const { where, filters } = readQuery(context, resource, query, can);
    return filters.length > 0 ? where : `${Object.keys(query)[0]} is not a filter of this collection`;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return [Object.values(error.fields)[0]].flat()[0]!;
  }
}
