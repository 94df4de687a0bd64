import assert from 'node:assert/strict';
import { failureOf, ReportsAwayError } from '../../../core/reports/report-bounds.ts';
import { StatementError } from '../../../domain/reports/statement-error.ts';

describe('what the database says of a report', () => {
  const reading = { reportDatabaseUrl: '', timeoutMs: 1000, maxRows: 1 };
  const failure = (code: string, message: string) => failureOf({ code, message }, reading).constructor;

  it('is the fault of the statement where it would be said again', () => {
    assert.equal(failure('XX000', 'tsvector_update_trigger: not fired by trigger manager'), StatementError);
    assert.equal(failure('XX000', 'variable not found in subplan target list'), StatementError);
    assert.equal(failure('22012', 'division by zero'), StatementError);
  });

  it('is to be tried again where the database is going away, or what is read is made anew', () => {
    for (const [code, message] of [
      ['XX000', 'cache lookup failed for relation 16384'],
      ['XX000', 'could not open relation with OID 16384'],
      ['XX001', 'invalid page in block 0'],
      ['57P01', 'terminating connection due to administrator command'],
      ['', 'the connection was lost'],
    ] as const)
      assert.equal(failure(code, message), ReportsAwayError, message);
  });
});
