// Figures that stand for many.

const sorted = (figures: readonly number[]) => figures.toSorted((a, b) => a - b);

/** The figure in the middle; of an even number of them the higher one. */
export const median = (figures: readonly number[]): number => sorted(figures)[Math.floor(figures.length / 2)]!;

/** By nearest rank. @param share 0.95 for the 95th */
export const percentile = (figures: readonly number[], share: number): number =>
  sorted(figures)[Math.max(0, Math.ceil(figures.length * share) - 1)]!;
