import { deepEqual } from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { newsOfTheSdk, sdkFields } from '../../activities/sdk-log.ts';

describe('what the SDK says beside a line of its log', () => {
  it('has the words of an error, also of one that comes out of a workflow, and nobody in them', () => {
    const error = runInNewContext(`new TypeError('no way to ann@example.org')`);
    const { error: said, ...others } = sdkFields({ workflowId: 'mailing-7-send', taskToken: 'x', error });
    deepEqual(others, { workflowId: 'mailing-7-send' });
    deepEqual([typeof said, /no way to/.test(String(said)), /ann@/.test(String(said))], ['string', true, false]);
  });
});

describe('the log of a worker, for an hour', () => {
  let seconds = 0;
  beforeEach(() => {
    seconds = 0;
  });
  /** @param lines what is said every ten seconds; @returns how many lines are written, by their first word, and what stands beside the last one */
  const written = (lines: () => [string, Record<string, unknown>?][]) => {
    const news = newsOfTheSdk(() => seconds * 1000);
    const counts: Record<string, number> = {};
    let last: Record<string, unknown> | null = null;
    for (; seconds < 3600; seconds += 10) {
      for (const [message, meta] of lines()) {
        const fields = news(message, meta);
        if (!fields) continue;
        const kind = message.split(' retried')[0]!;
        counts[kind] = (counts[kind] ?? 0) + 1;
        last = fields;
      }
    }
    return { counts, last: last as Record<string, unknown> | null };
  };

  it('has a line a minute of each kind of call while Temporal is away, and all else', () => {
    const polls = (queue: string, many: number) =>
      Array.from({ length: many }, (): [string] => [`gRPC call ${queue} retried ${6 + seconds / 10} times`]);
    const { counts } = written(() => [
      ...polls('poll_activity_task_queue', 16),
      ...polls('poll_workflow_task_queue', 5),
      ['Worker state changed'],
    ]);
    deepEqual(counts, {
      'gRPC call poll_activity_task_queue': 60,
      'gRPC call poll_workflow_task_queue': 60,
      'Worker state changed': 360,
    });
  });

  it('has a line a minute of each activity and what it failed with while the database is away, with how many there were', () => {
    const failed = (activityType: string, message: string): [string, Record<string, unknown>] => [
      'Activity failed',
      { activityType, attempt: seconds, error: new Error(message) },
    ];
    const { counts, last } = written(() => [
      ...[1, 2, 3].map((n) => failed('sync', `connect ECONNREFUSED 127.0.0.1:543${n}`)),
      failed('sweep', 'connect ECONNREFUSED'),
      failed('sweep', 'the disk is full'),
    ]);
    deepEqual(counts, { 'Activity failed': 3 * 60 });
    deepEqual(last, { activityType: 'sweep', attempt: 3540, error: 'the disk is full', alike: 5 });
  });
});
