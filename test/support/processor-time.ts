/** Processor time that this thread takes for `work`, in milliseconds: whatever else the machine has to do is not in it. */
export function processorMs(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}
