/** So often in a row a relay may say 421 to one mail alone. */
const MOST = 3;
/** Mails that are remembered. */
const MOST_MAILS = 1000;

/**
 * Mails to whose recipient or content a relay says 421 again and again though it answers others in between. Were it taken for away each time, nobody else would be
 * mailed. They are put off like those it says 450 to.
 */
export class Goodbyes {
  readonly #said = new Map<string, { times: number; answered: number }>();

  /**
   * @param mail names it
   * @param answered how many mails the relay has answered so far
   * @returns whether it is this mail that the relay does not take now
   */
  said(mail: string, answered: number): boolean {
    const known = this.#said.get(mail);
    // Where nobody else was answered since, it may be everybody whom it says that to.
    const times = !known ? 1 : known.times < MOST && answered > known.answered ? known.times + 1 : known.times;
    if (!known && this.#said.size >= MOST_MAILS) this.#said.delete(this.#said.keys().next().value as string);
    this.#said.set(mail, { times, answered });
    return times >= MOST;
  }
}
