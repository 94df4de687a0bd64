import assert from 'node:assert/strict';
import { wrongArrows } from '../../config/arrows.ts';

describe('the check of import arrows', () => {
  const of = (file: string, source: string) => wrongArrows({ [file]: source });

  it('finds an import that goes the wrong way', () => {
    assert.deepEqual(of('api/mailer/queue.ts', `import { runSlice } from '../../activities/sending/slice.ts';`), [
      'api/mailer/queue.ts → activities/sending/slice.ts',
    ]);
    assert.deepEqual(of('domain/akid.ts', `import {\n  readEnv,\n} from '../config/env.ts';`), ['domain/akid.ts → config/env.ts']);
    assert.deepEqual(of('activities/index.ts', `export * from '../api/app.ts';`), ['activities/index.ts → api/app.ts']);
    assert.deepEqual(of('mail/compile.ts', `const app = await import('../embedded/smtp-sink.ts');`), [
      'mail/compile.ts → embedded/smtp-sink.ts',
    ]);
    assert.deepEqual(of('mail/compile.ts', `import '../api/app.ts';`), ['mail/compile.ts → api/app.ts']);
    assert.deepEqual(of('activities/sweep.ts', `import { sweep } from '../workflows/sweep.ts';`), [
      'activities/sweep.ts → workflows/sweep.ts',
    ]);
  });

  it('lets workflows name the types of activities, and nothing else of them', () => {
    assert.deepEqual(of('workflows/sweep.ts', `import type { SweepActivities } from '../activities/sweep.ts';`), []);
    assert.deepEqual(of('workflows/sweep.ts', `import { createSweepActivities } from '../activities/sweep.ts';`), [
      'workflows/sweep.ts → activities/sweep.ts',
    ]);
  });

  it('passes what is allowed, packages, and folders without arrows', () => {
    assert.deepEqual(
      of('api/app.ts', `import Fastify from 'fastify';\nimport { entities } from '../entities/index.ts';\nimport './errors.ts';`),
      [],
    );
    assert.deepEqual(of('activities/sweep.ts', `import { TASK_QUEUE } from '../workflows/contracts.ts';`), []);
    assert.deepEqual(of('test/api/app.test.ts', `import { runSlice } from '../../activities/sending/slice.ts';`), []);
  });
});
