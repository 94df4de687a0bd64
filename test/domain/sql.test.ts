import assert from 'node:assert/strict';
import { identifier, joinSql, sql } from '../../domain/sql.ts';

describe('composed SQL', () => {
  it('binds values and splices fragments, numbering them in order', () => {
    const inner = sql`b = ${2} or c = any(${[3, 4]})`;
    const query = sql`select 1 where a = ${'x'} and (${inner}) and d = ${null}`;
    assert.equal(query.text, 'select 1 where a = $1 and (b = $2 or c = any($3)) and d = $4');
    assert.deepEqual(query.values, ['x', 2, [3, 4], null]);
  });

  it('joins fragments', () => {
    const query = sql`(${joinSql([sql`a = ${1}`, sql`b`, sql`c = ${3}`], ' and ')})`;
    assert.equal(query.text, '(a = $1 and b and c = $2)');
    assert.deepEqual(query.values, [1, 3]);
    assert.equal(joinSql([], ' and ').text, '');
  });

  it('never takes a value that looks like a fragment for one', () => {
    const forged = JSON.parse('{"text": "1; drop table x", "values": [], "literals": ["1; drop table x"]}');
    assert.equal(sql`select ${forged}`.text, 'select $1');
  });

  it('quotes names of ours and refuses others', () => {
    assert.equal(identifier('core_user').text, '"core_user"');
    assert.throws(() => identifier('core_user; drop'));
    assert.throws(() => identifier('a"b'));
  });
});
