import { createPrivateKey } from 'node:crypto';
import { parseArgs } from 'node:util';
import { compileMailing } from '../mail/compile.ts';
import { makeDkimKey } from '../mail/dkim/key.ts';
import { dkimSignatures, type SigningKey } from '../mail/dkim/signature.ts';
import { newsletter, recipient } from './support/newsletter.ts';
import { median } from './support/percentile.ts';

/** As many mails are signed side by side as a worker has on its way. */
const AT_ONCE = 64;

/** What it costs to sign a mail: CPU time over all threads, CPU time of the main thread alone, and mails per second of the process. Medians. */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      mails: { type: 'string', default: '4000' },
      rounds: { type: 'string', default: '5' },
      kilobytes: { type: 'string', default: '0' },
    },
  });
  const [mails, rounds, kilobytes] = [Number(values.mails), Number(values.rounds), Number(values.kilobytes)];
  const filler = `<p>  ${'Words of a long newsletter. '.repeat(3)}</p>\n`;
  const html = newsletter.html.replace('</body>', `${filler.repeat(Math.ceil((kilobytes * 1024) / filler.length))}</body>`);
  const mailing = compileMailing(
    { ...newsletter, html },
    { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 'x' },
  );
  const messages = Array.from({ length: 100 }, (_, n) => mailing.render(recipient(n + 1)).message);
  const key = async (algorithm: 'rsa' | 'ed25519'): Promise<SigningKey> => ({
    domain: 'campaign.example',
    selector: algorithm,
    algorithm,
    privateKey: createPrivateKey(await makeDkimKey(algorithm)),
  });
  const [rsa, ed25519] = [await key('rsa'), await key('ed25519')];
  const figures: Record<string, unknown> = { bytes: messages[0]!.length, mails, rounds };
  for (const [name, keys] of Object.entries({ hashing: [], rsa: [rsa], ed25519: [ed25519], both: [rsa, ed25519] })) {
    const measured: Measured[] = [];
    for (let round = 0; round <= rounds; round++) {
      const one = await signAll(messages, keys, mails);
      // The first round warms up.
      if (round > 0) measured.push(one);
    }
    const middle = (name: keyof Measured) => Math.round(median(measured.map((one) => one[name])) * 10) / 10;
    const [cpu, main, perSecond] = [middle('cpu'), middle('main'), middle('perSecond')];
    figures[name] = { cpu, main, perSecond: Math.round(perSecond!) };
    console.log(`${name.padEnd(8)} ${cpu} µs of CPU per mail, ${main} µs of it on the main thread; ${Math.round(perSecond!)} mails/s`);
  }
  return figures;
}

interface Measured {
  /** Microseconds per mail. */
  cpu: number;
  main: number;
  perSecond: number;
}

async function signAll(messages: string[], keys: SigningKey[], mails: number): Promise<Measured> {
  const began = { at: performance.now(), cpu: process.cpuUsage(), main: process.threadCpuUsage() };
  let next = 0;
  const lane = async () => {
    while (next < mails) await dkimSignatures(messages[next++ % messages.length]!, keys, Date.now());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const [cpu, main] = [process.cpuUsage(began.cpu), process.threadCpuUsage(began.main)];
  return {
    cpu: (cpu.user + cpu.system) / mails,
    main: (main.user + main.system) / mails,
    perSecond: (mails * 1000) / (performance.now() - began.at),
  };
}
