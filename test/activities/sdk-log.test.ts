import { deepEqual } from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { sdkFields } from '../../activities/sdk-log.ts';

describe('what the SDK says beside a line of its log', () => {
  it('has the words of an error, also of one that comes out of a workflow, and nobody in them', () => {
    const error = runInNewContext(`new TypeError('no way to ann@example.org')`);
    const { error: said, ...others } = sdkFields({ workflowId: 'mailing-7-send', taskToken: 'x', error });
    deepEqual(others, { workflowId: 'mailing-7-send' });
    deepEqual([typeof said, /no way to/.test(String(said)), /ann@/.test(String(said))], ['string', true, false]);
  });
});
