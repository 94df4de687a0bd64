import { FAULTS } from './faults.ts';
import { MUTANTS, spoiledSources } from './mutants.ts';
import { playRound } from './round.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';

export interface MutantOptions extends Omit<StageOptions, 'mutant'> {
  mutants: readonly string[];
  /** Only these kinds of trouble. */
  faults: readonly string[];
  /** Most rounds of one kind that a mutant may survive. */
  rounds: number;
  seed: number;
  /** Platforms side by side. */
  stages: number;
  onTrial(trial: Trial): void;
  /** No trial is begun after it is aborted. */
  stop?: AbortSignal;
}

/** What one kind of trouble brought to light of one mutant. */
export interface Trial {
  mutant: string;
  fault: string;
  rounds: number;
  /** What was wrong in the round that found it out; empty when it survived. */
  foundBy: string;
  /** What was wrong without any trouble. */
  without?: string;
}

/**
 * Plays every mutant under the kinds that have to find it out, until they do. First of all without any trouble: what is found out then says nothing of
 * the kinds, so that is a survivor, too.
 */
export async function runMutants({ mutants, faults, stages, stop, ...options }: MutantOptions): Promise<void> {
  // All snippets are still there: seen before anything is started.
  for (const mutant of mutants) spoiledSources(mutant);
  const line = mutants.filter((mutant) => MUTANTS[mutant]!.kinds.some((kind) => faults.includes(kind)));
  const play = async () => {
    for (let mutant = line.shift(); mutant && !stop?.aborted; mutant = line.shift()) await tryMutant(mutant, faults, stop, options);
  };
  await Promise.all(Array.from({ length: stages }, play));
}

type Options = Omit<MutantOptions, 'mutants' | 'faults' | 'stages' | 'stop'>;

async function tryMutant(mutant: string, faults: readonly string[], stop: AbortSignal | undefined, options: Options): Promise<void> {
  const { rounds, seed, onTrial, ...stageOptions } = options;
  let stage: Stage | undefined;
  const playOne = async (fault: string, n: number): Promise<string> => {
    stage ??= await openStage({ ...stageOptions, mutant });
    const round = await playRound(stage, fault, seed * 1_000_003 + n * 1009);
    // What an earlier round left behind is not this one's find.
    const wrong = round.wrongs.find((each) => !each.startsWith('unasked')) ?? '';
    if (!round.ended) {
      await stage.close();
      stage = undefined;
    }
    return wrong;
  };
  try {
    const kinds = MUTANTS[mutant]!.kinds;
    if (!kinds.includes('calm')) {
      // The first one may meet a machine that is busy with starting everything.
      const wrong = (await playOne('calm', 0)) && (await playOne('calm', 1));
      if (wrong) {
        onTrial({ mutant, fault: 'calm', rounds: 2, foundBy: '', without: wrong });
        return;
      }
    }
    for (const fault of kinds.filter((kind) => faults.includes(kind))) {
      let foundBy = '';
      let played = 0;
      while (!foundBy && played < rounds && !stop?.aborted) foundBy = await playOne(fault, ++played);
      if (foundBy || !stop?.aborted) onTrial({ mutant, fault, rounds: played, foundBy });
    }
  } finally {
    await stage?.close();
  }
}

/** A markdown table of trials, and the kinds of trouble that found out nobody. */
export function tableOfTrials(trials: readonly Trial[]): string {
  const cell = (text: string) => text.replaceAll('|', '/');
  const proven = new Set(trials.filter(({ foundBy }) => foundBy).map(({ fault }) => fault));
  const unproven = Object.keys(FAULTS).filter((fault) => !proven.has(fault));
  return [
    '| mutant | what it does wrong | fault | rounds | found out by |',
    '|---|---|---|--:|---|',
    ...Object.keys(MUTANTS).flatMap((mutant) =>
      trials
        .filter((trial) => trial.mutant === mutant)
        .map(
          ({ fault, rounds, foundBy }) =>
            `| ${[mutant, MUTANTS[mutant]!.about, fault, rounds, foundBy ? cell(foundBy) : '**survived**'].join(' | ')} |`,
        ),
    ),
    '',
    `Kinds that found out no mutant: ${unproven.join(', ') || 'none'}.`,
  ].join('\n');
}
