import { FAULTS } from './faults.ts';
import type { Round } from './round.ts';
import { STRAINED_MS } from './strain.ts';

/** A markdown table of rounds, one line for each kind, in the order of FAULTS. */
export function tableOf(rounds: readonly Round[]): string {
  const lines = Object.keys(FAULTS)
    .map((fault) => rounds.filter((round) => round.fault === fault))
    .filter((those) => those.length)
    .map((those) => {
      const sum = (name: 'targeted' | 'accepted' | 'failed' | 'uncertain') => those.reduce((total, round) => total + round[name], 0);
      const seconds = those.map((round) => round.seconds).toSorted((a, b) => a - b);
      const wrong = those.filter((round) => round.wrongs.length).length;
      const median = seconds[Math.floor(seconds.length / 2)]!;
      return [
        those[0]!.fault,
        those.length,
        sum('targeted'),
        sum('accepted'),
        sum('failed'),
        sum('uncertain'),
        wrong,
        median.toFixed(1),
        seconds.at(-1)!.toFixed(1),
      ];
    });
  const total = (at: number) => lines.reduce((all, line) => all + Number(line[at]), 0);
  const cells = [...lines, ['all', ...[1, 2, 3, 4, 5, 6].map(total), '', '']];
  return [
    '| fault | rounds | targeted | accepted | failed | uncertain | wrong | seconds, median | longest |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...cells.map((line) => `| ${line.join(' | ')} |`),
    '',
    `Rounds in which the machine let an untroubled part wait for more than ${STRAINED_MS} ms: ${rounds.filter(({ strainMs }) => strainMs > STRAINED_MS).length}.`,
  ].join('\n');
}
