/** How a body goes onto the wire where it is no JSON: the fields of a form, which are texts, lists of them, or files; or one text of a type. */
export type Kind = 'form' | 'files' | 'message/rfc822';

/** A file in a form. */
export interface FilePart {
  filename: string;
  content: string;
}

/** What a call has beside its body. */
export interface How {
  kind?: Kind;
  /** Empty ones are not sent. */
  headers?: Record<string, string>;
}

/** What a call was answered. */
export interface Answer {
  status: number;
  body: string;
  /** Relative; empty when there is none. */
  location: string;
  /** As they are to be set. */
  cookies?: readonly string[];
}

/** Calls the API, as its superuser unless the headers say otherwise. */
export type Send = (method: string, path: string, body?: unknown, how?: How) => Promise<Answer>;

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

/** Headers and bytes of a call. @param own of whoever calls unless `how` has others */
export async function wireOf(body: unknown, { kind, headers = {} }: How = {}, own: Record<string, string> = {}) {
  const content = body === undefined ? null : new Response(kind ? bodyOf(body, kind) : JSON.stringify(body));
  const type = kind?.includes('/') ? kind : kind ? content?.headers.get('content-type') : 'application/json';
  const all = { ...own, ...(content && { 'content-type': type! }), ...headers };
  return {
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value)),
    ...(content && { payload: Buffer.from(await content.arrayBuffer()) }),
  };
}

function bodyOf(body: unknown, kind: Kind): FormData | URLSearchParams | string {
  if (typeof body === 'string') return body;
  const form = kind === 'files' ? new FormData() : new URLSearchParams();
  for (const [name, values] of Object.entries(body as Record<string, string | string[] | FilePart>)) {
    for (const value of [values].flat()) {
      if (typeof value === 'string') form.append(name, value);
      else (form as FormData).append(name, new Blob([value.content], { type: 'text/csv' }), value.filename);
    }
  }
  return form;
}

/** Calls over HTTP. */
export function sendTo(baseUrl: string, username: string, password: string): Send {
  const authorization = basic(username, password);
  return async (method, path, body, how) => {
    const { headers, payload } = await wireOf(body, how, { authorization });
    const answer = await fetch(baseUrl + path, {
      method,
      redirect: 'manual',
      headers,
      ...(payload && { body: payload }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const location = (answer.headers.get('location') ?? '').replace(baseUrl, '');
    return { status: answer.status, body: await answer.text(), location, cookies: answer.headers.getSetCookie() };
  };
}

export const basic = (username: string, password: string) => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
