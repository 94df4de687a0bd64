// Hours of the day in which bulk mail may leave. Time zones are read from the runtime's tables, which differ between versions: for activities, not workflows.

const DAY = 86_400_000;
const MINUTE = 60_000;

export interface SendingHours {
  /** Milliseconds of the day; `until` may be the smaller one: over midnight. */
  from: number;
  until: number;
  clock: Intl.DateTimeFormat;
  /** As an operator wrote it. */
  shown: string;
}

/**
 * Reads the hours of a day.
 * @param hours `09:00-20:00`; absent is around the clock, as are two equal times
 * @throws RangeError for a time zone nobody knows
 */
export function readSendingHours(hours: string | undefined, timeZone: string): SendingHours | null {
  const clock = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const [from, until] = (hours ?? '').split('-').map((time) => {
    const [hour, minute] = time.split(':').map(Number);
    return (hour! * 60 + (minute ?? 0)) * MINUTE;
  });
  return until === undefined || from === until ? null : { from: from!, until, clock, shown: `${hours} ${timeZone}` };
}

/** How the hours stand at a time: how long they last, or when they begin. Milliseconds since the epoch. */
export function hoursAt(hours: SendingHours, now: number): { open: true; closesInMs: number } | { open: false; opensAt: number } {
  const time = timeOfDay(hours, now);
  if (isOpen(hours, time)) return { open: true, closesInMs: (hours.until - time + DAY) % DAY };
  const plain = now + ((hours.from - time + DAY) % DAY);
  // Where clocks are changed in between, the plain sum is an hour wrong.
  const change = ((hours.from - timeOfDay(hours, plain) + 1.5 * DAY) % DAY) - DAY / 2;
  const opensAt = [plain + change, plain].find((at) => at > now && isOpen(hours, timeOfDay(hours, at)));
  return { open: false, opensAt: opensAt ?? now + MINUTE };
}

const isOpen = ({ from, until }: SendingHours, time: number) =>
  from < until ? time >= from && time < until : time >= from || time < until;

function timeOfDay({ clock }: SendingHours, at: number): number {
  const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return ((parts['hour']! * 60 + parts['minute']!) * 60 + parts['second']!) * 1000 + (((at % 1000) + 1000) % 1000);
}
