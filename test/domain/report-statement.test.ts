import assert from 'node:assert/strict';
import { bindPlaceholders, placeholderNames } from '../../domain/reports/placeholders.ts';
import { checkStatement, StatementError } from '../../domain/reports/statement.ts';

describe('statements of reports', () => {
  const good = [
    'select id from core_user',
    'with x as (select 1) select * from x;',
    'values (1), (2)',
    'select 1 union select 2',
    '(select 1)',
  ];
  for (const text of good) it(`takes ${text}`, () => checkStatement(text));

  const bad: [string, RegExp][] = [
    ['', /empty/],
    ['  ', /empty/],
    ['selec 1', /not valid SQL.*selec/],
    ['select 1; select 2', /One statement/],
    ['delete from core_user', /Only SELECT is allowed, not DELETE/],
    ['with x as (delete from core_user returning id) select * from x', /writes and locks nothing/],
    ['select * into copy from core_user', /writes and locks nothing/],
    ['select id from core_user for update', /writes and locks nothing/],
    ['copy core_user to program $$id$$', /not COPY/],
    ['set role postgres', /Only SELECT/],
    ['do $$ begin end $$', /not DO/],
    ['select 1 -- \0', /NUL/],
    [`select '${'x'.repeat(100_000)}'`, /longer/],
  ];
  for (const [text, message] of bad) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () =>
      assert.rejects(checkStatement(text), (error: Error) => error instanceof StatementError && message.test(error.message)));
  }

  it('finds the places of a statement', () => {
    assert.deepEqual(placeholderNames(`select {{ a }}, {b}, '%{ {{a}}', '{1,2}'::int[]`), ['a', 'b']);
  });

  it('binds places, alone, as a whole quoted text, inside one, and as lists', () => {
    assert.deepEqual(bindPlaceholders('select {{ a }} where x in ({list})', { a: 5, list: ['p', 'q'] }), {
      text: 'select $1 where x in ($2, $3)',
      values: ['5', 'p', 'q'],
    });
    assert.deepEqual(bindPlaceholders(`select '{{ a }}'`, { a: 'x' }), { text: 'select $1', values: ['x'] });
    assert.deepEqual(bindPlaceholders(`select 'it''s {a}!' || "{a}"`, { a: 'x' }).values, ['x']);
    assert.deepEqual(bindPlaceholders(`select 1 /* {b} */ -- {c}`, {}), { text: 'select 1 /* {b} */ -- {c}', values: [] });
    assert.equal(bindPlaceholders(`select '%{a}%'`, { a: 'x' }).text, `select ('%' || coalesce($1::text, '') || '%')`);
    assert.equal(
      bindPlaceholders(`select now() - interval '{{ n }} days'`, { n: 5 }).text,
      `select now() - cast(('' || coalesce($1::text, '') || ' days') as interval)`,
    );
    assert.equal(bindPlaceholders('select {a}, ({b})', { a: null, b: [] }).text, 'select null, (null)');
  });

  it('names what was not given, and never takes names of Object.prototype for given', () => {
    assert.throws(() => bindPlaceholders('select {a}, {toString}', { a: 1 }), /Parameters not given: toString/);
  });
});
