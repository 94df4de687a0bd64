import type { Change } from './declare.ts';
import { type Input, readInput } from './input.ts';
import type { Resource } from './registry.ts';

/**
 * Reads an object of another resource that stands inside the one under change, with the fields and checks of its own resource.
 * @throws InputError with messages by the fields of the one inside
 */
export function readInside({ context }: Change, name: string, given: unknown): Input {
  return readInput(context, context.registry.get(name) as Resource, given, false);
}
