import { parseArgs } from 'node:util';
import { SendStage } from './support/send-stage.ts';

/**
 * Many small mailings queued at once: how long until all are completed, and how many workflow events a second that is, which Temporal, its store and the
 * worker have to carry.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: { mailings: { type: 'string', default: '200' }, recipients: { type: 'string', default: '50' } },
  });
  const [count, recipients] = [Number(values.mailings), Number(values.recipients)];
  const stage = await SendStage.open(recipients, 1);
  try {
    const mailings: string[] = [];
    while (mailings.length < count) mailings.push(await stage.mailing());
    const began = performance.now();
    await inTurns(mailings, (mailing) => stage.queue(mailing));
    await inTurns(mailings, (mailing) => stage.ended(mailing));
    const seconds = (performance.now() - began) / 1000;
    const events = await inTurns(mailings, (mailing) => stage.eventsOf(mailing));
    const received = (await stage.sink.counts())?.received;
    if (received !== count * recipients) throw new Error(`the sink received ${received} mails of ${count * recipients}`);
    const all = events.reduce((sum, each) => sum + each, 0);
    const figures = {
      mailings: count,
      recipients,
      seconds: round1(seconds),
      mailingsPerSecond: round1(count / seconds),
      eventsPerMailing: round1(all / count),
      eventsPerSecond: Math.round(all / seconds),
    };
    console.log(figures);
    return figures;
  } finally {
    await stage.close();
  }
}

/** Eight at a time. @returns in the order of `items` */
async function inTurns<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  const left = items.entries();
  const lane = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return results;
}

const round1 = (figure: number) => Math.round(figure * 10) / 10;
