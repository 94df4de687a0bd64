import { parseArgs } from 'node:util';
import { compileMailing } from '../mail/compile.ts';
import type { Mail, Relay } from '../mail/contracts.ts';
import { createRelay } from '../mail/smtp/relay.ts';
import { newsletter, recipient } from './support/newsletter.ts';
import { median } from './support/percentile.ts';
import { cpuSeconds } from './support/process-cost.ts';
import { startSinkProcess } from './support/sink-process.ts';

/**
 * What it costs to hand one ready mail to a relay: our client alone, the sink in a process of its own (--sink HOST:PORT: another one). Median of several
 * rounds, by DATA and by CHUNKING in turns.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      mails: { type: 'string', default: '50000' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      window: { type: 'string', default: '64' },
      by: { type: 'string', default: 'data,chunking' },
      sink: { type: 'string' },
      render: { type: 'boolean', default: false },
    },
  });
  const [mails, rounds, connections, window] = [values.mails, values.rounds, values.connections, values.window].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const sink = await startSinkProcess(values.sink);
  const mailing = compileMailing(newsletter, { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 'bench' });
  const recipients = Array.from({ length: 1000 }, (_, n) => recipient(n + 1));
  const ready = recipients.map((each) => mailing.render(each));
  const next = values.render ? (n: number) => mailing.render(recipients[n % 1000]!) : (n: number) => ready[n % 1000]!;

  const results: Record<string, Round[]> = {};
  const relays = values.by.split(',').map((way) => {
    const chunking = way === 'chunking';
    return [way, createRelay(sink.url, { connections, timeoutMs: 10_000, name: 'bench.example', chunking })] as const;
  });
  // In turns; the first round of each warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [way, relay] of relays) {
      const figures = await sendAll(relay, mails, window, next, sink.pid);
      if (round > 0) results[way] = [...(results[way] ?? []), figures];
    }
  }
  const received = (await sink.counts())?.received;
  for (const [, relay] of relays) await relay.close();
  sink.stop();
  if (received !== undefined && received < mails * (rounds + 1) * relays.length) throw new Error(`the sink has ${received} mails`);
  const figures: Record<string, unknown> = { mails, rounds, connections, window, rendered: values.render };
  for (const [way, list] of Object.entries(results)) {
    const middle = (pick: (round: Round) => number) => Math.round(median(list.map(pick)) * 10) / 10;
    const one = {
      microseconds: middle((each) => each.client),
      sink: middle((each) => each.sink),
      perSecond: Math.round(middle((each) => each.perSecond)),
    };
    figures[way] = one;
    const what = values.render ? 'to render and send one mail' : 'to send one ready mail';
    console.log(
      `${way}: ${one.microseconds} µs of CPU ${what}, ${one.sink} µs of the sink, ${one.perSecond} mails/s over ${connections} connections, window ${window}`,
    );
  }
  return figures;
}

/** Microseconds per mail of ours and of the sink; mails per second. */
interface Round {
  client: number;
  sink: number;
  perSecond: number;
}

async function sendAll(relay: Relay, mails: number, window: number, next: (n: number) => Mail, sinkPid: number): Promise<Round> {
  const [began, cpu, sinkCpu] = [performance.now(), process.cpuUsage(), cpuSeconds([sinkPid])];
  let sent = 0;
  const sender = async () => {
    while (sent < mails) {
      const outcome = await relay.send(next(sent++));
      if (outcome.kind !== 'accepted') throw new Error(`${outcome.kind}: ${outcome.reply}`);
    }
  };
  await Promise.all(Array.from({ length: window }, sender));
  const { user, system } = process.cpuUsage(cpu);
  return {
    client: (user + system) / mails,
    sink: ((cpuSeconds([sinkPid]) - sinkCpu) * 1e6) / mails,
    perSecond: mails / ((performance.now() - began) / 1000),
  };
}
