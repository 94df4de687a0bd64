import { isSign, isWord } from './token-pass.ts';
import type { Token } from './tokens.ts';

const OUTER = ['left', 'right', 'outer', 'natural'];
/** What ends the tables of a statement, so that a join before it gets no condition any more. */
const AFTER_TABLES = ['select', 'where', 'group', 'having', 'window', 'order', 'limit', 'union', 'intersect', 'except'];

/** A join that waits for its condition; null where it is an outer one, which has to have one. */
type Waiting = Token | null;

/**
 * Which joins are inner ones, by the words they are written with (INNER, CROSS, JOIN, STRAIGHT_JOIN), and what each is in PostgreSQL's grammar: in MySQL INNER, CROSS and none of both mean
 * the same, with a condition or without, and a condition is that of the last join before it that has none.
 */
export function innerJoins(tokens: readonly Token[]): Map<Token, '' | 'join' | 'cross join'> {
  const found = new Map<Token, '' | 'join' | 'cross join'>();
  const frames: Waiting[][] = [[]];
  for (const [n, token] of tokens.entries()) {
    const before = tokens[n - 1];
    const waiting = frames.at(-1)!;
    if (isSign(token, '(')) frames.push([]);
    else if (isSign(token, ')')) {
      if (frames.length > 1) frames.pop();
    } else if (isSign(before, '.') || isSign(tokens[n + 1], '.')) continue;
    else if (isSign(token, ',') || isWord(token, ...AFTER_TABLES)) waiting.length = 0;
    else if (isWord(token, 'join', 'straight_join')) {
      if (isWord(before, 'natural') || isWord(before, 'select') || isNaturalOuter(tokens, n)) continue;
      if (isWord(before, ...OUTER)) waiting.push(null);
      else {
        if (isWord(before, 'inner', 'cross')) found.set(before!, '');
        found.set(token, 'cross join');
        waiting.push(token);
      }
    } else if (isWord(token, 'on', 'using')) {
      const join = waiting.pop();
      if (join) found.set(join, 'join');
    }
  }
  return found;
}

/** `natural left join`, `natural right outer join`: none of them has a condition. */
const isNaturalOuter = (tokens: readonly Token[], n: number): boolean =>
  isWord(tokens[n - 1], ...OUTER) &&
  (isWord(tokens[n - 2], 'natural') || (isWord(tokens[n - 2], ...OUTER) && isWord(tokens[n - 3], 'natural')));
