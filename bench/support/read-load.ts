import { Agent, request } from 'node:http';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/** Requests, GETs unless said otherwise, from a thread of its own, so that the caller's cost is not taken for the server's. */
export interface ReadLoad {
  urls: string[];
  method?: string;
  /** JSON bodies, one for each URL. */
  bodies?: string[];
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
  const readOne = (url: string, method: string, body: string | undefined) =>
    new Promise<void>((resolve, reject) => {
      const all =
        body === undefined ? headers : { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sent = request(url, { agent, method, headers: all }, (answer) => {
        answer.resume();
        const fine = Math.floor((answer.statusCode ?? 0) / 100) === 2;
        answer.on('end', () => (fine ? resolve() : reject(new Error(`${url} answered ${answer.statusCode}`))));
      });
      sent.on('error', reject).end(body);
    });
  parentPort?.on('message', async ({ urls, lanes, method = 'GET', bodies }: ReadLoad) => {
    const times: number[] = [];
    const start = performance.now();
    let next = 0;
    const lane = async () => {
      while (next < urls.length) {
        const begun = performance.now();
        const index = next++;
        await readOne(urls[index]!, method, bodies?.[index]);
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
