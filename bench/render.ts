import { parseArgs } from 'node:util';
import { compileMailing } from '../mail/compile.ts';
import { newsletter, recipient } from './support/newsletter.ts';

/** What it costs to make one personalised mail: template, MIME, hashes. Median of several rounds. */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: { mails: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '5' } },
  });
  const [mails, rounds] = [Number(values.mails), Number(values.rounds)];
  const mailing = compileMailing(newsletter, { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 'bench' });
  const recipients = Array.from({ length: 1000 }, (_, n) => recipient(n + 1));
  const costs: number[] = [];
  let bytes = 0;
  for (let round = 0; round <= rounds; round++) {
    const began = process.cpuUsage();
    bytes = 0;
    for (let n = 0; n < mails; n++) bytes += mailing.render(recipients[n % recipients.length]!).message.length;
    const { user, system } = process.cpuUsage(began);
    // The first round warms up.
    if (round > 0) costs.push((user + system) / mails);
  }
  costs.sort((a, b) => a - b);
  const microseconds = Math.round(costs[Math.floor(rounds / 2)]! * 100) / 100;
  console.log(
    `${microseconds} µs of CPU per mail of ${Math.round(bytes / mails)} bytes; ${Math.round(1e6 / microseconds)} mails/s on one core`,
  );
  return { microseconds, bytes: Math.round(bytes / mails), perSecond: Math.round(1e6 / microseconds), mails, rounds };
}
