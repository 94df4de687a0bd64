import { setTimeout as sleep } from 'node:timers/promises';

/** Just enough of a client of the REST API for benches: a superuser's, JSON, failing loudly. */
export class ApiClient {
  private readonly baseUrl: string;
  private readonly headers: Record<string, string>;

  constructor(baseUrl: string, username = 'admin', password = 'admin-password') {
    this.baseUrl = baseUrl;
    const credentials = Buffer.from(`${username}:${password}`).toString('base64');
    this.headers = { authorization: `Basic ${credentials}`, 'content-type': 'application/json' };
  }

  /** @param path relative or absolute @throws Error with the answer when it is not a 2xx */
  async request(method: string, path: string, body?: unknown): Promise<Response> {
    const url = new URL(path, this.baseUrl);
    const answer = await fetch(url, { method, headers: this.headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${url.pathname}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  async get<Body>(path: string): Promise<Body> {
    return (await this.request('GET', path)).json() as Promise<Body>;
  }

  /** @returns the Location of what was made, relative to the base URL */
  async create(path: string, body?: unknown): Promise<string> {
    const answer = await this.request('POST', path, body);
    await answer.arrayBuffer();
    return new URL(answer.headers.get('location') as string).pathname;
  }

  /** Polls a document until it says finished. @throws Error with its errors when it did not succeed */
  async done(asked: string | Promise<string>): Promise<void> {
    const poll = await asked;
    for (;;) {
      const document = await this.get<{ finished: boolean; success: boolean; errors: string[] }>(poll);
      if (document.finished && !document.success) throw new Error(document.errors.join(' '));
      if (document.finished) return;
      await sleep(20);
    }
  }
}
