import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
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
 * middle. With --lanes N up to so many slices of a mailing run side by side (by itself it is as many as there are workers); with --snapshot a transaction stays open in the database
 * all the while, as a report or a dump of an hour does. Measured from the relay's record: over every run of as many mails as a minute should have, how far the time they took is off.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      rates: { type: 'string', default: '0.5,7,300,3000' },
      workers: { type: 'string', default: '1,3' },
      minutes: { type: 'string', default: '2.5' },
      'no-death': { type: 'boolean', default: false },
      lanes: { type: 'string' },
      snapshot: { type: 'boolean', default: false },
    },
  });
  const rates = values.rates.split(',').map(Number);
  const seconds = Number(values.minutes) * 60;
  if (seconds < 70) throw new Error('--minutes: more than a minute is needed to measure one');
  const rows: Row[] = [];
  for (const workers of values.workers.split(',').map(Number)) {
    rows.push(...(await measure({ workers, rates, seconds, death: !values['no-death'], lanes: values.lanes, snapshot: values.snapshot })));
    console.table(rows);
  }
  return { rows };
}

interface Measured {
  workers: number;
  rates: number[];
  seconds: number;
  death: boolean;
  lanes: string | undefined;
  snapshot: boolean;
}

/** Slices a worker runs at a time, at most. */
const MOST_SLOTS = '64';

async function measure({ workers, rates, seconds, death, lanes, snapshot }: Measured): Promise<Row[]> {
  const times = new Map<string, number[]>();
  const sink = await startSmtpSink({
    keep: 0,
    onMail: ({ from }) => times.get(/^bounce\+(\d+)\./.exec(from)?.[1] ?? '')?.push(performance.now()),
  });
  const people = Math.ceil(Math.max(...rates) * (seconds + 20));
  const stage = await SendStage.open(people, workers, { SMTP_URL: sink.url, ...(lanes && { SEND_LANES: lanes, SEND_SLOTS: MOST_SLOTS }) });
  const old = snapshot ? await holdSnapshot(stage.pool) : null;
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
    old?.release(true);
    await stage.close();
    await sink.close();
  }
}

/** A transaction that sees the database as it is now for as long as it is held, so that nothing written since can be cleared away. */
async function holdSnapshot(pool: pg.Pool): Promise<pg.PoolClient> {
  const client = await pool.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from core_mailing');
  return client;
}
