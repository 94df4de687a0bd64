import type { FastifyRequest } from 'fastify';
import { longNumbersQuoted } from '../../domain/json-numbers.ts';
import { isForm } from '../plugins/bodies.ts';
import type { Field } from './fields.ts';

/** Has a form read as the JSON that says the same. */
export const takesForm =
  (fields: readonly Field[]) =>
  async (request: FastifyRequest): Promise<void> => {
    if (request.body && isForm(request)) request.body = await formAsJson(fields, request.body as Record<string, unknown>);
  };

/** Names in brackets deep: more than any field is. */
const DEEPEST = 5;

/**
 * What a form says, as the JSON that says the same: texts become lists and objects where the field is one (`tags=1`, `tags[]=1`, `fields[shirt]=L`,
 * `phones[][phone]=1`, `phones[0][phone]=1`, or JSON as text), and an empty text is null where the field holds no text. The readers of values take numbers and truth as text.
 * @param form as parsed: texts, or lists of them where a name was repeated
 */
async function formAsJson(fields: readonly Field[], form: Record<string, unknown>): Promise<Record<string, unknown>> {
  const given = new Map<string, unknown>();
  const trees = new Map<Field, Tree>();
  for (const [key, value] of Object.entries(form)) {
    const [name = key, ...path] = key.split('[', DEEPEST + 2).map((part) => part.replace(/\]$/, ''));
    const field = fields.find((each) => each.name === name);
    if (!field || path.length > DEEPEST) given.set(key, value);
    else if (path.length === 0 || (value === '' && path.join() === '')) given.set(name, await jsonOf(field, value));
    else {
      const tree = trees.get(field) ?? new Map<string, unknown>();
      trees.set(field, tree);
      put(tree, path, value);
    }
  }
  for (const [field, tree] of trees) {
    const beside = given.get(field.name);
    given.set(field.name, field.kind === 'dict' ? { ...asObject(beside), ...asObjectOf(tree) } : asListOrObject(tree));
  }
  return Object.fromEntries(given);
}

/** What stands under the names in brackets; others are trees in turn. */
type Tree = Map<string, unknown>;

function put(tree: Tree, [step = '', ...rest]: string[], value: unknown): void {
  // `[]` is the next member; with names behind it, the values of a name that is repeated are of one member each.
  const members = [value].flat().map((each, n) => [String(rest.length > 0 ? n : tree.size + n), each] as const);
  for (const [name, each] of step === '' ? members : [[step, value] as const]) {
    const inner = tree.get(name);
    if (rest.length === 0) tree.set(name, each);
    else if (inner instanceof Map) put(inner, rest, each);
    else {
      const made: Tree = new Map();
      tree.set(name, made);
      put(made, rest, each);
    }
  }
}

const asValue = (value: unknown): unknown => (value instanceof Map ? asListOrObject(value) : value);
const asObjectOf = (tree: Tree): object => Object.fromEntries([...tree].map(([name, value]) => [name, asValue(value)]));

/** A list where the names are its places. */
function asListOrObject(tree: Tree): unknown {
  const places = [...tree.keys()].map(Number).sort((a, b) => a - b);
  return places.every((place, n) => place === n) ? places.map((place) => asValue(tree.get(String(place)))) : asObjectOf(tree);
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

async function jsonOf({ kind }: Field, value: unknown): Promise<unknown> {
  if (kind === 'list' || kind === 'references') {
    if (value === '') return [];
    return typeof value === 'string' && value.startsWith('[') ? parsed(value) : [value].flat();
  }
  if (kind === 'dict') return typeof value === 'string' && value.startsWith('{') ? parsed(value) : value === '' ? {} : value;
  return kind !== 'string' && value === '' ? null : value;
}

/** Left as the text it is where it is no JSON: the field's reader refuses it. */
async function parsed(text: string): Promise<unknown> {
  try {
    JSON.parse(text);
    return JSON.parse((await longNumbersQuoted(text)) ?? text);
  } catch {
    return text;
  }
}
