import { parseArgs } from 'node:util';
import { compileMailing } from '../mail/compile.ts';
import { createRelay } from '../mail/smtp/relay.ts';
import { newsletter, recipient } from './support/newsletter.ts';
import { startSinkProcess } from './support/sink-process.ts';

/** What it costs to hand one ready mail to a relay: our client alone, the sink in a process of its own. Median of several rounds. */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      mails: { type: 'string', default: '50000' },
      rounds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '32' },
      window: { type: 'string', default: '64' },
      render: { type: 'boolean', default: false },
    },
  });
  const [mails, rounds, connections, window] = [values.mails, values.rounds, values.connections, values.window].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const sink = await startSinkProcess();
  const relay = createRelay(sink.url, { connections, timeoutMs: 10_000, name: 'bench.example' });
  const mailing = compileMailing(newsletter, { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 'bench' });
  const recipients = Array.from({ length: 1000 }, (_, n) => recipient(n + 1));
  const ready = recipients.map((each) => mailing.render(each));
  const next = values.render ? (n: number) => mailing.render(recipients[n % 1000]!) : (n: number) => ready[n % 1000]!;

  const results: { microseconds: number; perSecond: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    let sent = 0;
    const sender = async () => {
      while (sent < mails) {
        const outcome = await relay.send(next(sent++));
        if (outcome.kind !== 'accepted') throw new Error(`${outcome.kind}: ${outcome.reply}`);
      }
    };
    await Promise.all(Array.from({ length: window }, sender));
    const { user, system } = process.cpuUsage(cpu);
    if (round > 0) results.push({ microseconds: (user + system) / mails, perSecond: mails / ((performance.now() - began) / 1000) });
  }
  const { received } = await sink.counts();
  await relay.close();
  sink.stop();
  if (received < mails * (rounds + 1)) throw new Error(`the sink has ${received} mails`);
  const median = (figures: number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;
  const microseconds = Math.round(median(results.map((each) => each.microseconds)) * 10) / 10;
  const perSecond = Math.round(median(results.map((each) => each.perSecond)));
  const what = values.render ? 'to render and send one mail' : 'to send one ready mail';
  console.log(`${microseconds} µs of CPU ${what}, ${perSecond} mails/s over ${connections} connections, window ${window}`);
  return { microseconds, perSecond, mails, rounds, connections, window, rendered: values.render };
}
