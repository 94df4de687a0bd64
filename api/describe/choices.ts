type Json = Record<string, unknown>;

/**
 * Writes choices of types in the one way that generators of clients understand, anywhere in the document: as `anyOf` of single types, with null beside the
 * first of them. Of `type` as a list of several oapi-codegen (Go) makes nothing at all; nor does openapi-generator (Python) of null as a third choice.
 * Changes the document, and nothing of what it means.
 */
export function writeChoicesPlainly(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const schema = part as Json;
  const types = Array.isArray(schema['type']) ? schema['type'].filter((type) => type !== 'null') : [];
  if (types.length > 1) {
    schema['anyOf'] = (schema['type'] as string[]).map((type) => ({ type }));
    delete schema['type'];
  }
  if (Array.isArray(schema['anyOf'])) schema['anyOf'] = withNullBesideAnother(schema['anyOf']);
  for (const each of Object.values(schema)) writeChoicesPlainly(each);
}

function withNullBesideAnother(choices: Json[]): Json[] {
  const others = choices.filter(({ type }) => type !== 'null');
  // Listed values would have to list null, too.
  const first = others.findIndex(({ type, enum: values }) => typeof type === 'string' && !values);
  if (others.length === choices.length || first === -1) return choices;
  return others.map((choice, index) => (index === first ? { ...choice, type: [choice['type'], 'null'] } : choice));
}

/**
 * The schema of a value that is sent as text, in a query or a part of a form. What may be anything is text; what is true or false in several spellings is a boolean: of the one as of a choice
 * between the other openapi-generator makes code for Rust that does not compile, and all of them make what nobody understands.
 */
export function ofText(schema: Json): Json {
  const { anyOf, ...others } = schema;
  if (schema['x-takes'] === 'boolean') return { ...others, type: 'boolean' };
  return 'type' in schema || 'enum' in schema || anyOf ? schema : { ...schema, type: 'string' };
}
