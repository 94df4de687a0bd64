import assert from 'node:assert/strict';
import { bindPlaceholders, placeholderNames } from '../../domain/reports/placeholders.ts';
import { checkStatement } from '../../domain/reports/statement.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import { processorMs } from '../support/processor-time.ts';

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

  const times = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => text(n)).join('');
  const doubled = (levels: number) => {
    let text = `select email as x from core_user`;
    for (let n = 0; n < levels; n++) text = `select x || x as x from (${text}) s${n}`;
    return text;
  };
  const tooLarge: [string, string, RegExp][] = [
    ['relations', `select 1 from core_tag${times(50, (n) => ` cross join (values (1)) v${n}`)}`, /more than 50 tables/],
    ['SELECTs', `select 1${times(100, () => ' union all select 1')}`, /more than 100 SELECTs/],
    ['NATURAL joins', `select 1 from core_user a${times(4, (n) => ` natural join core_user u${n}`)}`, /more than 3 NATURAL/],
    ['equalities', `select 1 from core_user a, core_user b where ${times(121, () => 'a.id = b.id and ')} true`, /more than 120 equalities/],
    ['columns of USING', `select 1 from a join b using (${times(121, (n) => `${n ? ',' : ''}c${n}`)})`, /more than 120 equalities/],
    ['sorts', `select ${times(31, (n) => `${n ? ',' : ''}count(distinct id + ${n})`)} from core_user`, /more than 30 window/],
    ['brackets', `select ${'('.repeat(201)}1${')'.repeat(201)}`, /nested too deeply/],
    ['expressions in each other', `select 1${' + 1'.repeat(301)}`, /nested too deeply/],
    ['expressions deep in a function', `select repeat('x', 1${'+1'.repeat(5000)})`, /nested too deeply/],
    ['parts', `select 1 from core_user where id in (1${',1'.repeat(48_000)}) or zip in ('1'${`,''`.repeat(1000)})`, /longer|parts/],
    ['NOT MATERIALIZED', 'with a as not materialized (select 1) select 1 from a', /NOT MATERIALIZED/],
    ['columns that double with each level', doubled(17), /AS MATERIALIZED/],
    [
      'the same in WITH',
      `with ${times(17, (n) => `c${n} as (select x || x as x from ${n ? `c${n - 1}` : 'core_user'}), `)} z as (select 1) select x from c16`,
      /AS MATERIALIZED/,
    ],
    [
      'the same sideways',
      `select 1 from core_user${times(17, (n) => `, lateral (select ${n ? `s${n - 1}.x || s${n - 1}.x` : 'email'} as x) s${n}`)}`,
      /AS MATERIALIZED/,
    ],
    [
      'the same with VALUES',
      `select 1 from core_user${times(17, (n) => `, lateral (values (${n ? `s${n - 1}.x || s${n - 1}.x` : 'email'})) s${n}(x)`)}`,
      /AS MATERIALIZED/,
    ],
    [
      'the same as whole rows',
      `select s::text from (select ${times(300, (n) => `${n ? ',' : ''}(s::text) as c${n}`)} from (select ${times(300, (n) => `${n ? ',' : ''}id as c${n}`)} from core_user) s) s`,
      /AS MATERIALIZED/,
    ],
    ['BETWEEN in BETWEEN', `select ${'('.repeat(9)}true${' between symmetric true and false)'.repeat(9)}`, /AS MATERIALIZED/],
    ['a length in digits', `select repeat('x', 1000000000)`, /1000000 at most/],
    ['a length as a power of ten', `select lpad('x', 1e9::int)`, /1000000 at most/],
  ];
  for (const [what, text, message] of tooLarge) {
    it(`bounds ${what}`, () =>
      assert.rejects(checkStatement(text), (error: Error) => error instanceof StatementError && message.test(error.message)));
  }

  const large: [string, string][] = [
    ['20,000 ids', `select id from core_user where id in (1${',7'.repeat(20_000)})`],
    [
      'WITH that builds on WITH',
      `with a as (select id, case when zip > '' then zip else city end as x from core_user), b as (select coalesce(x, x) as x from a), c as (select x || x as y from b) select y, count(*) from c group by 1`,
    ],
    [
      'forty joins',
      `select count(*) from core_user u${times(40, (n) => ` left join core_userfield f${n} on f${n}.parent_id = u.id and f${n}.name = 'f${n}'`)}`,
    ],
    [
      'levels kept apart',
      `with ${times(20, (n) => `c${n} as materialized (select x || x as x from ${n ? `c${n - 1}` : 'core_user'}), `)} z as (select 1) select x from c19`,
    ],
    ['a long text of pieces', `select ${times(100, () => `'piece' || `)} ''`],
  ];
  for (const [what, text] of large) it(`takes ${what}`, () => checkStatement(text));

  it('finds the places of a statement', () => {
    assert.deepEqual(placeholderNames(`select {{ a }}, {b}, '%{ {{a}}', '{1,2}'::int[]`), ['a', 'b']);
  });

  it('binds places, alone, as a whole quoted text, inside one, and as lists', () => {
    assert.deepEqual(bindPlaceholders('select {{ a }} where x in ({list})', { a: 5, list: ['p', 'q'] }), {
      text: 'select $1 where x in ($2, $3)',
      values: ['5', 'p', 'q'],
      places: ['a', 'list', 'list'],
    });
    assert.deepEqual(bindPlaceholders(`select '{{ a }}'`, { a: 'x' }), { text: 'select $1', values: ['x'], places: ['a'] });
    assert.deepEqual(bindPlaceholders(`select 'it''s {a}!' || "{a}"`, { a: 'x' }).values, ['x']);
    assert.deepEqual(bindPlaceholders(`select 1 /* {b} */ -- {c}`, {}), { text: 'select 1 /* {b} */ -- {c}', values: [], places: [] });
    assert.equal(bindPlaceholders(`select '%{a}%'`, { a: 'x' }).text, `select ('%' || coalesce($1::text, '') || '%')`);
    assert.equal(
      bindPlaceholders(`select now() - interval '{{ n }} days'`, { n: 5 }).text,
      `select now() - cast(('' || coalesce($1::text, '') || ' days') as interval)`,
    );
    assert.equal(bindPlaceholders('select {a}, ({b})', { a: null, b: [] }).text, 'select null, (null)');
  });

  it('takes no word of a comment for the type of a text behind it', () => {
    const { text } = bindPlaceholders(`select 1, -- since what time\n'{a}'`, { a: 'x' });
    assert.equal(text, 'select 1, -- since what time\n$1');
  });

  it('binds many places in little time, whatever stands before them', () => {
    const statement = `select time${' '.repeat(60_000)}x${`'{a}',`.repeat(6000)}`;
    const took = processorMs(() => bindPlaceholders(statement, { a: 'x' }));
    assert.equal(took < 500, true, `it took ${took} ms`);
  });

  it('names what was not given, and never takes names of Object.prototype for given', () => {
    assert.throws(() => bindPlaceholders('select {a}, {toString}', { a: 1 }), /Parameters not given: toString/);
  });
});
