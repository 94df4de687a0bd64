/** What really arrived, counted where it arrived: the other side of every sum the platform gives. */
export class Receipts {
  private readonly times = new Map<string, number>();
  private readonly aside: Set<string>;
  private firstAt = 0;
  private lastAt = 0;
  private triggers: { at: number; run: () => void }[] = [];

  /** @param aside addresses whose mail is none of the mailing (reviewers of proofs) */
  constructor(aside: string[]) {
    this.aside = new Set(aside);
  }

  add(address: string): void {
    const recipient = address.toLowerCase();
    if (this.aside.has(recipient)) return;
    this.times.set(recipient, (this.times.get(recipient) ?? 0) + 1);
    this.lastAt = performance.now();
    this.firstAt ||= this.lastAt;
    while (this.triggers[0] && this.times.size >= this.triggers[0].at) this.triggers.shift()!.run();
  }

  /** Runs `run` once, in the moment the mail of the nth recipient arrives. */
  when(nth: number, run: () => void): void {
    this.triggers.push({ at: nth, run });
  }

  has(address: string): boolean {
    return this.times.has(address.toLowerCase());
  }

  /** Mailed, and not on a list made before the send. */
  strangers(expected: ReadonlySet<string>): string[] {
    return [...this.times.keys()].filter((address) => !expected.has(address));
  }

  get recipients(): number {
    return this.times.size;
  }

  /** Mails beyond the first of each recipient. */
  get duplicated(): number {
    let all = 0;
    for (const count of this.times.values()) all += count;
    return all - this.times.size;
  }

  /** From the first mail to the last. */
  get seconds(): number {
    return (this.lastAt - this.firstAt) / 1000;
  }
}
