import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { runDemo } from '../../tools/demo/demo.ts';

const people = join(import.meta.dirname, '../../tools/demo/sample-people.yaml');

describe('the main job, on all real parts', () => {
  it('loses nobody and mails nobody twice when the worker is killed in mid-send, and says openly of whom it does not know', async () => {
    const out = new PassThrough();
    let said = '';
    out.on('data', (text) => {
      said += text;
    });
    const options = { people, recipients: 3000, rate: null, crash: 'worker', json: true, keep: false } as const;
    const { result, disagreements, stop } = await runDemo(options, out as never);
    await stop();
    assert.deepEqual(disagreements, []);
    assert.match(said, /killing worker .*\n.*worker-1 ended \(signal SIGKILL\)/);
    assert.deepEqual(
      { targeted: result.targeted, lost: result.lost, duplicated: result.duplicated },
      { targeted: 3050, lost: 0, duplicated: 0 },
    );
    assert.ok(result.uncertain <= 2 * 32, `${result.uncertain} uncertain`);
    assert.equal(result.accepted + result.uncertain, 3050);
  });
});
