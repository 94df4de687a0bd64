import { FAULTS } from './faults.ts';
import { playRound, type Round } from './round.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';

export interface RunOptions extends StageOptions {
  faults: readonly string[];
  /** Of each fault. */
  rounds: number;
  seed: number;
  /** Platforms side by side. */
  stages: number;
  /** Told of every round as it ends. */
  onRound(round: Round): void;
  /** No round is begun after it is aborted. */
  stop?: AbortSignal;
}

/** Plays so many rounds of each fault, one kind after the other and over again, so that whatever time there was is spread over all. */
export async function runChaos({ faults, rounds, seed, stages, onRound, stop, ...options }: RunOptions): Promise<void> {
  // A kind has the same rounds whatever else is played.
  const kinds = Object.keys(FAULTS);
  const line = Array.from({ length: rounds }, (_, n) =>
    faults.map((fault) => ({ fault, seed: seed * 1_000_003 + n * 1009 + kinds.indexOf(fault) })),
  ).flat();
  const play = async () => {
    let stage: Stage | undefined;
    try {
      while (!stop?.aborted) {
        const next = line.shift();
        if (!next) return;
        stage ??= await openStage(options);
        const round = await playRound(stage, next.fault, next.seed);
        onRound(round);
        // What went wrong may go on being wrong: the next round is to have a fair beginning.
        if (round.wrongs.length) {
          await stage.close();
          stage = undefined;
        }
      }
    } finally {
      await stage?.close();
    }
  };
  await Promise.all(Array.from({ length: stages }, play));
}
