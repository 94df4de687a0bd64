import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { errorInLog } from '../../domain/error-in-log.ts';

describe('an error in a log', () => {
  const messageOf = (message: string, code?: string) => errorInLog(Object.assign(new Error(message), code && { code })).message;

  it('has none of the values its message quotes, and of a wrong statement what it says of it', () => {
    equal(
      messageOf('invalid input syntax for type integer: "Ann "the boss" Smith"', '22P02'),
      'invalid input syntax for type integer: "…"',
    );
    equal(messageOf('Unexpected token \'A\', "Ann Lee" is not valid JSON'), 'Unexpected token \'…\', "…" is not valid JSON');
    equal(messageOf('column "colour" of "Ann" does not exist', '42703'), 'column "colour" of "…" does not exist');
    equal(messageOf('gone\n - detail: Key (name)=(Ann) is\ngone.\n - hint: Ann'), 'gone');
    equal(messageOf('no answer about ann@example.org'), 'no answer about [address]');
  });

  it('says where it was thrown and why, and keeps nothing that was given', () => {
    const cause = Object.assign(new Error('Ann'), { input: 'Ann', parameters: ['Ann'], detail: 'Ann', where: 'Ann' });
    cause.message = 'lost';
    const found = errorInLog(new TypeError('a line "Ann\n    at Ann"', { cause: Object.assign(cause, { table: 'core_user' }) }));
    match(found.stack, /^ {4}at .*error-in-log\.test/);
    deepEqual([found.type, found.message, found.cause?.message, found.cause?.table], ['TypeError', 'a line "…"', 'lost', 'core_user']);
    ok(!JSON.stringify(found).includes('Ann'), JSON.stringify(found));
    equal(errorInLog(new AggregateError(Array(100).fill(new Error('one')))).errors?.length, 5);
    deepEqual(errorInLog('Ann'), { type: 'string', message: '', stack: '' });
  });
});
