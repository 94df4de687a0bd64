/** Seconds to wait before try number `attempt` (from 0): doubling from `first`, never more than `most`. */
export const growingPause = (attempt: number, first: number, most: number): number => Math.min(most, first * 2 ** Math.min(attempt, 30));
