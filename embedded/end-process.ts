import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Ends this process. Node's own end can last for ever: it waits for threads that compile, and one of those may be waiting for the memory that only the main thread can
 * clear up (nodejs/node#54918; seen in one of fifteen workers that ended while they were still starting). So nothing more is compiled beside the main thread, and memory is cleared up first.
 * @param code what whoever started it is told; without it what process.exitCode says
 */
export function endProcess(code = process.exitCode): never {
  for (const flag of ['--no-concurrent-sparkplug', '--no-concurrent-recompilation', '--expose-gc']) setFlagsFromString(flag);
  (runInNewContext('gc') as () => void)();
  // Told undefined, it would forget what process.exitCode says.
  process.exit(code);
}
