import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 60_000;

/** The REST API as a client of the platform uses it. */
export class ApiClient {
  private readonly baseUrl: string;
  private readonly headers: Record<string, string>;

  constructor(baseUrl: string, username: string, password: string) {
    this.baseUrl = baseUrl;
    this.headers = {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    };
  }

  /** GET, asked again while a part of the platform is away. @param path or address @throws Error with the answer when it is refused */
  async read<Body = Record<string, never>>(path: string): Promise<Body> {
    for (const giveUp = Date.now() + PATIENCE_MS; ; await sleep(200)) {
      const answer = await fetch(new URL(path, this.baseUrl), { headers: this.headers }).catch(() => null);
      if (answer?.ok) return (await answer.json()) as Body;
      const reason = answer ? `${answer.status} ${await answer.text()}` : 'no connection';
      if ((answer && answer.status < 500) || Date.now() > giveUp) throw new Error(`GET ${path}: ${reason}`);
    }
  }

  /** @returns the Location of the answer, empty when it has none @throws Error with the answer when it is refused */
  async write(method: 'POST' | 'PATCH', path: string, body?: object): Promise<string> {
    const answer = await fetch(new URL(path, this.baseUrl), {
      method,
      headers: this.headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
    return answer.headers.get('location') ?? '';
  }

  /** Reads a poll document until it is finished. @param seen is shown each one */
  async poll<Body extends { finished: boolean }>(path: string, everyMs: number, seen: (body: Body) => void = () => {}): Promise<Body> {
    for (;;) {
      const body = await this.read<Body>(path);
      seen(body);
      if (body.finished) return body;
      await sleep(everyMs);
    }
  }
}
