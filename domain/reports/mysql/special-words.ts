import { quote } from './texts.ts';
import { isSign, type TokenPass } from './token-pass.ts';
import type { Token } from './tokens.ts';
import { fold, MOMENTS } from './words.ts';

// Words that take what follows them along.

/** `decimal(10, 2)`, up to the parenthesis that closes around it, as a text. */
export function takeType(pass: TokenPass): string {
  const parts: string[] = [];
  let depth = 0;
  for (let token = pass.peek(); token && (depth > 0 || !isSign(token, ')')); token = pass.peek()) {
    if (isSign(token, '(')) depth++;
    else if (isSign(token, ')')) depth--;
    else if (token.kind === 'word' || token.kind === 'number') parts.push(fold(token.text));
    pass.skip();
  }
  return quote(parts.filter((part) => part !== 'integer' || parts.length === 1).join(' '));
}

export function emitCollation(pass: TokenPass, token: Token): void {
  const next = pass.take();
  const name = fold(next?.text ?? '');
  if (/_ci$/.test(name)) pass.emit('collate "mysql"."ci"');
  else if (/_bin$/.test(name) || name === 'binary') pass.emit('collate "C"');
  else pass.no(token, `COLLATE ${next?.text ?? ''} is not translated`);
}

/** `now`, `now()`, `now(3)`. */
export function emitMoment(pass: TokenPass, word: string): void {
  if (isSign(pass.peek(), '(')) {
    pass.skip();
    if (pass.peek()?.kind === 'number') pass.skip();
    if (isSign(pass.peek(), ')')) pass.skip();
  }
  pass.emit(`"${MOMENTS.get(word)}"()`);
}

/** `use index (a, b)`: for MySQL's planner alone. */
export function skipIndex(pass: TokenPass, token: Token): void {
  while (pass.peek() && !isSign(pass.peek(), ')')) pass.skip();
  if (!pass.peek()) pass.no(token, 'the list of indexes is not closed');
  pass.skip();
}
