import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventsPerMinute, SendStage } from './support/send-stage.ts';

/** Sends of one size: the smaller, the more of them, for one of ten thousand is over in a second. */
const TIMES: [upTo: number, times: number][] = [
  [20_000, 5],
  [200_000, 2],
];

interface Grown {
  recipients: number;
  sends: number;
  /** From the first mail to the last, and what of that is the one of the first row. */
  microsecondsPerMail: number;
  ratioToFirst: number;
  mailsPerSecond: number;
  cpuMicrosecondsPerMail: number;
  /** From the request to queue to the first mail accepted. */
  secondsToFirstMail: number;
  /** The most any worker process has had up to then. */
  peakWorkerMegabytes: number;
  workflowEvents: number;
  /** Null where the send lasted less than a minute. */
  eventsPerMinute: number | null;
  ledgerBytesPerRecipient: number;
}

/**
 * What a mail costs as mailings grow: 10,000, 100,000 and 1,000,000 recipients, and whatever --recipients says (10000000 takes its time and 20 GB of disk).
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: { recipients: { type: 'string', default: '1000000' }, workers: { type: 'string', default: '1' } },
  });
  const most = Number(values.recipients);
  const sizes = [10_000, 100_000, 1_000_000].filter((size) => size < most).concat(most);
  const stage = await SendStage.open(most, Number(values.workers));
  try {
    await sendTo(stage, sizes[0]!, 1);
    const grown: Grown[] = [];
    for (const size of sizes) {
      const times = TIMES.find(([upTo]) => size <= upTo)?.[1] ?? 1;
      const one = await sendTo(stage, size, times);
      const first = grown[0]?.microsecondsPerMail ?? one.microsecondsPerMail;
      grown.push({ ...one, ratioToFirst: round2(one.microsecondsPerMail / first) });
      console.log(grown.at(-1));
    }
    console.table(grown);
    return { grown };
  } finally {
    await stage.close();
  }
}

async function sendTo(stage: SendStage, recipients: number, sends: number): Promise<Omit<Grown, 'ratioToFirst'>> {
  let [seconds, cpu, toFirst, events, ledger] = [0, 0, 0, 0, 0];
  for (let n = 0; n < sends; n++) {
    const before = await stage.ledgerBytes();
    const mailing = await stage.mailing({ limit: recipients });
    const [cpuBefore, asked] = [stage.cpuSeconds(), performance.now()];
    const accepted = () => stage.accepted(mailing);
    await stage.queue(mailing);
    while ((await accepted()) === 0) await sleep(2);
    const first = performance.now();
    const early = await accepted();
    // Until the last mail, not until the end is written down: of a small mailing that would be a good part.
    while ((await accepted()) < recipients) await sleep(recipients > 200_000 ? 100 : 5);
    seconds += ((performance.now() - first) / 1000) * (recipients / (recipients - early));
    toFirst += (first - asked) / 1000;
    await stage.ended(mailing);
    cpu += stage.cpuSeconds() - cpuBefore;
    events = await stage.eventsOf(mailing);
    ledger += (await stage.ledgerBytes()) - before;
  }
  const mails = recipients * sends;
  return {
    recipients,
    sends,
    microsecondsPerMail: round2((seconds * 1e6) / mails),
    mailsPerSecond: Math.round(mails / seconds),
    cpuMicrosecondsPerMail: round2((cpu * 1e6) / mails),
    secondsToFirstMail: round2(toFirst / sends),
    peakWorkerMegabytes: stage.peakWorkerMegabytes(),
    workflowEvents: events,
    eventsPerMinute: eventsPerMinute(events, seconds / sends),
    ledgerBytesPerRecipient: Math.round(ledger / mails),
  };
}

const round2 = (figure: number) => Math.round(figure * 100) / 100;
