import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

// Preloaded into a process that a bench looks into: the first SIGUSR2 begins to sample what it does, the second writes the samples to PROFILE_FILE.

const session = new Session();
let sampling = false;
process.on('SIGUSR2', async () => {
  if (sampling) {
    const { profile } = await session.post('Profiler.stop');
    sampling = false;
    writeFileSync(process.env['PROFILE_FILE']!, JSON.stringify(profile));
    return;
  }
  sampling = true;
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  await session.post('Profiler.start');
});
