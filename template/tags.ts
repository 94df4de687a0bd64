import type { Body, Item, Tag, TagCompiler } from './contracts.ts';
import { formatDate } from './dates.ts';
import { Problem } from './errors.ts';
import type { ExpressionReader } from './expression.ts';
import { demand } from './filters.ts';
import { type Evaluate, type Frame, type Piece, spendRoom, spendSteps } from './frame.ts';
import { reportTag } from './report-tag.ts';
import type { Scope } from './scope.ts';
import type { TagToken } from './tokens.ts';
import { isTrue, plain, textOf } from './values.ts';

const changing = (piece: Piece, weight: number): Body => ({ piece, weight, constant: false });

/** {% if a and not b %} … {% elif c == "x" %} … {% else %} … {% endif %} */
function ifTag(compiler: TagCompiler, tag: TagToken, scope: Scope): Item {
  const branches: { test: Evaluate; body: Piece }[] = [];
  let [weight, otherwise, part]: [number, Piece, TagToken] = [1, () => {}, tag];
  while (part.name !== 'endif') {
    const reader = compiler.reader(part, scope);
    const test = part.name === 'else' ? null : reader.condition();
    reader.end();
    const { body, end } = compiler.block(scope, tag, part.name === 'else' ? ['endif'] : ['elif', 'else', 'endif']);
    if (test) branches.push({ test, body: body.piece });
    else otherwise = body.piece;
    weight += body.weight;
    part = end;
  }
  const [first] = branches;
  if (branches.length === 1) return changing((frame) => (isTrue(first!.test(frame)) ? first!.body(frame) : otherwise(frame)), weight);
  return changing((frame) => {
    const branch = branches.find(({ test }) => isTrue(test(frame)));
    (branch?.body ?? otherwise)(frame);
  }, weight);
}

/** What a loop goes through: a list; the keys of an object; one value by itself, since a custom field with a single value is no list. */
function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isTrue(value)) return [];
  return typeof value === 'object' && !(value instanceof Date) ? Object.keys(value!) : [value];
}

/** {% for x in list reversed %} … {% empty %} … {% endfor %}, {% for key, value in object.items %} */
function forTag(compiler: TagCompiler, tag: TagToken, scope: Scope): Item {
  const reader = compiler.reader(tag, scope);
  const names = [reader.name()];
  while (reader.take(',')) names.push(reader.name());
  if (!reader.take('in')) throw new Problem('“in” was expected, as in {% for x in list %}');
  const list = reader.value().evaluate;
  const reversed = reader.take('reversed');
  reader.end();

  const slots: number[] = [];
  const inside = scope.inner();
  for (const name of names) slots.push(inside.add(name));
  const parent = scope.has('forloop') ? scope.read(['forloop']).evaluate : () => undefined;
  const loop = inside.add('forloop');
  const { body, end } = compiler.block(inside, tag, ['empty', 'endfor']);
  const otherwise = end.name === 'empty' ? compiler.block(scope, tag, ['endfor']).body : null;

  const assign = (frame: Frame, item: unknown) => {
    if (slots.length === 1) frame.locals[slots[0]!] = item;
    else for (let n = 0; n < slots.length; n++) frame.locals[slots[n]!] = Array.isArray(item) ? item[n] : undefined;
  };
  const piece: Piece = (frame) => {
    const found = itemsOf(plain(list(frame)));
    const items = reversed ? found.toReversed() : found;
    if (items.length === 0) return otherwise?.piece(frame);
    const parentloop = parent(frame);
    for (let n = 0; n < items.length; n++) {
      spendSteps(frame, body.weight);
      assign(frame, items[n]);
      frame.locals[loop] = loopState(n, items.length, parentloop);
      const before = frame.sink.length;
      body.piece(frame);
      spendRoom(frame, frame.sink.length - before);
    }
  };
  return changing(piece, 1 + body.weight + (otherwise?.weight ?? 0));
}

const loopState = (n: number, length: number, parentloop: unknown) => ({
  counter: n + 1,
  counter0: n,
  revcounter: length - n,
  revcounter0: length - n - 1,
  first: n === 0,
  last: n === length - 1,
  parentloop,
});

interface Assignment {
  slot: number;
  evaluate: Evaluate;
}

/** `a=x b=y`, each seen by the block but not by its neighbours. */
function assignments(reader: ExpressionReader, within: Scope): { scope: Scope; list: Assignment[] } {
  const list: Assignment[] = [];
  const scope = within.inner();
  while (reader.rest !== '' && reader.rest !== 'only') {
    const name = reader.name();
    if (!reader.take('=')) throw new Problem(`“=” was expected after “${name}”`);
    const { evaluate, safe } = reader.value();
    list.push({ slot: scope.add(name, safe), evaluate });
  }
  return { scope, list };
}

const assigned = (list: Assignment[], body: Body): Body =>
  changing((frame) => {
    for (const { slot, evaluate } of list) frame.locals[slot] = evaluate(frame);
    body.piece(frame);
  }, body.weight + list.length);

/** {% with name=value other=value %} … {% endwith %}, {% with value as name %} … {% endwith %} */
function withTag(compiler: TagCompiler, tag: TagToken, scope: Scope): Item {
  const reader = compiler.reader(tag, scope);
  if (reader.rest === '') throw new Problem('{% with %} needs a name and a value, as in {% with city=user.city %}');
  if (!/^\w+\s*=(?!=)/.test(reader.rest)) {
    const { evaluate, safe } = reader.value();
    if (!reader.take('as')) throw new Problem('a name was expected, as in {% with user.city as city %}');
    const inside = scope.inner();
    const slot = inside.add(reader.name(), safe);
    reader.end();
    return assigned([{ slot, evaluate }], compiler.block(inside, tag, ['endwith']).body);
  }
  const { scope: inside, list } = assignments(reader, scope);
  reader.end();
  return assigned(list, compiler.block(inside, tag, ['endwith']).body);
}

/** {% include "name" %}, {% include "name" with a=x only %} */
function includeTag(compiler: TagCompiler, tag: TagToken, scope: Scope): Item {
  const reader = compiler.reader(tag, scope);
  const name = reader.text();
  const given = reader.take('with') ? assignments(reader, scope) : { scope: scope.inner(), list: [] };
  const only = reader.take('only');
  reader.end();
  const body = compiler.include(name, only ? given.scope.only() : given.scope);
  return given.list.length ? assigned(given.list, body) : body;
}

/** {% firstof a b "none" %}: the first that is true. */
function firstOfTag(compiler: TagCompiler, tag: TagToken, scope: Scope): Item {
  const reader = compiler.reader(tag, scope);
  const choices: Body[] = [];
  const tests: Evaluate[] = [];
  while (reader.rest !== '') {
    const { evaluate, safe } = reader.value();
    tests.push(evaluate);
    choices.push(compiler.shown(evaluate, safe));
  }
  if (choices.length === 0) throw new Problem('{% firstof %} needs at least one value');
  return changing((frame) => {
    const chosen = tests.findIndex((test) => isTrue(test(frame)));
    choices[chosen]?.piece(frame);
  }, choices.length);
}

/** {% requires_value user.city %}: without it there is no mail. */
function requiresValueTag(compiler: TagCompiler, tag: TagToken, scope: Scope): Item {
  const reader = compiler.reader(tag, scope);
  const source = reader.rest;
  const { evaluate } = reader.value();
  reader.end();
  return changing((frame) => {
    demand(evaluate(frame), source);
  }, 1);
}

/** {% now "j F Y" %} */
function nowTag(compiler: TagCompiler, tag: TagToken, scope: Scope): Item {
  const reader = compiler.reader(tag, scope);
  const format = reader.text();
  reader.end();
  const now = scope.read(['now']).evaluate;
  return compiler.shown((frame) => {
    const date = now(frame);
    spendSteps(frame, format.length);
    return date instanceof Date ? formatDate(date, format) : textOf(date);
  }, false);
}

/** {% once %} … {% endonce %}: shown the first time a loop comes by, and no more. */
function onceTag(compiler: TagCompiler, tag: TagToken, scope: Scope): Item {
  compiler.reader(tag, scope).end();
  const slot = scope.slot();
  const { body } = compiler.block(scope, tag, ['endonce']);
  return changing((frame) => {
    if (frame.locals[slot] === true) return;
    frame.locals[slot] = true;
    body.piece(frame);
  }, 1 + body.weight);
}

function commentTag(compiler: TagCompiler, tag: TagToken): Item {
  compiler.skip(tag, 'endcomment');
  return '';
}

/** Every tag there is, by Django's names; docs/templates.md shows each at work. */
export const TAGS: ReadonlyMap<string, Tag> = new Map(
  Object.entries({
    comment: commentTag,
    firstof: firstOfTag,
    for: forTag,
    if: ifTag,
    include: includeTag,
    // Every tag is always there; the line is left in so that templates written elsewhere work.
    load: () => '',
    now: nowTag,
    once: onceTag,
    report: reportTag,
    requires_value: requiresValueTag,
    with: withTag,
  } satisfies Record<string, Tag>),
);
