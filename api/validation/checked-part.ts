import { READ, type Read } from './takes.ts';

/** What a property that is not described means for a body. */
export interface Only {
  names: readonly string[];
  /** Said of each that is not among them. */
  sentence: string;
}

/** Keywords that Ajv checks as they stand; all others tell people something. */
const CHECKED = new Set([
  'type',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'minProperties',
  'required',
  'x-needs',
  'x-says',
]);

/**
 * Of a schema as the document shows it, what Ajv is given: where there is a reader the reader alone decides; else the standard keywords do. Lists are for
 * readers, which stop at the first wrong member: a schema of the members would make as many errors as a hostile body has members.
 * @throws Error for a schema that could not be checked within bounds: a mistake in a declaration
 */
export function checkedPart(schema: object): object {
  const read = readerOf(schema);
  if (read) return { 'x-takes': read };
  const { properties, additionalProperties, items, anyOf, 'x-ignores': ignores = [], ...rest } = schema as Described;
  if (items && Object.keys(items).length > 0) throw new Error(`A list without a reader: ${JSON.stringify(schema)}`);
  const says = rest['x-says'] as Record<string, string> | undefined;
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => CHECKED.has(keyword))),
    ...(anyOf && { anyOf: anyOf.map(checkedPart) }),
    ...(properties && partsOf(properties)),
    ...(additionalProperties === false && {
      'x-only': {
        names: [...Object.keys(properties ?? {}), ...ignores],
        sentence: says?.['additionalProperties'] ?? 'This is not taken here.',
      } satisfies Only,
    }),
  };
}

interface Described {
  properties?: Record<string, object>;
  additionalProperties?: unknown;
  items?: object;
  anyOf?: object[];
  'x-ignores'?: string[];
  [keyword: string]: unknown;
}

const readerOf = (schema: object) => (schema as { [READ]?: Read })[READ];

function partsOf(properties: Record<string, object>): object {
  const all = Object.entries(properties);
  const read = all.flatMap(([name, schema]) => (readerOf(schema) ? [[name, readerOf(schema)] as const] : []));
  const others = all.flatMap(([name, schema]) => (readerOf(schema) ? [] : [[name, checkedPart(schema)] as const]));
  return {
    ...(read.length > 0 && { 'x-reads': Object.fromEntries(read) }),
    ...(others.length > 0 && { properties: Object.fromEntries(others) }),
  };
}
