import { temporalBinary } from '../embedded/temporal-binary.ts';
import { timeSkippingServer } from '../embedded/time-skipping.ts';
import { takeNothing } from './command.ts';

// Gets the servers the tests need, once per machine, so that no test's time is spent on it.
takeNothing('node bin/get-servers.ts');
const say = (what: string) => console.log(`… ${what}`);
try {
  await temporalBinary(process.env['TEMPORAL_CLI_PATH'], say);
  await timeSkippingServer(say);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
