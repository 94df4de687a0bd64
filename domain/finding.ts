/** What was found of one part. */
export interface Finding {
  part: string;
  /** `look`: it works, and somebody should look at it. */
  state: 'well' | 'look' | 'wrong';
  /** Where it is and how it does, in a few words. */
  says: string;
  /** What to do about it; empty when it is well. */
  todo: string;
}

export const well = (part: string, says: string): Finding => ({ part, state: 'well', says, todo: '' });
export const look = (part: string, says: string, todo: string): Finding => ({ part, state: 'look', says, todo });
export const wrong = (part: string, says: string, todo: string): Finding => ({ part, state: 'wrong', says, todo });

/** How long a part may take to answer. */
export const PATIENCE_MS = 5_000;
