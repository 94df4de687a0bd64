import './grammar-memory.ts';
import { type ParseResult, parse as read } from 'libpg-query';

let broken = false;

/**
 * A statement by PostgreSQL's own grammar.
 * @throws its SqlError; RangeError where the statement is nested so deeply that a stack comes to its end, its own or ours
 */
export async function parse(text: string): Promise<ParseResult> {
  try {
    return await read(text);
  } catch (error) {
    // The other one is WebAssembly's.
    if (!(error instanceof RangeError || (error as Error).name === 'RuntimeError')) throw error;
    // Left in the middle, it never gives back what it had taken of its own stack: a few times more, and it reads over its own memory.
    broken = true;
    throw new RangeError('the stack of the grammar came to its end', { cause: error });
  }
}

/** Whether this thread's grammar was left in the middle, so that nothing more should be read by it. */
export const isBroken = (): boolean => broken;
