import { READERS, readBoolean } from '../../domain/values.ts';

// Clients send numbers as text, a 1 for true, a null for what they have nothing to say about. That is part of the contract, so the schema of a value says it:
// `x-takes` names the kind of reader that takes it, which Ajv runs; the standard keywords beside it say what the value means once it is read.

/**
 * Reads a value as it was sent.
 * @param siblings what was sent beside it
 * @throws Error whose message follows the field's name; InputError with sentences of its own
 */
export type Read = (value: unknown, siblings: Readonly<Record<string, unknown>>) => unknown;

/** Where a schema keeps its reader: under a symbol, so that it is no part of the document. */
export const READ = Symbol('read');

type Known = keyof typeof READERS;

/** Schema of a value that a reader takes: one of those everybody shares, or one of its own. */
export function takes<Schema extends object>(kind: Known, schema: Schema, read?: Read): Schema & { 'x-takes': string };
export function takes<Schema extends object>(kind: string, schema: Schema, read: Read): Schema & { 'x-takes': string };
export function takes(kind: string, schema: object, read: Read = READERS[kind as Known]): object {
  return { ...schema, 'x-takes': kind, [READ]: read };
}

/** What is sent as null is as if it were not sent. */
export const orNull =
  (read: Read): Read =>
  (value, siblings) =>
    value === null ? null : read(value, siblings);

/** A boolean as clients send it: JSON's own, the numbers of production clients, the words of forms. */
export const booleanTaken = (description?: string, read: Read = readBoolean) =>
  takes(
    'boolean',
    {
      anyOf: [{ type: 'boolean' }, { enum: [1, 0] }, { type: 'string', enum: ['1', '0', 'true', 'false', 'on', 'off'] }],
      ...(description && { description }),
    },
    read,
  );

/** What is not read into memory before its route begins: the route reads it as it arrives. */
export const arriving = <Schema extends object>(schema: Schema): Schema & { 'x-takes': string } => takes('file', schema, () => {});

/** A reader of whole bodies that reads each once: the route gets what was read when the body was checked. */
export function readOnce<Value>(read: (value: unknown) => Value): (value: unknown) => Value {
  const known = new WeakMap<object, Value>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return read(value);
    if (!known.has(value)) known.set(value, read(value));
    return known.get(value)!;
  };
}
