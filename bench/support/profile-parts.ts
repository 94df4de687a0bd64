import type { Profiler } from 'node:inspector';

/** Which of our files, or whose library, a sample belongs to; the first that fits, from the innermost call outwards. */
const PARTS: readonly [part: string, file: RegExp][] = [
  ['SMTP', /\/mail\/(smtp|dkim)\//],
  ['rendering', /\/(template|mail)\//],
  ['lease clock', /\/core\/sending\/lease-clock/],
  ['ledger', /\/core\/sending\//],
  ['PostgreSQL client', /\/node_modules\/pg/],
  ['Temporal client', /\/node_modules\/@temporalio\//],
];

/** The time of a sampled process by part, in microseconds, without what it was idle. On a busy machine it is the time by the clock that a part took. */
export function profileParts({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Record<string, number> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const partOf = (id: number): string => {
    const leaf = byId.get(id)!.callFrame.functionName;
    if (leaf === '(garbage collector)') return 'garbage collector';
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { url } = byId.get(at)!.callFrame;
      const found = PARTS.find(([, file]) => file.test(url));
      if (found) return found[0];
    }
    return leaf === '(program)' ? 'system calls' : 'other';
  };
  const partOfNode = new Map(nodes.map(({ id }) => [id, partOf(id)]));
  const times: Record<string, number> = {};
  for (const [n, id] of samples.entries()) {
    if (byId.get(id)!.callFrame.functionName === '(idle)') continue;
    const part = partOfNode.get(id)!;
    times[part] = (times[part] ?? 0) + Math.max(0, timeDeltas[n] ?? 0);
  }
  return times;
}
