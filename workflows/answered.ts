/** What each answer of an activity has, beside what it may have. */
type Shape<Answer> = { [Name in keyof Answer]?: 'boolean' | 'number' | 'object' | 'string' };

/**
 * What an activity answers. Whoever completes one by hand, in the Temporal CLI, may give it any result: what cannot be its answer counts as none, and it is run again, as
 * where its worker died. Read as an answer it would fail the run's next step, on each worker and for good.
 * @param shape what all its answers have, those of earlier releases, too
 * @param canBe whether one that has it can be gone by
 */
export async function answered<Answer extends object>(
  run: () => Promise<Answer>,
  shape: Shape<Answer>,
  canBe: (answer: Answer) => boolean = () => true,
): Promise<Answer> {
  for (;;) {
    const answer: unknown = await run();
    if (typeof answer === 'object' && answer !== null && has(answer as Record<string, unknown>, shape) && canBe(answer as Answer))
      return answer as Answer;
  }
}

/** Thirty years: what is longer has no date. */
const LONGEST_WAIT_MS = 1e12;

/** Whether a run can wait for so many milliseconds. */
export const canWait = (ms: unknown): ms is number => typeof ms === 'number' && Math.abs(ms) < LONGEST_WAIT_MS;

/** Whether a time that an activity names is one; null is none. */
export const isTime = (time: unknown): boolean => time === null || (typeof time === 'string' && !Number.isNaN(Date.parse(time)));

/** The same of one that answers with a word or a number. */
export async function answeredAs<Answer extends boolean | number>(run: () => Promise<Answer>, type: 'boolean' | 'number'): Promise<Answer> {
  for (;;) {
    const answer: unknown = await run();
    if (typeof answer === type) return answer as Answer;
  }
}

/** The same of one that answers with a number, or null. */
export async function numberOrNull(run: () => Promise<number | null>): Promise<number | null> {
  for (;;) {
    const answer: unknown = await run();
    if (answer === null || typeof answer === 'number') return answer;
  }
}

const has = (answer: Record<string, unknown>, shape: Record<string, string | undefined>): boolean =>
  Object.entries(shape).every(([name, type]) => typeof answer[name] === type && answer[name] !== null);
