import type { AtOnceResult, Wrong } from './at-once.ts';

/** Of a body so much is shown. */
const SHOWN = 200;

/** What is wrong and the batch that met it, for people. */
export function linesOf({ what, calls }: Wrong): string {
  const lines = calls.map(({ method, path, body, status, ms, answer }) => {
    const sent = body === undefined ? '' : ` ${JSON.stringify(body).slice(0, SHOWN)}`;
    return `    ${status} ${String(ms).padStart(5)} ms  ${method} ${path}${sent}${answer ? ` → ${answer.slice(0, SHOWN)}` : ''}`;
  });
  return [`WRONG: ${what}`, ...lines].join('\n');
}

/** What was tried and found, in a few lines. */
export function summaryOf({ seed, batches, calls, erased, mails, told, wrong, neverTaken, said }: AtOnceResult): string {
  const never = Object.entries(neverTaken).map(([name, refusal]) => `  ${name}: ${refusal.slice(0, SHOWN)}`);
  return [
    `seed ${seed}: ${batches} batches, ${calls} calls, ${erased} people erased, ${mails} mails, ${told} requests to systems outside; wrong: ${wrong.length}`,
    ...Object.entries(said).map(([kind, times]) => `said ${times} times: ${kind}`),
    ...(never.length ? ['refused whenever they were called:', ...never] : []),
  ].join('\n');
}
