import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../../../tools/demo/options.ts';
import { readPeople } from '../../../tools/demo/people.ts';
import { Receipts } from '../../../tools/demo/receipts.ts';
import { judge } from '../../../tools/demo/verdict.ts';
import { dataFolder } from '../../support/data-folder.ts';

const SAMPLE = join(import.meta.dirname, '../../../tools/demo/sample-people.yaml');

describe('the demo', () => {
  it('has fifty people of its own, each with an address and a state', () => {
    const people = readPeople(SAMPLE);
    assert.equal(new Set(people.map(({ email }) => email)).size, 50);
    for (const { email, state, first_name } of people)
      assert.ok(/^[a-z.]+@people\.example$/.test(email) && state.length === 2 && first_name);
  });

  it('reads members of Congress as the public file writes them', () => {
    const file = join(dataFolder(), 'legislators.yaml');
    writeFileSync(file, '- id: { bioguide: C000127 }\n  name: { first: Maria, last: Cantwell }\n  terms: [{ state: OR }, { state: WA }]\n');
    assert.deepEqual(readPeople(file), [
      { email: 'c000127@legislators.example', first_name: 'Maria', last_name: 'Cantwell', state: 'WA', country: 'United States' },
    ]);
    writeFileSync(file, '- {}\n');
    assert.throws(() => readPeople(file), /entry 1 has neither an email nor a name/);
  });

  it('refuses options it cannot use, by name', () => {
    assert.equal(readOptions(['--recipients', '20', '--crash', 'api', '--people', SAMPLE]).crash, 'api');
    assert.throws(() => readOptions(['--recipients', 'many']), /--recipients/);
    assert.throws(() => readOptions(['--crash', 'sink']), /--crash takes one of worker, api, postgres, temporal/);
    assert.throws(() => readOptions(['--people', '/nowhere']), /\/nowhere/);
    assert.throws(() => readOptions(['--rate', '0']), /--rate/);
  });

  it('counts what arrived, apart from proofs, and acts in the moment it is told to', () => {
    const receipts = new Receipts(['reviewer@example.org']);
    let acted = 0;
    receipts.when(2, () => acted++);
    for (const address of ['a@example.org', 'reviewer@example.org', 'A@example.org']) receipts.add(address);
    assert.deepEqual([receipts.recipients, receipts.duplicated, acted], [1, 1, 0]);
    receipts.add('b@example.org');
    receipts.add('c@example.org');
    assert.deepEqual([receipts.recipients, receipts.duplicated, acted], [3, 1, 1]);
    assert.ok(receipts.has('B@example.org') && !receipts.has('d@example.org'));
    assert.deepEqual(receipts.strangers(new Set(['a@example.org', 'b@example.org'])), ['c@example.org']);
  });

  describe('holds what was told against what arrived', () => {
    const told = { status: 'completed', targeted: 10, accepted: 6, failed: 1, skipped: 1, uncertain: 2 };
    const disagreements = (
      more: Partial<typeof told>,
      recipients: number,
      duplicated = 0,
      uncertainSeen = 1,
      strangers = 0,
      expected = 10,
    ) => judge({ ...told, ...more }, { recipients, duplicated, strangers, uncertainSeen }, expected).disagreements;

    it('and is content when one of two uncertain ones did arrive', () => assert.deepEqual(disagreements({}, 7), []));
    it('and finds somebody lost', () => {
      assert.deepEqual(judge(told, { recipients: 6, duplicated: 0, strangers: 0, uncertainSeen: 1 }, 10).lost, 1);
      assert.match(disagreements({}, 6).join(), /6 accepted, but mail for 5 arrived.*1 lost/);
    });
    it('and finds somebody mailed twice', () => assert.match(disagreements({}, 7, 1).join(), /1 mailed twice/));
    it('and finds sums that do not add up', () => assert.match(disagreements({ failed: 0 }, 8).join(), /do not add up to 10/));
    it('and finds a mailing that died', () => assert.match(disagreements({ status: 'died' }, 7).join(), /the mailing is died/));
    it('and finds a mailing to nobody', () => {
      assert.match(
        disagreements({ targeted: 0, accepted: 0, failed: 0, skipped: 0, uncertain: 0 }, 0, 0, 0, 0, 0).join(),
        /nobody was to get it/,
      );
    });
    it('and finds four who were never targeted, though all the sums agree', () =>
      assert.match(disagreements({}, 7, 0, 1, 0, 14).join(), /14 were to get it, 10 were targeted.*4 lost/));
    it('and finds somebody who was not to get it', () => assert.match(disagreements({}, 7, 0, 1, 1).join(), /1 got it who were not to/));
  });
});
