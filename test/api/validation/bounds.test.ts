import assert from 'node:assert/strict';
import { booleanTaken, takes } from '../../../api/validation/takes.ts';
import { RequestValidator } from '../../../api/validation/validator.ts';
import { InputError } from '../../../domain/errors.ts';
import { processorMs } from '../../support/processor-time.ts';

// What a hostile body may cost: one error for a field, a hundred for names nobody knows, and never more of the event loop than it takes to read it.

const SCHEMA = {
  type: 'object',
  required: ['name', 'flag'],
  properties: {
    name: takes('string', { type: 'string' }),
    flag: booleanTaken(),
    ids: takes('list', { type: 'array', items: { type: 'integer' } }, (value) => {
      if (!Array.isArray(value)) throw new Error('must be a list');
      for (const each of value) if (!Number.isInteger(each)) throw new Error('must hold whole numbers');
    }),
    inside: { type: 'object', properties: { flag: booleanTaken() }, additionalProperties: false },
  },
  additionalProperties: false,
};

describe('a request that is checked', () => {
  const check = new RequestValidator().check(SCHEMA, 'body');
  const refused = (body: unknown) => {
    const error = check(body);
    assert.ok(error instanceof InputError, String(error));
    return error.fields;
  };

  it('passes as it was sent, with what clients send for truth and numbers', () => {
    const body = { name: 7, flag: '1' };
    assert.equal(check(body), null);
    assert.deepEqual(body, { name: 7, flag: '1' });
  });

  it('is refused with a sentence for each field, in the order of the schema', () => {
    const fields = refused({ other: 1, inside: { flag: 'maybe', more: 1 }, ids: [1, 'a'], flag: 'perhaps' });
    assert.deepEqual(Object.entries(fields), [
      ['name', ['This field is required.']],
      ['flag', ['flag must be true or false.']],
      ['ids', ['ids must hold whole numbers.']],
      ['more', ['This is not taken here.']],
      ['other', ['This is not taken here.']],
    ]);
  });

  it('is named by fields alone, whatever they are called', () => {
    assert.deepEqual(Object.keys(refused(JSON.parse('{"name":"a","flag":true,"__proto__":1,"constructor":1}'))), [
      '__proto__',
      'constructor',
    ]);
  });

  it('is an object', () => {
    for (const body of [[], 'text', 1]) assert.deepEqual({ ...refused(body) }, { body: ['The body must be a JSON object.'] });
  });

  it('costs no more than reading it did, and makes a hundred sentences at most for names nobody knows', () => {
    const unknown = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`x${index}`, 1]));
    const wrong = { name: 'a', flag: true, ids: Array(1_000_000).fill('a') };
    for (const each of [unknown, wrong]) {
      const text = JSON.stringify(each);
      let body: object = {};
      let fields: object = {};
      const read = processorMs(() => {
        body = JSON.parse(text);
      });
      const took = processorMs(() => {
        fields = refused(body);
      });
      assert.ok(took < read + 50, `${took} ms to check what took ${read} ms to read`);
      assert.ok(Object.keys(fields).length <= 102);
    }
  });

  it('may not have a list whose members make an error each', () => {
    const schema = { type: 'object', properties: { ids: { type: 'array', items: { type: 'integer' } } } };
    assert.throws(() => new RequestValidator().check(schema, 'body'), /A list without a reader/);
  });
});
