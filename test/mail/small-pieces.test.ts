import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startBounceListener } from '../../mail/bounce-listener.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Each dot that stands for two is a place at which the SMTP server cuts what came. */
const DOTS = '..\r\n'.repeat(120_000);
const TALK = [
  [/^220/m, 'EHLO x\r\n'],
  [/^250 SIZE/m, 'MAIL FROM:<>\r\n'],
  [/Accepted/, 'RCPT TO:<abuse@mail.example>\r\n'],
  [/Accepted.*Accepted/s, 'DATA\r\n'],
  [/^354/m, `\r\n${DOTS}`],
] as const;

describe('a report that comes in small pieces', () => {
  it('is held by the bounce listener in no more memory than it has bytes', async () => {
    const listener = await startBounceListener({
      host: '127.0.0.1',
      port: 0,
      domain: 'mail.example',
      secretKey: 'secret',
      complaintAddress: 'abuse@mail.example',
      take: async () => {},
    });
    const before = heap();
    const socket = connect(listener.port, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
    });
    for (const [answer, next] of TALK) {
      while (!answer.test(heard)) await sleep(10);
      socket.write(next);
    }
    socket.write('.\r\n');
    let most = 0;
    while (!/^250 taken/m.test(heard)) {
      await sleep(100);
      most = Math.max(most, heap() - before);
    }
    assert.ok(most < 7_000_000, `${most} bytes`);
    socket.destroy();
    await listener.close();
  });
});
