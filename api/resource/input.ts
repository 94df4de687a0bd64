import { missingIds, type ReferenceContext, type Referents, readReference } from '../../core/references.ts';
import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { READERS, readBody, readText } from '../../domain/values.ts';
import type { Values } from './declare.ts';
import { type Field, ownWord } from './fields.ts';
import type { Resource } from './registry.ts';

/** A checked body: what goes to the ORM, what has no column, and which objects must exist. */
export interface Input {
  values: Values;
  extra: Record<string, unknown>;
  references: { field: string; to: string; ids: number[] }[];
}

/**
 * Checks a body against the fields of a resource. Unknown and read-only keys are ignored: clients send back whole objects.
 * @param complete on create, when required fields must be there
 * @throws InputError with messages by field
 */
export function readInput(context: ReferenceContext, resource: Resource, body: unknown, complete: boolean): Input {
  const given = readBody(body);
  const input: Input = { values: {}, extra: {}, references: [] };
  const errors: Record<string, string> = {};
  for (const field of resource.fields) {
    if (field.readonly) continue;
    const name = nameOf(field, given);
    if (name === undefined || isAbsent(field, given[name])) {
      if (complete && field.required) errors[field.name] = 'This field is required.';
      continue;
    }
    try {
      const value = readField(context, field, given[name]);
      if (field.to && field.kind.startsWith('reference') && value !== null)
        input.references.push({ field: field.name, to: field.to, ids: [value].flat() as number[] });
      if (field.property) input.values[field.property] = value;
      else input.extra[field.name] = value;
    } catch (error) {
      errors[name] = `${name} ${(error as Error).message}.`;
    }
  }
  if (Object.keys(errors).length > 0) throw new InputError(errors);
  return input;
}

/** The name a field is given under, if it is. */
function nameOf({ name, override }: Field, given: Record<string, unknown>): string | undefined {
  return [...(override.alsoNamed ?? []), name].find((each) => Object.hasOwn(given, each) && given[each] !== undefined);
}

/** @throws InputError naming each field that refers to nothing */
export async function checkReferences(sql: Sql, registry: Referents, { references }: Input): Promise<void> {
  const errors: Record<string, string> = {};
  for (const { field, to, ids } of references) {
    const missing = await missingIds(sql, registry, to, ids);
    if (missing.length > 0) errors[field] = `${field} refers to nothing: there is no ${to} ${missing.slice(0, 5).join(', ')}.`;
  }
  if (Object.keys(errors).length > 0) throw new InputError(errors);
}

/** A null that says as much as nothing sent. */
const isAbsent = ({ override }: Field, given: unknown): boolean => override.nullIsAbsent === true && given === null;

/** Whether what stands under a name of the field says nothing, since the field is also given under one that wins. */
export const isShadowed = (field: Field, name: string, given: Record<string, unknown>): boolean =>
  field.override.alsoNamed !== undefined && nameOf(field, given) !== name;

/**
 * The value of a field, as it is stored.
 * @throws Error whose message follows the field's name
 */
export function readField(context: ReferenceContext, field: Field, given: unknown): unknown {
  const { kind, override } = field;
  if (isAbsent(field, given)) return undefined;
  if (given === null) {
    if (field.nullable) return null;
    // Text is never null here: to a client, null and empty are the same.
    if (kind === 'string' && field.blank && !field.words) return '';
    throw new Error('must not be null');
  }
  const value = override.read ? override.read(given) : readKind(context, field, given);
  const problem = override.check?.(value as never);
  if (problem) throw new Error(problem);
  return override.kept ? override.kept(value as string) : value;
}

function readKind(context: ReferenceContext, field: Field, given: unknown): unknown {
  switch (field.kind) {
    case 'datetime':
      return new Date(READERS.datetime(given));
    case 'string':
      return readString(field, given);
    case 'reference':
      return readReference(context, field.to!, given, field.override);
    case 'references': {
      if (!Array.isArray(given)) throw new Error('must be a list');
      if (given.length > 10_000) throw new Error('has too many members');
      const { member = asGiven } = field.override;
      return [...new Set(given.map((each) => readReference(context, field.to!, member(each), field.override)))];
    }
    case 'list':
    case 'dict':
      return readMembers(field, given);
    default:
      return READERS[field.kind](given);
  }
}

const asGiven = (member: unknown): unknown => member;

/** Longest list or object as JSON. */
const MEMBERS_TOGETHER = 1_000_000;

/** Looked at before all that is in it is. */
function readMembers({ kind, maxLength, override: { member } }: Field, given: unknown): unknown {
  const members = typeof given === 'object' && given !== null ? Object.keys(given).length : 0;
  if (maxLength !== null && members > maxLength) throw new Error(`must have at most ${maxLength} members`);
  const value = READERS[kind as 'list' | 'dict'](given);
  if (JSON.stringify(value).length > MEMBERS_TOGETHER) throw new Error(`must have at most ${MEMBERS_TOGETHER} characters as JSON`);
  return member && Array.isArray(value) ? value.map(member) : value;
}

function readString(field: Field, given: unknown): string {
  const written = field.override.trim ? readText(given).trim() : readText(given);
  const text = ownWord(field, written);
  if (field.words && !field.words.includes(text)) throw new Error(`must be one of ${field.words.join(', ')}`);
  if (!field.blank && text.trim() === '') throw new Error('must not be blank');
  if (field.maxLength !== null && text.length > field.maxLength) throw new Error(`must have at most ${field.maxLength} characters`);
  return text;
}
