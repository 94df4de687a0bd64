import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { median } from './support/percentile.ts';
import { type SendRound, SendStage } from './support/send-stage.ts';

/**
 * The whole product path (API, workflow, ledger, templates, SMTP) against a nodemailer pool that sends the same mails to the same sink, in turns: the
 * median of the rounds' ratios. Prints mails/s, processor time per mail over all our processes, the workers' peak memory, the workflow's events, and how
 * many are uncertain when a worker is killed (SIGKILL) in the middle of one more send, in which everybody else must be accounted for.
 * First by DATA, then by CHUNKING (--by data or --by chunking: only that), each on a platform of its own. What each part costs per mail is looked at in
 * one more send. --sink HOST:PORT is another relay to send to, which must offer CHUNKING to be measured by it.
 * --pool-recipients N has the pool, whose mails are taken to cost the same however many there are, send to so many people only: it takes most of the time otherwise.
 * With --workers 2 or more: one worker process against two, four … up to so many, without nodemailer. With --alone: ours only.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      recipients: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '3' },
      'pool-recipients': { type: 'string' },
      workers: { type: 'string', default: '1' },
      connections: { type: 'string', default: '32' },
      by: { type: 'string', default: 'data,chunking' },
      sink: { type: 'string' },
      alone: { type: 'boolean', default: false },
    },
  });
  const { connections, sink } = values;
  const recipients = Number(values.recipients);
  const poolRecipients = Math.min(recipients, Number(values['pool-recipients'] ?? recipients));
  const options = { recipients, poolRecipients, rounds: Number(values.rounds), connections, sink };
  const workers = Number(values.workers);
  if (workers === 1) {
    const by: Record<string, unknown> = {};
    for (const way of values.by.split(',')) {
      console.log(`by ${way}`);
      by[way] = await sendWith(1, { ...options, chunking: String(way === 'chunking') }, !values.alone);
    }
    return by;
  }
  const compared: Record<string, unknown>[] = [];
  for (let n = 1; n < workers * 2; n *= 2) compared.push(await sendWith(Math.min(n, workers), options, false));
  const [one] = compared as [{ mailsPerSecond: number }];
  const table = compared.map((each) => ({ ...each, timesOne: round2((each['mailsPerSecond'] as number) / one.mailsPerSecond) }));
  console.table(table, ['workers', 'mailsPerSecond', 'timesOne', 'cpuMicrosecondsPerMail', 'peakWorkerMegabytes', 'eventsPerMinute']);
  return { compared: table };
}

interface Options {
  recipients: number;
  /** Of them, those the pool sends to. */
  poolRecipients: number;
  rounds: number;
  connections: string;
  chunking?: string;
  sink: string | undefined;
}

async function sendWith(
  workers: number,
  { recipients, poolRecipients, rounds, connections, chunking = 'true', sink }: Options,
  withNodemailer: boolean,
): Promise<Record<string, unknown>> {
  const stage = await SendStage.open(recipients, workers, { SMTP_CONNECTIONS: connections, SMTP_CHUNKING: chunking }, sink);
  try {
    const ours: SendRound[] = [];
    const theirs: Cost[] = [];
    for (let round = 1; round <= rounds; round++) {
      const sent = await stage.send();
      ours.push(sent);
      console.log(`round ${round}: ${line('ours', sent)}, ${sent.workflowEvents} events in ${sent.seconds.toFixed(1)} s`);
      if (!withNodemailer) continue;
      const other = await nodemailer(stage.platform.databaseUrl, stage.sink.url, connections, poolRecipients);
      theirs.push(other);
      console.log(`         ${line('nodemailer', other)}; ratio ${(sent.perSecond / other.perSecond).toFixed(2)}`);
    }
    const received = (await stage.sink.counts())?.received;
    const expected = recipients * ours.length + poolRecipients * theirs.length;
    if (received !== undefined && received !== expected) throw new Error(`the sink received ${received} mails of ${expected}`);
    const minutes = ours.map((each) => each.eventsPerMinute).filter((each) => each !== null);
    const figures = {
      ...(withNodemailer && {
        ratio: round2(median(ours.map((each, n) => each.perSecond / (theirs[n] as Cost).perSecond))),
        nodemailerMailsPerSecond: Math.round(median(theirs.map((each) => each.perSecond))),
        nodemailerCpuMicrosecondsPerMail: round2(median(theirs.map((each) => each.cpuPerMail))),
      }),
      mailsPerSecond: Math.round(median(ours.map((each) => each.perSecond))),
      cpuMicrosecondsPerMail: round2(median(ours.map((each) => each.cpuPerMail))),
      peakWorkerMegabytes: stage.peakWorkerMegabytes(),
      workflowEvents: ours.at(-1)?.workflowEvents,
      eventsPerMinute: minutes.length ? round2(median(minutes)) : null,
      ledgerBytesPerRecipient: Math.round((await stage.ledgerBytes()) / (recipients * rounds)),
      walBytesPerRecipient: Math.round(median(ours.map((each) => each.walBytesPerRecipient))),
      mailsPerCommit: Math.round(median(ours.map((each) => each.mailsPerCommit))),
      recipients,
      poolRecipients,
      rounds,
      workers,
    };
    const costs = await stage.costs();
    console.log('microseconds of processor time per mail, in a send that was looked into:');
    console.table(costs.processes);
    console.table(costs.worker);
    console.table(costs.statements);
    const all = { ...figures, costs, uncertainAfterKill: await stage.sendThroughKill() };
    console.log(all);
    return all;
  } finally {
    await stage.close();
  }
}

interface Cost {
  perSecond: number;
  /** Microseconds of processor time. */
  cpuPerMail: number;
}

const round2 = (figure: number) => Math.round(figure * 100) / 100;
const line = (who: string, { perSecond, cpuPerMail }: Cost) =>
  `${who} ${Math.round(perSecond)}/s, ${cpuPerMail.toFixed(1)} µs of CPU per mail`;

async function nodemailer(databaseUrl: string, relayUrl: string, connections: string, most: number): Promise<Cost> {
  const script = new URL('./support/nodemailer-pool.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [script, databaseUrl, relayUrl, connections, String(most)]);
  const { mails, seconds, cpuSeconds: cpu } = JSON.parse(stdout) as { mails: number; seconds: number; cpuSeconds: number };
  return { perSecond: mails / seconds, cpuPerMail: (cpu * 1e6) / mails };
}
