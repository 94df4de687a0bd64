import { appendFileSync } from 'node:fs';

// Loaded into a worker before anything else (node --import): writes down, in milliseconds, when the machine did not let it run. What it used of the processor
// meanwhile does not count: that was its own work.

const EVERY_MS = 100;
const TOLD_MS = 300;

let [looked, used] = [performance.now(), process.cpuUsage()];
setInterval(() => {
  const { user, system } = process.cpuUsage(used);
  const late = performance.now() - looked - EVERY_MS - (user + system) / 1000;
  if (late > TOLD_MS) appendFileSync(process.env['LATE_FILE']!, `${Math.round(late)}\n`);
  [looked, used] = [performance.now(), process.cpuUsage()];
}, EVERY_MS).unref();
