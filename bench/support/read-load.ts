import { Agent, get } from 'node:http';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/** GETs from a thread of its own, so that the caller's cost is not taken for the server's. */
export interface ReadLoad {
  urls: string[];
  /** Requests under way at a time. */
  lanes: number;
}

export interface ReadTimes {
  perSecond: number;
  /** Milliseconds, sorted. */
  times: number[];
}

export interface Reader {
  read(load: ReadLoad): Promise<ReadTimes>;
  close(): Promise<number>;
}

/** Reads as the superuser of the default settings. */
export function startReader(): Reader {
  const thread = new Worker(new URL(import.meta.url));
  return {
    read: (load) =>
      new Promise((resolve, reject) => {
        thread.once('message', (answer: ReadTimes | { error: string }) => {
          if ('error' in answer) reject(new Error(answer.error));
          else resolve(answer);
        });
        thread.postMessage(load);
      }),
    close: () => thread.terminate(),
  };
}

if (!isMainThread) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const headers = { authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}` };
  const readOne = (url: string) =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent, headers }, (answer) => {
        answer.resume();
        answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${url} answered ${answer.statusCode}`))));
      }).on('error', reject);
    });
  parentPort?.on('message', async ({ urls, lanes }: ReadLoad) => {
    const times: number[] = [];
    const start = performance.now();
    let next = 0;
    const lane = async () => {
      while (next < urls.length) {
        const begun = performance.now();
        await readOne(urls[next++]!);
        times.push(performance.now() - begun);
      }
    };
    try {
      await Promise.all(Array.from({ length: lanes }, lane));
      const perSecond = urls.length / ((performance.now() - start) / 1000);
      parentPort?.postMessage({ perSecond, times: times.sort((a, b) => a - b) });
    } catch (error) {
      parentPort?.postMessage({ error: String(error) });
    }
  });
}
