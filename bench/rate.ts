import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startSmtpSink } from '../embedded/smtp-sink.ts';
import { deviations } from './support/rate-windows.ts';
import { SendStage } from './support/send-stage.ts';

interface Row {
  workers: number;
  /** Mails per second asked for. */
  rate: number;
  mails: number;
  /** The slowest and the fastest minute, in percent of the rate. */
  slowest: number;
  fastest: number;
  /** The same over the minutes in which no worker was killed. */
  slowestUndisturbed: number;
  fastestUndisturbed: number;
}

/**
 * How well mails_per_second holds: mailings at several rates side by side, with one worker and with three, one of which is killed (SIGKILL) in the
 * middle. Measured from the relay's record: over every run of as many mails as a minute should have, how far the time they took is off.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      rates: { type: 'string', default: '0.5,7,300,3000' },
      workers: { type: 'string', default: '1,3' },
      minutes: { type: 'string', default: '2.5' },
      'no-death': { type: 'boolean', default: false },
    },
  });
  const rates = values.rates.split(',').map(Number);
  const seconds = Number(values.minutes) * 60;
  if (seconds < 70) throw new Error('--minutes: more than a minute is needed to measure one');
  const rows: Row[] = [];
  for (const workers of values.workers.split(',').map(Number)) {
    rows.push(...(await measure(workers, rates, seconds, !values['no-death'])));
    console.table(rows);
  }
  return { rows };
}

async function measure(workers: number, rates: number[], seconds: number, death: boolean): Promise<Row[]> {
  const times = new Map<string, number[]>();
  const sink = await startSmtpSink({
    keep: 0,
    onMail: ({ from }) => times.get(/^bounce\+(\d+)\./.exec(from)?.[1] ?? '')?.push(performance.now()),
  });
  const people = Math.ceil(Math.max(...rates) * (seconds + 20));
  const stage = await SendStage.open(people, workers, { SMTP_URL: sink.url });
  try {
    const mailings = new Map<number, string>();
    for (const rate of rates) {
      mailings.set(rate, await stage.mailing({ mails_per_second: rate, limit: Math.max(10, Math.ceil(rate * (seconds + 20))) }));
    }
    const idOf = (rate: number) => mailings.get(rate)!.split('/').at(-2)!;
    for (const rate of rates) {
      times.set(idOf(rate), []);
      await stage.queue(mailings.get(rate)!);
    }
    const diesAt = seconds / 2;
    await sleep(diesAt * 1000);
    const died = performance.now();
    if (death) {
      process.kill(stage.platform.supervisor.pid('worker-1') as number, 'SIGKILL');
      console.log(`${workers} worker${workers > 1 ? 's' : ''}: one was killed after ${diesAt} s`);
    }
    await sleep((seconds - diesAt) * 1000);
    for (const mailing of mailings.values()) await stage.stop(mailing);
    return rates.map((rate) => {
      const seen = times.get(idOf(rate))!;
      const all = deviations(seen, rate, 60);
      const undisturbed = deviations(seen, rate, 60, death ? died : null);
      return {
        workers,
        rate,
        mails: seen.length,
        slowest: all.slowest,
        fastest: all.fastest,
        slowestUndisturbed: undisturbed.slowest,
        fastestUndisturbed: undisturbed.fastest,
      };
    });
  } finally {
    await stage.close();
    await sink.close();
  }
}
