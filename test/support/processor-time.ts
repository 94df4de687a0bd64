/** Processor time that this thread takes for `work`, in milliseconds: whatever else the machine has to do is not in it. */
export function processorMs(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}

/** The most processor time that this thread takes between two turns of its event loop, while `work` goes on, in milliseconds: so long nobody else is answered. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let [longest, over] = [0, false];
  let last = process.threadCpuUsage();
  const look = () => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1000);
    last = now;
  };
  const turn = () => {
    look();
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    look();
    over = true;
  }
  return longest;
}
