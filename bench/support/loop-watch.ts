// Preloaded into a process whose event loop a bench watches. Between two turns of the loop nothing else is served: how long that lasted at most is told to
// the parent when it asks, and forgotten.

const EVERY_MS = 2;

export interface Held {
  /** Milliseconds of the thread's own processor time: what it would be on a machine with nothing else to do. */
  cpuMs: number;
  /** Milliseconds by the clock, other processes' turns on the processor included. */
  wallMs: number;
  /** Bytes. */
  memory: number;
}

const cpuNow = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

let longest = { cpuMs: 0, wallMs: 0 };
let last = { cpu: cpuNow(), wall: performance.now() };

function look(): void {
  const now = { cpu: cpuNow(), wall: performance.now() };
  longest = {
    cpuMs: Math.max(longest.cpuMs, now.cpu - last.cpu),
    wallMs: Math.max(longest.wallMs, now.wall - last.wall - EVERY_MS),
  };
  last = now;
}

if (process.send) {
  setInterval(look, EVERY_MS).unref();
  process.on('message', () => {
    look();
    process.send!({ ...longest, memory: process.memoryUsage.rss() } satisfies Held);
    longest = { cpuMs: 0, wallMs: 0 };
  });
  // A bench that was ended leaves nothing behind.
  process.on('disconnect', () => process.exit(1));
}
