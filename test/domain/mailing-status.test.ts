import assert from 'node:assert/strict';
import { InputError } from '../../domain/errors.ts';
import {
  afterQueue,
  checkEditable,
  checkProofs,
  checkRebuild,
  checkStop,
  type QueueFacts,
  statusWord,
} from '../../domain/mailing-status.ts';
import { MAILING_STATUSES } from '../../domain/words.ts';

const now = new Date('2030-01-01T12:00:00Z');
const ready: QueueFacts = {
  status: 'draft',
  subjects: 1,
  includes: {},
  excludes: {},
  html: '<p>x</p>',
  hasFromLine: true,
  queryStatus: 'saved',
  targetingVersion: 3,
  targetingVersionSaved: 3,
  savedCount: 10,
  rebuildQueryAtSend: false,
  scheduledFor: null,
  sendingEnabled: true,
  stopRequested: false,
};

const refused = (run: () => unknown, field: string) =>
  assert.throws(run, (error: unknown) => error instanceof InputError && field in error.fields);

describe('the status of a mailing', () => {
  it('lets a ready draft be queued, and what was stopped or died go on', () => {
    for (const status of ['draft', 'stopped', 'died'] as const) assert.equal(afterQueue({ ...ready, status }, now), 'queued');
  });

  it('schedules for a time to come, and queues at once for a time gone by', () => {
    assert.equal(afterQueue({ ...ready, scheduledFor: new Date('2030-01-01T12:00:01Z') }, now), 'scheduled');
    assert.equal(afterQueue({ ...ready, scheduledFor: new Date('2030-01-01T12:00:00Z') }, now), 'queued');
  });

  it('changes nothing for a scheduled mailing that is queued again', () => {
    assert.equal(afterQueue({ ...ready, status: 'scheduled', html: '' }, now), 'unchanged');
  });

  it('promises no send of a scheduled mailing that is just being stopped', () => {
    refused(() => afterQueue({ ...ready, status: 'scheduled', stopRequested: true }, now), 'status');
  });

  it('queues nothing else', () => {
    for (const status of MAILING_STATUSES.filter((word) => !['draft', 'stopped', 'died', 'scheduled'].includes(word))) {
      refused(() => afterQueue({ ...ready, status }, now), 'status');
    }
  });

  const missing: [string, Partial<QueueFacts>][] = [
    ['subjects', { subjects: 0 }],
    ['html', { html: ' \n' }],
    ['fromline', { hasFromLine: false }],
    ['sending', { sendingEnabled: false }],
    ['query_status', { queryStatus: 'none', targetingVersionSaved: null, savedCount: null }],
    ['query_status', { targetingVersionSaved: 2 }],
    ['query_status', { queryStatus: 'invalid' }],
    ['query_status', { savedCount: 0 }],
    ['zip_radius', { includes: { zip_radius: 5 }, rebuildQueryAtSend: true }],
    ['query_status', { queryStatus: 'rebuilding', rebuildQueryAtSend: true }],
  ];
  for (const [field, facts] of missing) {
    it(`refuses to queue for ${field}: ${JSON.stringify(facts)}`, () => refused(() => afterQueue({ ...ready, ...facts }, now), field));
  }

  it('does not ask for a rebuild of what could not be rebuilt', () => {
    for (const status of ['sending', 'completed'] as const) {
      assert.throws(
        () => afterQueue({ ...ready, status, queryStatus: 'invalid', targetingVersion: 4 }, now),
        (error: InputError) => assert.deepEqual(Object.keys(error.fields), ['status']) === undefined,
      );
    }
  });

  it('says everything that is missing at once', () => {
    assert.throws(
      () => afterQueue({ ...ready, html: '', subjects: 0, savedCount: 0 }, now),
      (error: InputError) => assert.deepEqual(Object.keys(error.fields).sort(), ['html', 'query_status', 'subjects']) === undefined,
    );
  });

  it('needs no saved set when it rebuilds at send', () => {
    const facts = { ...ready, rebuildQueryAtSend: true, queryStatus: 'none' as const, targetingVersionSaved: null, savedCount: null };
    assert.equal(afterQueue(facts, now), 'queued');
  });

  it('stops what is under way or recurring', () => {
    const stoppable = ['scheduled', 'queued', 'rebuilding_at_send', 'sending', 'recurring'];
    for (const status of MAILING_STATUSES) {
      if (stoppable.includes(status)) checkStop(status);
      else refused(() => checkStop(status), 'status');
    }
  });

  it('never rebuilds what is being sent or was sent', () => {
    for (const status of ['queued', 'rebuilding_at_send', 'sending', 'completed', 'recurring'] as const)
      refused(() => checkRebuild(status), 'status');
    for (const status of ['draft', 'stopped', 'died'] as const) checkRebuild(status);
  });

  it('sends proofs of a draft with a current set only', () => {
    checkProofs(ready);
    refused(() => checkProofs({ ...ready, status: 'stopped' }), 'status');
    refused(() => checkProofs({ ...ready, queryStatus: 'invalid' }), 'query_status');
    refused(() => checkProofs({ ...ready, savedCount: 0 }), 'query_status');
  });

  it('freezes content and schedule while sending, and content once sent; the targeting may change at any time', () => {
    const all = { html: 'content', landing_page: 'narrowing', limit: 'targeting', scheduled_for: 'schedule', notes: 'note' } as const;
    checkEditable('draft', all);
    checkEditable('scheduled', all);
    for (const status of ['queued', 'rebuilding_at_send', 'sending'] as const) {
      assert.throws(
        () => checkEditable(status, all),
        (error: InputError) => assert.deepEqual(Object.keys(error.fields), ['html', 'landing_page', 'scheduled_for']) === undefined,
      );
    }
    refused(() => checkEditable('completed', { html: 'content' }), 'html');
    checkEditable('completed', { notes: 'note', mergefile: 'narrowing' });
    for (const status of MAILING_STATUSES) checkEditable(status, { limit: 'targeting', notes: 'note' });
  });

  it('words the moments the status document has no word for', () => {
    assert.equal(statusWord('draft', 'saved'), 'draft');
    assert.equal(statusWord('draft', 'rebuilding'), 'rebuilding');
    assert.equal(statusWord('draft', 'queued'), 'rebuilding');
    assert.equal(statusWord('rebuilding_at_send', 'rebuilding'), 'rebuilding');
    assert.equal(statusWord('queued', 'saved'), 'sending');
    assert.equal(statusWord('scheduled', 'rebuilding'), 'scheduled');
  });
});
