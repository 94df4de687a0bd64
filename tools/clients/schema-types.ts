import type { Schema } from './document.ts';

const PLAIN: Record<string, string> = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' };

/** The TypeScript type of what a schema allows; `unknown` where it says nothing of it. */
export function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  // Beside properties, anyOf says which of them go together.
  if (schema.anyOf && !schema.properties) return union(schema.anyOf.map((each) => typeOf(each, indent)));
  return union(
    [schema.type ?? []].flat().map((type) => PLAIN[type] ?? (type === 'array' ? arrayOf(schema, indent) : objectOf(schema, indent))),
  );
}

const union = (types: string[]): string => [...new Set(types)].join(' | ') || 'unknown';

function arrayOf({ items = {} }: Schema, indent: string): string {
  const each = typeOf(items, indent);
  return each.includes('|') ? `(${each})[]` : `${each}[]`;
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).flatMap(([name, schema]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
    return [...comment(schema, inner), `${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};`];
  });
  // Beside named properties the others can only be said to be anything.
  const others = lines.length || typeof additionalProperties !== 'object' ? 'unknown' : typeOf(additionalProperties, inner);
  if (additionalProperties || !lines.length) lines.push(`${inner}[name: string]: ${others};`);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** What the type says already. */
const SAID = ['Unicode text.', 'A whole number.', 'A number.', 'true or false.', 'A list.', 'An object.'];

function comment({ description = '', deprecated }: Schema, indent: string): string[] {
  const words = [deprecated ? '@deprecated' : '', SAID.includes(description) ? '' : description.replaceAll('*/', '* /')].filter(Boolean);
  return words.length ? [`${indent}/** ${words.join(' ')} */`] : [];
}
