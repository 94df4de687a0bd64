import { readFileSync } from 'node:fs';

// Loaded into a worker before anything else (node --import): on SIGUSR2 its wall clock jumps to what TURNED_CLOCK_FILE says, in seconds from the truth. The
// monotonic clock goes on, as it does when somebody sets a machine's time.

const RealDate = Date;
let offsetMs = 0;

class TurnedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + offsetMs);
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}

globalThis.Date = new Proxy(TurnedDate, {
  // Date() without new is the time as text.
  apply: () => new TurnedDate().toString(),
}) as unknown as DateConstructor;

process.on('SIGUSR2', () => {
  offsetMs = Number(readFileSync(process.env['TURNED_CLOCK_FILE']!, 'utf8')) * 1000;
});
