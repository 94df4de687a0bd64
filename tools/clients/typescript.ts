import { type ApiDocument, answerOf, bodyOf, keyedOf, type Operation, type Schema } from './document.ts';
import { typeOf } from './schema-types.ts';

const HEAD = `// Long: made of the OpenAPI document by npm run clients, not by hand.
// biome-ignore-all format: as the program writes it
`;

/** The file of types the TypeScript client is checked by: every named schema, and what can be done with each resource. */
export function typescriptOf({ paths, components }: ApiDocument): string {
  // What is refused becomes an exception, which has one shape for all.
  const named = Object.entries(components.schemas).filter(([name]) => !name.endsWith('Errors'));
  const schemas = named.map(([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`);
  const resources = Object.entries(paths).flatMap(([path, all]) => {
    const name = /^\/rest\/v1\/(\w+)\/$/.exec(path)?.[1];
    const can = name ? offered(all, paths[`${path}{id}/`] ?? {}) : [];
    return can.length ? [`  ${name}: {\n${can.map((line) => `    ${line};\n`).join('')}  };\n`] : [];
  });
  return [
    HEAD,
    ...schemas,
    `/** What each resource gives and takes. */\nexport interface Resources {\n${resources.join('')}}\n`,
    `/** Paths that answer a POST sent again with the same Idempotency-Key with what the first one made. */
export const KEYED: readonly string[] = ${JSON.stringify(keyedOf({ paths, components }))};\n`,
  ].join('\n');
}

/** What the Python client knows of the document. */
export const pythonOf = (document: ApiDocument): string => `# Made of the OpenAPI document by npm run clients, not by hand.

# Paths that answer a POST sent again with the same Idempotency-Key with what the first one made, in parts.
KEYED = (
${keyedOf(document)
  .map(
    (path) =>
      `    (${path
        .split('/')
        .map((part) => JSON.stringify(part))
        .join(', ')}),\n`,
  )
  .join('')})
`;

/** @param all operations of the collection @param one of a single object */
function offered(all: Record<string, Operation>, one: Record<string, Operation>): string[] {
  const page = answerOf(all['get'])?.properties?.['objects']?.items;
  const created = bodyOf(all['post']);
  return [
    line('listed', page),
    line('read', answerOf(one['get'])),
    line('created', created),
    line('answered', created && answerOf(all['post'])),
    line('changed', bodyOf(one['patch'])),
    one['delete'] ? 'deleted: true' : '',
  ].filter(Boolean);
}

const line = (name: string, schema: Schema | undefined) => (schema ? `${name}: ${typeOf(schema, '    ')}` : '');
