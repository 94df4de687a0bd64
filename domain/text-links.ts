// Addresses in the template of a text version. Nothing says where one ends; where that cannot be told it is left as it is, for what is cut off would stand behind
// the address of a redirect, which leads nowhere then, or without it.

// With what the template puts into it, and with brackets that are closed in it; what may end a sentence does not end it.
const SIGN = String.raw`[^\s<>"'(){}\[\]]`;
const GROUP = String.raw`\{\{[^{}]*\}\}|\(${SIGN}*\)|\[${SIGN}*\]`;
const ENDING = String.raw`[.,;:!?]|(?!\p{ASCII})\p{P}`;
const ADDRESS = new RegExp(`https?://(?:${SIGN}|${GROUP})*(?:(?!${ENDING})${SIGN}|${GROUP})`, 'gu');

/** In languages that have no spaces between words what follows may be a part of it or not, as behind a quotation mark inside. */
const MAY_BE_MORE = /(?!\p{ASCII})\p{P}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const ENDINGS = new RegExp(`(?:${ENDING})*`, 'uy');
/** Nothing that an address goes on with. */
const APART = /$|[\s<>")\]}]|'(?![\p{L}\p{N}])/uy;
/** No longer than this, since all that follows would be looked through again for each that is not closed. */
const NOTE = /\{#.{0,1000}?#\}/y;
const NAME = /^-?\s*(\w+)/;

/** Puts something in the place of the addresses that certainly end where they seem to. */
export function replaceAddresses(text: string, replace: (address: string) => string): string {
  const behind = behindBranches(text);
  const known = new Map<number, boolean>();
  return text.replace(ADDRESS, (address, at: number) =>
    MAY_BE_MORE.test(address) || goesOn(text, at + address.length, behind, known) ? address : replace(address),
  );
}

/**
 * Whether what a mail shows from here on may belong to the address before it.
 * @param known of places that were come by before, which thousands of branches may lead to
 */
function goesOn(text: string, from: number, behind: Map<number, number>, known: Map<number, boolean>): boolean {
  const passed: number[] = [];
  let goes = known.get(from);
  for (let at = from; goes === undefined; ) {
    passed.push(at);
    at = endOf(ENDINGS, text, at) ?? at;
    const next = behind.get(at) ?? endOf(NOTE, text, at);
    goes = next === undefined ? endOf(APART, text, at) === undefined : known.get(next);
    at = next ?? at;
  }
  for (const place of passed) known.set(place, goes);
  return goes;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** For each tag that ends a branch or a block, by where it begins, where the mail goes on: behind the end of the block. */
function behindBranches(text: string): Map<number, number> {
  const behind = new Map<number, number>();
  const ends: number[][] = [];
  for (let at = text.indexOf('{%'); at >= 0; ) {
    const close = text.indexOf('%}', at) + 2;
    if (close < 2) break;
    const name = NAME.exec(text.slice(at + 2, close))?.[1] ?? '';
    if (name === 'if' || name === 'for') ends.push([]);
    else if (name === 'elif' || name === 'else' || name === 'empty') ends.at(-1)?.push(at);
    else if (name.startsWith('end')) {
      behind.set(at, close);
      if (name === 'endif' || name === 'endfor') for (const branch of ends.pop() ?? []) behind.set(branch, close);
    }
    at = text.indexOf('{%', close);
  }
  return behind;
}
