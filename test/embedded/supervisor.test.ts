import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { startChild } from '../../embedded/child.ts';
import { startWorkerProcess } from '../../embedded/programs.ts';
import { Supervisor } from '../../embedded/supervisor.ts';
import { dataFolder } from '../support/data-folder.ts';

describe('the supervisor', () => {
  const logFile = join(dataFolder(), 'part.log');
  const sleeper = () => startChild({ command: 'sleep', args: ['60'], logFile, stopSignal: 'SIGTERM' });

  it('starts a killed part again and ends all in order, the last first', async () => {
    const heard = new EventEmitter();
    const supervisor = new Supervisor({
      onCrash: (name, how) => heard.emit('crash', name, how),
      onRestart: (name) => heard.emit('up', name),
    });
    const endings: string[] = [];
    for (const name of ['database', 'api', 'worker-1', 'worker-2']) {
      const { exited } = await supervisor.add(name, sleeper);
      void exited.then(() => endings.push(name));
    }
    const killed = supervisor.pid('api')!;
    const crash = once(heard, 'crash');
    const up = once(heard, 'up');
    process.kill(killed, 'SIGKILL');
    assert.deepEqual(await crash, ['api', 'signal SIGKILL']);
    assert.deepEqual(await up, ['api']);
    assert.notEqual(supervisor.pid('api'), killed);
    await supervisor.stop();
    // Parts of one kind end side by side, in whatever order.
    assert.deepEqual([endings[0], endings.slice(1, 3).sort(), endings[3]], ['api', ['worker-1', 'worker-2'], 'database']);
    assert.equal(supervisor.pid('api'), undefined);
  });

  it('lets pauses grow while a part keeps failing', async () => {
    const pauses: number[] = [];
    const enough = Promise.withResolvers<void>();
    const supervisor = new Supervisor({
      onCrash: (_name, _how, pauseMs) => {
        pauses.push(pauseMs);
        if (pauses.length === 3) enough.resolve();
      },
    });
    await supervisor.add('broken', () => startChild({ command: 'false', args: [], logFile, stopSignal: 'SIGTERM' }));
    await enough.promise;
    assert.deepEqual(pauses, [0, 500, 1000]);
    await supervisor.stop();
  });

  it('says so when a program cannot be run', async () => {
    await assert.rejects(
      new Supervisor().add('absent', () => startChild({ command: '/nowhere/x', args: [], logFile, stopSignal: 'SIGTERM' })),
      /\/nowhere\/x cannot be run/,
    );
  });

  it('hears why a worker ended that refuses a setting: it is started again and again', async () => {
    const worker = await startWorkerProcess({ env: { PATH: process.env['PATH'], SEND_SLOTS: 'many' }, logFolder: dataFolder() }, 1);
    assert.equal(await worker.exited, 'code 1: Settings that cannot be used: SEND_SLOTS must be integer');
  });
});
