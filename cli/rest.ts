import type { Env } from '../config/env.ts';
import { AwayError, RefusedError, ShutOutError } from './terminal.ts';

const PATIENCE_MS = 30_000;

/** The REST API, as the account of the settings. */
export class Rest {
  readonly #base: string;
  readonly #authorization: string;

  constructor(env: Env) {
    this.#base = (env.API_URL ?? env.BASE_URL).replace(/\/+$/, '');
    const login = `${env.API_USERNAME ?? env.ADMIN_USERNAME}:${env.API_PASSWORD ?? env.ADMIN_PASSWORD}`;
    this.#authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  }

  /** @throws AwayError, RefusedError with the API's own words */
  async get<Body>(path: string): Promise<Body> {
    const text = await this.#textOf(await this.#call('GET', path));
    try {
      return JSON.parse(text) as Body;
    } catch {
      throw new AwayError(`Something else than the API answers at ${this.#base}: look at API_URL and BASE_URL, or a proxy before it.`);
    }
  }

  /** @throws AwayError, RefusedError with the API's own words */
  async post(path: string): Promise<void> {
    await (await this.#call('POST', path)).body?.cancel();
  }

  /** A body of JSON. @throws AwayError, RefusedError with the API's own words */
  async send(path: string, body: object): Promise<void> {
    await (await this.#call('POST', path, body)).body?.cancel();
  }

  async #call(method: 'GET' | 'POST', path: string, body?: object): Promise<Response> {
    const headers = { authorization: this.#authorization, accept: 'application/json', ...(body && { 'content-type': 'application/json' }) };
    let answer: Response;
    try {
      answer = await fetch(this.#base + path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    } catch (error) {
      throw new AwayError(`The API at ${this.#base} cannot be reached: ${whyNot(error)}.`);
    }
    if (answer.ok) return answer;
    const words = wordsOf(await this.#textOf(answer));
    if (answer.status === 401)
      throw new ShutOutError(`The API at ${this.#base} does not know this user name and password (API_USERNAME, API_PASSWORD).`);
    if (answer.status === 404) throw new RefusedError('There is no such thing.');
    if (answer.status === 429 || answer.status >= 500) throw new AwayError(`The API answered ${answer.status}. ${words}`.trim());
    throw new RefusedError(words || `The API answered ${answer.status}.`);
  }

  /** The whole of an answer, before whose end the API may be killed. @throws AwayError */
  async #textOf(answer: Response): Promise<string> {
    try {
      return await answer.text();
    } catch (error) {
      throw new AwayError(`The API at ${this.#base} broke its answer off: ${whyNot(error)}.`);
    }
  }
}

const whyNot = (error: unknown): string => (error as { cause?: Error }).cause?.message || (error as Error).message;

/** All messages of an error body, wherever in it they stand. */
function wordsOf(body: string): string {
  const texts = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
  try {
    return texts(JSON.parse(body)).join(' ');
  } catch {
    return '';
  }
}
