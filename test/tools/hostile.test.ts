import assert from 'node:assert/strict';
import { type Attacked, attackApi, attackWorker, isBad, lineOf } from '../../bench/support/attack.ts';
import { attackedDatabase } from '../../bench/support/attacked-database.ts';
import { hostileInputs } from '../../bench/support/hostile-inputs.ts';
import { WatchedApi } from '../../bench/support/watched-api.ts';
import { WatchedProcess } from '../../bench/support/watched-process.ts';
import { workerInputs } from '../../bench/support/worker-attack.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { slowness } from '../support/processor-time.ts';
import { createNamespace } from '../support/temporal.ts';

/** Of each kind those that take most; `npm run bench -- hostile` has them all. */
const TO_API =
  /5,000 deep|40,000 numbers|20,000 names|9,000 names|\{\{ \(\(\(\(|if not not|16,000 \{%|as long as|4,000 paragraphs|249,000 <|100,000 zips|2,000 parameters|400 relations|20,000 parts/;
const TO_WORKER = /^(send: (as long as may|long lines|a text version of (249,000|4,000))|confirm: a text version of (249,000|4,000))/;
/** What holds a loop does so each time; a collection of garbage, another process' turn within ours, or memory that has to be found anew after a pause, does not. */
const TIMES = 8;

describe('adversarial inputs', () => {
  const closing: (() => unknown)[] = [];
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  it('hold the event loop of neither the API nor a worker over 100 ms of its processor time, and each is answered', async () => {
    const place = await createNamespace();
    const sink = await startSmtpSink({ keep: 1 });
    closing.push(() => sink.close());
    const services = {
      DATABASE_URL: await createDatabase(),
      DATA_DIR: dataFolder(),
      TEMPORAL_ADDRESS: place.address,
      TEMPORAL_NAMESPACE: place.namespace,
      SMTP_URL: sink.url,
    };
    const pool = await attackedDatabase(services);
    closing.push(() => pool.end());
    const worker = new WatchedProcess('bin/worker.ts', services);
    closing.push(() => worker.stop());
    const api = await WatchedApi.start(services);
    closing.push(() => api.stop());

    const inputs = hostileInputs(WatchedApi.credentials);
    const toApi = inputs.filter(({ name }) => TO_API.test(name));
    const toWorker = (await workerInputs(api, pool, inputs)).filter(({ name }) => TO_WORKER.test(name));
    assert.ok(toApi.length >= 14 && toWorker.length >= 6, `${toApi.length} and ${toWorker.length}`);
    const bad = [...(await worst(toApi, (some) => attackApi(api, some))), ...(await worst(toWorker, (some) => attackWorker(worker, some)))];
    assert.deepEqual(bad.map(lineOf), []);
  });

  /** Those that are bad each time. */
  async function worst<Input extends { name: string }>(
    inputs: Input[],
    attack: (inputs: Input[]) => Promise<Attacked[]>,
  ): Promise<Attacked[]> {
    let bad: Attacked[] = [];
    let left = inputs;
    for (let time = 0; time < TIMES && left.length; time++) {
      bad = (await attack(left)).map((each) => ({ ...each, cpuMs: Math.round(each.cpuMs / slowness()) })).filter(isBad);
      left = left.filter(({ name }) => bad.some((each) => each.name === name));
    }
    return left.length ? bad : [];
  }
});
