import { JSON_AT_ONCE } from '../../domain/json-numbers.ts';

/** Characters shown of what stands at the place. */
const SHOWN = 30;

/** White space, then what JSON is made of: a mark, a text, or a number or word. */
const PIECE =
  /[ \t\n\r\uFEFF]*(?:([{}[\],:])|("[^"\\\p{Cc}]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\p{Cc}]*)*")|((?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])))/uy;
const SPACE = /[ \t\n\r\uFEFF]*/uy;

type State = 'value' | 'member' | 'name' | 'firstName' | 'colon' | 'afterMember' | 'afterNamed' | 'end';
type Next = State | 'open' | 'close' | 'after';

const VALUE = { '{': 'open', '[': 'open', text: 'after', plain: 'after' } as const;

/** What may stand where, and what comes after it; how that is called. */
const GRAMMAR: Record<State, { next: Record<string, Next>; called: string }> = {
  value: { next: VALUE, called: 'a value' },
  member: { next: { ...VALUE, ']': 'close' }, called: 'a value or ]' },
  name: { next: { text: 'colon' }, called: 'a name in double quotes' },
  firstName: { next: { text: 'colon', '}': 'close' }, called: 'a name in double quotes or }' },
  colon: { next: { ':': 'value' }, called: 'a colon' },
  afterMember: { next: { ',': 'value', ']': 'close' }, called: 'a comma or ]' },
  afterNamed: { next: { ',': 'name', '}': 'close' }, called: 'a comma or }' },
  end: { next: {}, called: 'nothing more' },
};

/**
 * Where a text stops being JSON, for whoever wrote it. Read once, and only of what the parser has refused.
 * @returns such as "line 2, column 5, at “x}”: a value is expected here"; null where the text only ends before its time, and of one that is longer than may be
 * looked through while others wait
 */
export function placeInJson(text: string): string | null {
  if (text.length > JSON_AT_ONCE) return null;
  const open: string[] = [];
  let state: State = 'value';
  let at = 0;
  for (;;) {
    PIECE.lastIndex = at;
    const [piece = '', mark, quoted] = PIECE.exec(text) ?? [];
    const next: Next | '' | undefined = piece && GRAMMAR[state].next[mark ?? (quoted === undefined ? 'plain' : 'text')];
    if (!next) return said(text, at, state);
    at += piece.length;
    if (next === 'open') open.push(mark!);
    if (next === 'close') open.pop();
    if (next === 'open') state = mark === '{' ? 'firstName' : 'member';
    else if (next === 'after' || next === 'close') state = open.length === 0 ? 'end' : open.at(-1) === '{' ? 'afterNamed' : 'afterMember';
    else state = next;
  }
}

function said(text: string, from: number, state: State): string | null {
  SPACE.lastIndex = from;
  const at = from + SPACE.exec(text)![0].length;
  if (at >= text.length) return null;
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const words = text.slice(at).split('\n', 1)[0]!.trimEnd();
  const shown = words.length > SHOWN ? `${words.slice(0, SHOWN).toWellFormed()}…` : words;
  return `line ${line}, column ${column}, at “${shown}”: ${GRAMMAR[state].called} is expected here`;
}
