import { leaseClock } from './lease-clock.ts';

/** Others begin anew what gave no sign of life for fifteen seconds (`heartbeatTimeout` of the workflows): from somewhat less on nothing may be written any more. */
const LONGEST_MS = 10_000;
const LOOKS_EVERY_MS = 500;

/**
 * Does something that a process which stood still meanwhile (stopped, its machine suspended) may not go on with.
 * @param work is given what tells whether it may; once it may not, it never may again
 */
export async function whileAwake<Result>(work: (isAwake: () => boolean) => Promise<Result>): Promise<Result> {
  let seen = leaseClock();
  let awake = true;
  const isAwake = () => {
    const now = leaseClock();
    if (now - seen > LONGEST_MS) awake = false;
    seen = now;
    return awake;
  };
  const looks = setInterval(isAwake, LOOKS_EVERY_MS);
  try {
    return await work(isAwake);
  } finally {
    clearInterval(looks);
  }
}
