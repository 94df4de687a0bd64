import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnv } from '../../config/env.ts';
import { endProcess } from '../../embedded/end-process.ts';
import { type Platform, startPlatform } from '../../embedded/platform.ts';
import { openStage } from './bars.ts';
import { ApiClient } from './client.ts';
import { crowdAddresses } from './crowd.ts';
import { bringPeopleIn, prepareMailing, REVIEWER, readUncertain, sendMailing, statesOf } from './main-job.ts';
import type { Crash, DemoOptions } from './options.ts';
import { readPeople } from './people.ts';
import { Receipts } from './receipts.ts';
import { judge, type Told, type Verdict } from './verdict.ts';

/** For machines: the last line of `--json`. `rate` in mails per second, `seconds` from the first mail to the last. */
export interface DemoResult extends Omit<Told, 'status'>, Omit<Verdict, 'disagreements'> {
  rate: number;
  seconds: number;
}

export interface DemoRun {
  result: DemoResult;
  disagreements: string[];
  addresses: Record<string, string>;
  stop(): Promise<void>;
}

/** Services the demonstration never uses, though they may be set here: it shows itself on its own ones, on free ports. */
const NOT_FOR_DEMO = ['DATABASE_URL', 'REPORT_DATABASE_URL', 'TEMPORAL_ADDRESS', 'SMTP_URL', 'SMTP_RELAYS', 'BASE_URL', 'HOST', 'NODE_ENV'];
/** The part is killed when this share of the mails has arrived. */
const CRASH_AT = 0.3;

/** The whole platform in a fresh folder, the main job on it, and what was told held against what arrived. The caller stops it. */
export async function runDemo(options: DemoOptions, out: NodeJS.WriteStream): Promise<DemoRun> {
  const { say, steps } = openStage(out);
  const dataDir = mkdtempSync(join(tmpdir(), 'campaign-demo-'));
  chmodSync(dataDir, 0o711);
  const others = Object.fromEntries(NOT_FOR_DEMO.map((name) => [name, undefined]));
  const env = readEnv({ ...process.env, ...others, PORT: '0', DATA_DIR: dataDir });
  const people = readPeople(options.people);
  // Whom we sign up ourselves: what the platform tells later is held against this list.
  const everybody = new Set([...people.map(({ email }) => email.toLowerCase()), ...crowdAddresses(options.recipients)]);
  const receipts = new Receipts([REVIEWER]);
  const onMail = ({ to }: { to: readonly string[] }) => {
    for (const address of to) receipts.add(address);
  };
  const events = {
    onCrash: (name: string, how: string) => say(`${name} ended (${how}); it is started again`),
    onRestart: (name: string) => say(`${name} is up again`),
  };
  let platform: Platform | undefined;
  const stop = async () => {
    await platform?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  // Ctrl-C in the middle: nothing is left behind.
  const interrupt = () => void stop().finally(() => endProcess(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    say('starting PostgreSQL, Temporal, an SMTP sink, the API and a worker');
    platform = await startPlatform(env, { say, sink: { onMail }, ...events });
    for (const [what, address] of Object.entries(platform.addresses)) say(`${what}: ${address}`);
    const api = new ApiClient(platform.baseUrl, env.ADMIN_USERNAME, env.ADMIN_PASSWORD);
    const list = await bringPeopleIn(api, people, options.recipients, platform.databaseUrl, steps);
    const prepared = await prepareMailing(api, list, statesOf(people), options.rate, steps);
    if (options.crash) receipts.when(Math.ceil(prepared.targeted * CRASH_AT), killer(platform, options.crash, say));
    const told = await sendMailing(api, prepared, steps);

    const uncertain = await readUncertain(api, prepared.mailing);
    if (uncertain.length !== told.uncertain) throw new Error(`${told.uncertain} are uncertain, but ${uncertain.length} are listed`);
    const { recipients, duplicated } = receipts;
    const uncertainSeen = uncertain.filter((address) => receipts.has(address)).length;
    const strangers = receipts.strangers(everybody).length;
    const verdict = judge(told, { recipients, duplicated, strangers, uncertainSeen }, everybody.size);
    const { status: _status, ...sums } = told;
    const seconds = Number(receipts.seconds.toFixed(3));
    const rate = Number((recipients / Math.max(seconds, 0.001)).toFixed(1));
    const result = { ...sums, lost: verdict.lost, duplicated, rate, seconds };
    return { result, disagreements: verdict.disagreements, addresses: platform.addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function killer(platform: Platform, crash: Crash, say: (what: string) => void): () => void {
  return () => {
    const pid = platform.supervisor.pid(crash === 'worker' ? 'worker-1' : crash);
    if (!pid) throw new Error(`There is no ${crash} to kill`);
    say(`killing ${crash} (process ${pid}) with SIGKILL`);
    process.kill(pid, 'SIGKILL');
  };
}
