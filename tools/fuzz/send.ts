/** What a call was answered. */
export interface Answer {
  status: number;
  body: string;
  /** Relative; empty when there is none. */
  location: string;
}

/** Calls the API as its superuser. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** One that was made. */
export interface Call {
  method: string;
  path: string;
  body?: unknown;
  status: number;
  /** What it took. */
  ms: number;
  /** What was answered to a call that failed. */
  answer?: string;
}

/** Longer than the platform waits for anything. */
const PATIENCE_MS = 120_000;

/** Calls over HTTP. */
export function sendTo(baseUrl: string, username: string, password: string): Send {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return async (method, path, body) => {
    const answer = await fetch(baseUrl + path, {
      method,
      redirect: 'manual',
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const location = (answer.headers.get('location') ?? '').replace(baseUrl, '');
    return { status: answer.status, body: await answer.text(), location };
  };
}
