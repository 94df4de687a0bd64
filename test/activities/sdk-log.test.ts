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

describe('the log of a worker while Temporal is away for an hour', () => {
  it('has a line a minute of each kind of call, and all else', () => {
    let seconds = 0;
    const isNews = newsOfTheSdk(() => seconds * 1000);
    const said = new Map<string, number>();
    const say = (message: string) =>
      isNews(message) && said.set(message.split(' retried')[0]!, (said.get(message.split(' retried')[0]!) ?? 0) + 1);
    for (; seconds < 3600; seconds += 10) {
      for (let poll = 0; poll < 16; poll++) say(`gRPC call poll_activity_task_queue retried ${6 + seconds / 10} times`);
      for (let poll = 0; poll < 5; poll++) say(`gRPC call poll_workflow_task_queue retried ${6 + seconds / 10} times`);
      say('Activity failed');
    }
    deepEqual(Object.fromEntries(said), {
      'gRPC call poll_activity_task_queue': 60,
      'gRPC call poll_workflow_task_queue': 60,
      'Activity failed': 360,
    });
  });
});
