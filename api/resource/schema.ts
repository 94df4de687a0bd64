import type { ReferenceContext } from '../../core/references.ts';
import type { ApiContext } from '../deps.ts';
import { booleanTaken, type Read, takes } from '../validation/takes.ts';
import type { Field } from './fields.ts';
import { isShadowed, readField } from './input.ts';
import type { Offered } from './offered.ts';
import { DEFAULT_LIMIT, operatorsOf, type QueryParameters, readQuery } from './query.ts';
import type { Resource } from './registry.ts';

// What the kit says of a resource: the schema/ document and the JSON schemas of the OpenAPI document.

/**
 * The document at `/rest/v1/<resource>/schema/`.
 * @param offered methods of the collection and of its objects, those of routes written by hand among them
 */
export function schemaDocument({ fields, declaration }: Resource, offered: { list: Offered[]; detail: Offered[] }): object {
  const { filtering = {}, takes } = declaration;
  const written = [...offered.list, ...offered.detail].some((method) => method === 'post' || method === 'put' || method === 'patch');
  const isReadonly = ({ name, readonly }: Field) => readonly || !written || (takes !== undefined && !takes.includes(name));
  const words = Object.entries(filtering).map(([name, allowed]) => [
    name,
    Array.isArray(allowed) ? allowed : allowed === 'all' ? 'all' : 'all with relations',
  ]);
  return {
    allowed_detail_http_methods: offered.detail,
    allowed_list_http_methods: offered.list,
    default_format: 'application/json',
    default_limit: DEFAULT_LIMIT,
    fields: Object.fromEntries([
      ...fields.map((field) => [field.name, describe({ ...field, readonly: isReadonly(field) })]),
      ['resource_uri', RESOURCE_URI],
    ]),
    filtering: Object.fromEntries(words),
    operators: Object.fromEntries(Object.keys(filtering).map((name) => [name, operatorsOf(declaration, fields, name)])),
    ordering: [...new Set(['id', ...(declaration.ordering ?? [])])],
  };
}

const RESOURCE_URI = {
  type: 'string',
  nullable: false,
  readonly: true,
  unique: true,
  blank: false,
  default: null,
  help_text: 'URI of this object.',
};

function describe(field: Field): object {
  const type = field.override.bare ? 'integer' : field.kind === 'reference' || field.kind === 'references' ? 'related' : field.kind;
  return {
    type,
    nullable: field.nullable,
    readonly: field.readonly,
    unique: field.unique,
    blank: field.blank || !field.required,
    default: field.default,
    help_text: field.words ? `One of ${field.words.join(', ')}.` : field.help,
    ...(type === 'related' && { related_type: field.kind === 'reference' ? 'to_one' : 'to_many', related_resource: field.to }),
  };
}

const TIMESTAMP = '^\\d{4,6}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$';

/** JSON schema of a field's value as it is shown. */
function shownSchema({ kind, nullable, words, help, override }: Field): object {
  if (override.schema) return { description: help, ...override.schema };
  const schema = {
    integer: { type: 'integer' },
    number: { type: 'number' },
    decimal: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$' },
    string: { type: 'string' },
    boolean: { type: 'boolean' },
    datetime: { type: 'string', pattern: TIMESTAMP },
    date: { type: 'string', format: 'date' },
    dict: { type: 'object', additionalProperties: true },
    list: { type: 'array', items: {} },
    reference: override.bare ? { type: 'integer' } : { type: 'string', format: 'uri-reference' },
    references: { type: 'array', items: { type: 'string', format: 'uri-reference' } },
  }[kind] as { type: string; enum?: readonly unknown[] };
  if (words) schema.enum = nullable ? [...words, null] : words;
  return { ...schema, type: nullable ? [schema.type, 'null'] : schema.type, description: help };
}

/** JSON schema of the object as it is shown. */
export function objectSchema(resource: Resource): object {
  const shown = resource.fields.filter(({ writeonly }) => !writeonly);
  const properties = Object.fromEntries(shown.map((field) => [field.name, shownSchema(field)]));
  return {
    type: 'object',
    required: [...Object.keys(properties), 'resource_uri'],
    properties: { ...properties, resource_uri: { type: 'string', format: 'uri-reference', description: 'URI of this object.' } },
  };
}

/** JSON schema of what is taken, each field by its own reader; whatever else is sent is ignored. */
export function inputSchema(context: ReferenceContext, resource: Resource, complete: boolean): object {
  const taken = resource.fields.filter(({ readonly }) => !readonly);
  const required = complete ? taken.filter((field) => field.required && !field.override.alsoNamed).map(({ name }) => name) : [];
  // Of one with two names neither is required.
  const needs = taken.flatMap(({ name, required, override }) =>
    complete && required && override.alsoNamed ? [[name, ...override.alsoNamed]] : [],
  );
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(needs.length > 0 && { 'x-needs': needs }),
    properties: Object.fromEntries(
      taken.flatMap((field) => [field.name, ...(field.override.alsoNamed ?? [])].map((name) => [name, takenSchema(context, field, name)])),
    ),
  };
}

function takenSchema(context: ReferenceContext, field: Field, name: string): object {
  const read: Read = (value, siblings) => (isShadowed(field, name, siblings) ? undefined : readField(context, field, value));
  if (field.kind === 'boolean') return withNull(booleanTaken(field.help, read), field.nullable);
  return takes(field.kind, takenShape(field), read);
}

const withNull = <Flag extends { anyOf: object[] }>(flag: Flag, nullable: boolean): Flag =>
  nullable ? { ...flag, anyOf: [...flag.anyOf, { type: 'null' }] } : flag;

function takenShape(field: Field): object {
  if (field.override.taken) return { description: field.help, ...field.override.taken };
  const id = field.override.uriOnly ? [] : [{ type: 'integer' }];
  const uri = { anyOf: [{ type: 'string', format: 'uri-reference' }, ...id, ...(field.nullable ? [{ type: 'null' }] : [])] };
  if (field.kind === 'reference') return { ...uri, description: field.help };
  if (field.kind === 'references') {
    return { type: field.override.nullIsAbsent ? ['array', 'null'] : 'array', items: uri, description: field.help };
  }
  const words = field.words && [...field.words, ...Object.keys(field.override.same ?? {})];
  const taken = { ...shownSchema({ ...field, words, override: { ...field.override, schema: undefined } }), ...mostTaken(field) };
  return field.override.nullIsAbsent ? { description: field.help, anyOf: [taken, { type: 'null' }] } : taken;
}

function mostTaken({ kind, words, maxLength }: Field): object {
  if (maxLength === null || words) return {};
  return { [kind === 'list' ? 'maxItems' : kind === 'dict' ? 'maxProperties' : 'maxLength']: maxLength };
}

const NULLABLE_URI = { type: ['string', 'null'], format: 'uri-reference' };

/** JSON schema of a collection of objects. */
export function collectionSchema(items: object): object {
  return {
    type: 'object',
    required: ['meta', 'objects'],
    properties: {
      meta: {
        type: 'object',
        description: 'Which part of what matches this is.',
        required: ['limit', 'offset', 'total_count', 'next', 'previous'],
        properties: {
          limit: { type: 'integer', description: 'Objects on a page.' },
          offset: { type: 'integer', description: 'Objects before this page.' },
          total_count: { type: 'integer', description: 'Objects that match, on all pages.' },
          total_count_is_exact: { type: 'boolean', description: 'With _count=estimate: whether it was counted.' },
          next: { ...NULLABLE_URI, description: 'The page after this one; null on the last.' },
          previous: { ...NULLABLE_URI, description: 'The page before this one; null on the first.' },
        },
      },
      objects: { type: 'array', items, description: 'The objects of this page.' },
    },
  };
}

/**
 * JSON schema of the query string of a collection, read as a whole: a filter's name has its operator in it, and what it leads to.
 * @param more parameters that are no filters of the resource
 */
export function querySchema(
  context: ApiContext,
  resource: Resource,
  more?: { properties: object; also?: (name: string) => boolean; read: Read },
): object {
  const { declaration } = resource;
  const others = Object.keys(more?.properties ?? {});
  const read: Read = (query, beside) => {
    more?.read(query, beside);
    const given = query as QueryParameters;
    readQuery(context, resource, given, () => true, [...others, ...Object.keys(given).filter((name) => more?.also?.(name))]);
  };
  const filters = Object.entries(declaration.filtering ?? {}).map(([name, allowed]) => {
    const operators = Array.isArray(allowed) ? allowed.join(', ') : allowed === 'all' ? 'all operators' : 'all operators, joins';
    return [name, { type: 'string', description: `Filter: ${operators}; ${name}__<operator>=<value>.` }];
  });
  const ordering = [...new Set(['id', ...(declaration.ordering ?? [])])].join(', ');
  return takes(
    'filters',
    {
      type: 'object',
      properties: {
        ...more?.properties,
        _limit: { type: 'integer', minimum: 0, default: DEFAULT_LIMIT, description: 'Objects on the page, at most 100; 0 is the most.' },
        _offset: { type: 'integer', minimum: 0, default: 0, description: 'Objects to skip.' },
        _after: { type: 'string', description: 'Where the page begins, from a next; _offset is a number for the reader then.' },
        _count: { type: 'string', enum: ['exact', 'estimate'], default: 'exact', description: 'An estimate of total_count will do.' },
        order_by: { type: 'string', description: `A field, with - in front for descending: ${ordering}.` },
        ...Object.fromEntries(filters),
      },
    },
    read,
  );
}
