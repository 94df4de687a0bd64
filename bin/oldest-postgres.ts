import { OLDEST } from '../db/server-version.ts';
import { fetchPrograms, runOnOldest, TESTS } from '../tools/oldest-postgres/run.ts';
import { command } from './command.ts';

// Whether the platform runs on the oldest PostgreSQL it says it does. Ends with 0 only when the tests pass.
const USAGE = `npm run oldest-postgres -- [FILE…] [--if-there]   without files those tests that go through most of the statements
  --if-there   does nothing, and says so, where npm cannot fetch that server`;

const options = { 'if-there': { type: 'boolean', default: false } } as const;

await command(
  USAGE,
  options,
  async (files, { 'if-there': ifThere }) => {
    const why = fetchPrograms();
    if (why === null) process.exitCode = runOnOldest(files.length ? files : TESTS) ? 0 : 1;
    else if (ifThere) console.log(`PostgreSQL ${OLDEST} could not be fetched: nothing was tried on it.`);
    else throw new Error(`PostgreSQL ${OLDEST} could not be fetched: ${why}`);
  },
  Number.POSITIVE_INFINITY,
);
