import type { preValidationHookHandler } from 'fastify';
import { isForm } from '../plugins/bodies.ts';
import type { Field } from './fields.ts';

/** Has a form read as the JSON that says the same. */
export const takesForm =
  (fields: readonly Field[]): preValidationHookHandler =>
  (request, _reply, done) => {
    if (request.body && isForm(request)) request.body = formAsJson(fields, request.body as Record<string, unknown>);
    done();
  };

/**
 * What a form says, as the JSON that says the same: texts become lists and objects where the field is one (`tags=1`, `tags[]=1`, `fields[shirt]=L`,
 * or JSON as text), and an empty text is null where the field holds no text. The readers of values take numbers and truth as text.
 * @param form as parsed: texts, or lists of them where a name was repeated
 */
function formAsJson(fields: readonly Field[], form: Record<string, unknown>): Record<string, unknown> {
  const given = new Map<string, unknown>();
  for (const [key, value] of Object.entries(form)) {
    const [name = key, ...path] = key.split('[').map((part) => part.replace(/\]$/, ''));
    const field = fields.find((each) => each.name === name);
    if (!field) given.set(key, value);
    else if (field.kind === 'dict' && path[0]) {
      const members = asObject(given.get(name));
      given.set(name, { ...members, ...Object.fromEntries([[path[0], path.length > 1 ? [value].flat() : value]]) });
    } else given.set(name, jsonOf(field, value));
  }
  return Object.fromEntries(given);
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

function jsonOf({ kind }: Field, value: unknown): unknown {
  if (kind === 'list' || kind === 'references') {
    if (value === '') return [];
    return typeof value === 'string' && value.startsWith('[') ? parsed(value) : [value].flat();
  }
  if (kind === 'dict') return typeof value === 'string' && value.startsWith('{') ? parsed(value) : value === '' ? {} : value;
  return kind !== 'string' && value === '' ? null : value;
}

/** Left as the text it is where it is no JSON: the field's reader refuses it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
