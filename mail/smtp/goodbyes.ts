/** So often a relay may say 421 to one mail. */
const MOST = 3;
/** To more mails than these it says so to everybody, unless it has answered others meanwhile. */
const FEW = 3;
/** Mails that are remembered. */
const MOST_MAILS = 1000;

/**
 * Mails to whose recipient or content a relay says 421 again and again, and to no others. Were it taken for away each time, nobody else would be mailed: they are often
 * the first ones to be tried. They are put off like those it says 450 to.
 */
export class Goodbyes {
  readonly #times = new Map<string, number>();
  /** To whom it was said since somebody was answered. */
  readonly #since = new Set<string>();
  #answered = 0;

  /**
   * @param mail names it
   * @param answered how many mails the relay has answered so far
   * @returns whether it is this mail that the relay does not take now
   */
  said(mail: string, answered: number): boolean {
    if (answered !== this.#answered) this.#since.clear();
    this.#answered = answered;
    if (this.#since.size <= FEW) this.#since.add(mail);
    const times = (this.#times.get(mail) ?? 0) + 1;
    if (times === 1 && this.#times.size >= MOST_MAILS) this.#times.delete(this.#times.keys().next().value as string);
    this.#times.set(mail, times);
    if (times < MOST || this.#since.size > FEW) return false;
    this.#times.delete(mail);
    return true;
  }
}
