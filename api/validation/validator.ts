import {
  Ajv,
  type AnySchemaObject,
  type ErrorObject,
  type FuncKeywordDefinition,
  type SchemaValidateFunction,
  type ValidateFunction,
} from 'ajv';
import type { FastifyInstance } from 'fastify';
import { checkedPart, type Only } from './checked-part.ts';
import { type Part, REFUSE, type Refuse, refusalOf } from './refusal.ts';
import type { Read } from './takes.ts';

/** Unknown properties that are named in one answer. */
const MOST_UNKNOWN = 100;

type Found = Partial<ErrorObject>;

/** Runs a reader over a value. @returns what it throws, to be told with the error */
function problemOf(read: Read, value: unknown, siblings: Record<string, unknown>): Found | null {
  try {
    if (read(value, siblings) instanceof Promise) throw new TypeError('A reader looks something up, which is not for the schema to do');
    return null;
  } catch (thrown) {
    if (isMistake(thrown)) throw thrown;
    return { keyword: 'x-takes', params: { thrown } };
  }
}

/** A value with a reader. */
const TAKES = keyword('x-takes', (read: Read) => (value, { parentData }) => {
  const problem = problemOf(read, value, parentData as Record<string, unknown>);
  return problem ? [problem] : [];
});

/** The properties of an object that have readers, in one walk: code made for each of thousands of fields would take seconds when the process starts. */
const READS = keyword('x-reads', (readers: Record<string, Read>) => {
  const entries = Object.entries(readers);
  return (value, { instancePath }) => {
    if (!isObject(value)) return [];
    const problems: Found[] = [];
    for (const [name, read] of entries) {
      if (!Object.hasOwn(value, name) || value[name] === undefined) continue;
      const problem = problemOf(read, value[name], value);
      if (problem) problems.push({ ...problem, instancePath: `${instancePath}/${name}` });
    }
    return problems;
  };
});

/** In place of additionalProperties: false, which would make an error for each of a million unknown names. */
const ONLY = keyword('x-only', ({ names, sentence }: Only) => {
  const known = new Set(names);
  return (value) => {
    if (!isObject(value)) return [];
    const others: string[] = [];
    for (const name in value) if (!known.has(name) && others.push(name) === MOST_UNKNOWN) break;
    return others.map((name) => ({ keyword: 'x-only', params: { name, sentence: sentence.replace('{field}', () => name.slice(0, 100)) } }));
  };
});

/** One of the names of each property that has several: `required` for the first of them. */
const NEEDS = keyword('x-needs', (needs: string[][]) => (value) => {
  if (!isObject(value)) return [];
  const missing = needs.filter((names) => names.every((name) => !Object.hasOwn(value, name) || value[name] === undefined));
  return missing.map(([missingProperty]) => ({ keyword: 'required', params: { missingProperty } }));
});

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords that have found something in the value that is being checked. Ajv reads right after each what that is, and adds the value to it. */
const asked = new Set<SchemaValidateFunction>();

/** Kept where Ajv leaves it, each of hundreds of schemas would hold the last body it refused, ten megabytes, for as long as the process runs. */
function forget(valid: ValidateFunction): void {
  valid.errors = null;
  for (const check of asked) delete check.errors;
  asked.clear();
}

/** @param make makes of the keyword's value in a schema what finds the problems of a value */
function keyword<Setting>(
  name: string,
  make: (setting: Setting) => (value: unknown, at: { parentData: object; instancePath: string }) => Found[],
): FuncKeywordDefinition {
  const compile = (setting: Setting) => {
    const find = make(setting);
    const check: SchemaValidateFunction = (value: unknown, at?: { parentData: object; instancePath: string }) => {
      check.errors = find(value, at!);
      if (check.errors.length > 0) asked.add(check);
      return check.errors.length === 0;
    };
    return check;
  };
  return { keyword: name, errors: true, compile };
}

/** What the language throws is no word about a value: the reader itself is wrong. */
const isMistake = (thrown: unknown): boolean =>
  thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof ReferenceError;

/** @returns what is wrong with a part of a request, or null */
export type Check = (value: unknown) => Error | null;

/** Compiles schemas of requests, each once. */
export class RequestValidator {
  readonly #ajv = new Ajv({
    allErrors: true,
    verbose: true,
    ownProperties: true,
    strictTypes: false,
    keywords: [TAKES, READS, ONLY, NEEDS, 'x-says'],
    // Compiling is most of what starting takes: the schemas are made here, and each is used as it is.
    validateSchema: false,
    addUsedSchema: false,
    code: { optimize: false },
  });
  readonly #compiled = new Map<Part, WeakMap<object, Check>>();

  check(schema: object, part: Part): Check {
    const known = this.#compiled.get(part) ?? new WeakMap<object, Check>();
    this.#compiled.set(part, known);
    const check = known.get(schema) ?? this.#compile(schema, part);
    known.set(schema, check);
    return check;
  }

  #compile(schema: object, part: Part): Check {
    const valid = this.#ajv.compile(checkedPart(schema) as AnySchemaObject);
    const names = Object.keys((schema as { properties?: object }).properties ?? {});
    const refuse = (schema as { [REFUSE]?: Refuse })[REFUSE];
    return (value) => {
      try {
        return valid(value) ? null : refusalOf(valid.errors!, part, names, refuse);
      } finally {
        forget(valid);
      }
    };
  }
}

/**
 * Every schema of a request is checked by Ajv, and one place makes the answer of what it finds. Nothing is changed or taken away: a misspelled field must not
 * vanish without a word. Answers are made here and need no second shaping; the tests hold each of them against its schema.
 */
export function installValidation(app: FastifyInstance): void {
  const validator = new RequestValidator();
  app.setValidatorCompiler<object>(({ schema, httpPart }) => {
    const part = httpPart as Part;
    // Compiled when first needed: all of them together would be half of what a start takes.
    let check: Check | undefined;
    return (value: unknown) => {
      check ??= validator.check(schema, part);
      // Nothing sent, or a null, is an empty object.
      const error = check(part === 'body' ? (value ?? {}) : value);
      return error ? { error } : true;
    };
  });
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));
}
