import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 50;
const AT_ONCE = 8;

/** Some who ask the API for a page all the while. */
export class Visitor {
  /** Answers with 200, with 503 (the database was away), and everything else: broken connections among them. */
  readonly met = { answered: 0, unavailable: 0, broken: 0 };
  /** What the broken ones met, and when. */
  readonly broken: string[] = [];
  readonly #url: URL;
  #leaving = false;
  readonly #asking: Promise<unknown>;

  constructor(url: URL) {
    this.#url = url;
    this.#asking = Promise.all(Array.from({ length: AT_ONCE }, () => this.#ask()));
  }

  async leave(): Promise<void> {
    this.#leaving = true;
    await this.#asking;
  }

  async #ask(): Promise<void> {
    const headers = { authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}` };
    for (; !this.#leaving; await sleep(EVERY_MS)) {
      try {
        const answer = await fetch(this.#url, { headers });
        await answer.arrayBuffer();
        if (answer.ok) this.met.answered++;
        else if (answer.status === 503) this.met.unavailable++;
        else this.#note(`status ${answer.status}`);
      } catch (error) {
        this.#note(String((error as Error).cause ?? error));
      }
    }
  }

  #note(what: string): void {
    this.met.broken++;
    this.broken.push(`${what} at ${new Date().toISOString()}`);
  }
}
