import type { ErrorObject } from 'ajv';
import { CrmMapError, InputError, NotFoundError, PermissionError, PushError, RequestError, UnknownListError } from '../../domain/errors.ts';

// The one place where what Ajv found becomes the sentences clients know.

/** One thing that is wrong with a part of a request. */
export interface Problem {
  /** Names from the outermost object to the value. */
  path: readonly string[];
  /** What follows the name of the field; null where `sentence` says it all. */
  message: string | null;
  sentence: string | null;
  /** Sentences a reader had already put under the names of fields. */
  fields: Record<string, string[]> | null;
}

/** Makes one error of all problems. A schema may bring one for answers that have another shape. */
export type Refuse = (problems: readonly Problem[]) => Error;

/** Where a schema keeps it. */
export const REFUSE = Symbol('refuse');

export type Part = 'body' | 'querystring' | 'params' | 'headers';

/**
 * @param names of the properties, in the order their messages stand in
 */
export function refusalOf(errors: readonly ErrorObject[], part: Part, names: readonly string[], refuse?: Refuse): Error {
  // A reader may know the whole answer: that an id can be none, that a list does not exist is said in one text.
  const thrown = errors.map(({ params }) => params['thrown'] as unknown).find(hasOwnAnswer);
  if (thrown) return thrown as Error;
  if (part === 'params' && !errors.some(({ params }) => params['thrown'] instanceof InputError)) return new NotFoundError();
  if (part === 'body' && errors.some(({ instancePath, keyword }) => instancePath === '' && keyword === 'type'))
    return new RequestError({ body: 'The body must be a JSON object.' });
  const problems = errors.map(problemOf).sort((one, other) => placeOf(one, names) - placeOf(other, names));
  return (refuse ?? (part === 'body' ? inputError : requestError))(problems);
}

/** What is more than a word about a value. */
const hasOwnAnswer = (thrown: unknown): boolean =>
  [NotFoundError, PermissionError, UnknownListError, CrmMapError, PushError].some((kind) => thrown instanceof kind);

function placeOf({ path }: Problem, names: readonly string[]): number {
  const place = names.indexOf(path[0] ?? '');
  return place === -1 ? names.length : place;
}

function problemOf({ instancePath, keyword, params, parentSchema }: ErrorObject): Problem {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const says = (parentSchema?.['x-says'] as Record<string, string> | undefined)?.[keyword] ?? null;
  const missing = params['missingProperty'] as string;
  if (keyword === 'required')
    return {
      path: [...path, missing],
      message: null,
      sentence: (says ?? 'This field is required.').replace('{field}', missing),
      fields: null,
    };
  if (keyword === 'x-only') return { path: [...path, params['name']], message: null, sentence: params['sentence'], fields: null };
  const thrown = params['thrown'] as Error | undefined;
  if (thrown instanceof InputError) return { path, message: null, sentence: null, fields: thrown.fields };
  return { path, message: thrown?.message ?? MESSAGES[keyword]?.(params) ?? 'cannot be used', sentence: says, fields: null };
}

const TYPES: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

/** What follows the name of a field that breaks a standard keyword. */
const MESSAGES: Record<string, (params: ErrorObject['params']) => string> = {
  type: ({ type }) => `must be ${TYPES[[type].flat()[0]]}`,
  enum: ({ allowedValues }) => `must be one of ${allowedValues.filter((word: unknown) => word !== null).join(', ')}`,
  const: ({ allowedValue }) => `must be ${allowedValue}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  minLength: () => 'must not be blank',
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must have at least ${limit} members`,
  maxItems: ({ limit }) => `must have at most ${limit} members`,
};

/** Longest name of a field in an answer. */
const LONGEST_NAME = 200;

/** Messages by field; of one field the first. Their sentences end in a stop. */
const inputError: Refuse = (problems) => new InputError(byField(problems, '.'));

/** The same of the address. */
const requestError: Refuse = (problems) => new RequestError(byField(problems, ''));

function byField(problems: readonly Problem[], stop: string): Record<string, string[]> {
  // Without a prototype: a field may be named __proto__.
  const fields: Record<string, string[]> = Object.create(null);
  for (const { path, message, sentence, fields: own } of problems) {
    const name = (path.at(-1) ?? 'body').slice(0, LONGEST_NAME);
    for (const [field, sentences] of Object.entries(own ?? { [name]: [sentence ?? `${name} ${message}${stop}`] }))
      fields[field] ??= sentences;
  }
  return fields;
}
