import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { SinkCounts } from '../../embedded/smtp-sink.ts';

/** A sink in a process of its own, so that its work is not counted with what is measured. */
export interface SinkProcess {
  url: string;
  pid: number;
  counts(): Promise<SinkCounts | null>;
  stop(): void;
}

/** @param given host and port of a sink that runs already and cannot be asked what it took */
export async function startSinkProcess(given?: string): Promise<SinkProcess> {
  if (given) return { url: `smtp://${given}`, pid: 0, counts: async () => null, stop() {} };
  const script = new URL('../../bin/smtp-sink.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, '--port', '0', '--http-port', '0', '--keep', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, pageUrl } = JSON.parse(line) as { url: string; pageUrl: string };
    return {
      url,
      pid: child.pid as number,
      counts: async () => (await fetch(`${pageUrl}counts`)).json() as Promise<SinkCounts>,
      stop: () => child.kill(),
    };
  }
  throw new Error('the sink did not start');
}
