import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../../db/driver.ts';

const EVERY_MS = 100;

type Answer = 'made' | 'unchanged' | 'uncertain' | 'broken';

/** Somebody who has the API make something all the while, and afterwards looks whether it was as it was answered. */
export class Writer {
  readonly #url: URL;
  readonly #answers = new Map<string, Answer>();
  #leaving = false;
  readonly #writing: Promise<void>;

  /** @param baseUrl of the API */
  constructor(baseUrl: string) {
    this.#url = new URL('/rest/v1/list/', baseUrl);
    this.#writing = this.#write();
  }

  async leave(): Promise<void> {
    this.#leaving = true;
    await this.#writing;
  }

  /** How often each was answered: made, certainly not, perhaps, not at all. */
  get met(): Record<Answer, number> {
    const met = { made: 0, unchanged: 0, uncertain: 0, broken: 0 };
    for (const answer of this.#answers.values()) met[answer]++;
    return met;
  }

  /** @returns in words, what was answered and is not so */
  async untrue(pool: Pool): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>('select name from core_list');
    const there = new Set(rows.map(({ name }) => name));
    return [...this.#answers].flatMap(([name, answer]) => {
      if (answer === 'made' && !there.has(name)) return [`${name} was answered as made, and is not there`];
      if (answer === 'unchanged' && there.has(name)) return [`${name} was answered as not made, and is there`];
      return [];
    });
  }

  async #write(): Promise<void> {
    for (let n = 1; !this.#leaving; n++, await sleep(EVERY_MS)) {
      const name = `list ${n}`;
      this.#answers.set(name, await this.#make(name).catch(() => 'broken' as const));
    }
  }

  async #make(name: string): Promise<Answer> {
    const headers = {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}`,
    };
    const answer = await fetch(this.#url, { method: 'POST', headers, body: JSON.stringify({ name }) });
    const body = await answer.text();
    if (answer.status === 201) return 'made';
    if (answer.status !== 503) return 'broken';
    return /nothing was changed/.test(body) ? 'unchanged' : 'uncertain';
  }
}
