import { ApiError, isAway, NoAnswerError, UncertainError } from './errors.ts';
import { KEYED } from './schemas.ts';

export interface ClientOptions {
  /** Address of the platform, `https://campaign.example.org`. */
  url: string;
  username: string;
  password: string;
  /** Times one request is sent at most; 5 unless told. */
  attempts?: number;
  /** Before the second attempt; doubled before each further one, up to 30 s. 250 ms unless told. */
  firstPauseMs?: number;
  /** How long one answer is waited for; a minute unless told. */
  timeoutMs?: number;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** JSON as what it says, anything else as text; undefined for none. */
  body: unknown;
}

export interface RequestOptions {
  /** A FormData goes as a multipart form, anything else as JSON. */
  body?: unknown;
  /** By which the platform knows a POST that is sent again; a new one unless it is given, where the platform looks at it. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

const LONGEST_PAUSE_MS = 30_000;
/** Failures of a connection that was never made. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/** Sends requests, again where it may: after a failure that is known to have changed nothing, or where doing it twice is doing it once. */
export class Requests {
  readonly #options: Required<ClientOptions>;
  readonly #authorization: string;

  constructor(options: ClientOptions) {
    this.#options = { attempts: 5, firstPauseMs: 250, timeoutMs: 60_000, ...options, url: options.url.replace(/\/+$/, '') };
    const login = new TextEncoder().encode(`${options.username}:${options.password}`);
    this.#authorization = `Basic ${btoa(String.fromCharCode(...login))}`;
  }

  /**
   * @param address path below /rest/v1/, or an address the platform gave: of it only the path counts, for credentials go to no other place
   * @throws ApiError for an answer that is an error; NoAnswerError, UncertainError; what `signal` was aborted with
   */
  async send(verb: string, address: string, options: RequestOptions = {}): Promise<Answer> {
    const method = verb.toUpperCase();
    const path = pathOf(address);
    const request = `${method} ${path}`;
    const body = options.body instanceof FormData ? options.body : JSON.stringify(options.body);
    const keyed = method === 'POST' && takesKey(path);
    const idempotencyKey = options.idempotencyKey || (keyed ? crypto.randomUUID() : undefined);
    const repeatable = method !== 'POST' || keyed;
    let maybeDone = false;
    for (let attempt = 1; ; attempt++) {
      const got = await this.#once(method, path, { ...options, idempotencyKey, body }).catch((error: Error) => error);
      options.signal?.throwIfAborted();
      const failure = got instanceof Error ? got : isDone(got) ? null : new ApiError(request, got);
      if (!failure) return got as Answer;
      if (failure instanceof ApiError && !isAway(failure)) {
        // What was to go was gone already by the attempt nobody answered.
        if (method === 'DELETE' && maybeDone && failure.status === 404) return got as Answer;
        // And what changed meanwhile (targeting_version) was changed by that attempt, or by somebody else.
        if (method !== 'POST' && maybeDone && failure.status === 409) throw uncertainOf(request, failure);
        throw failure;
      }
      const uncertain = isUncertain(failure);
      maybeDone ||= uncertain;
      if (uncertain && !repeatable) throw uncertainOf(request, failure);
      if (attempt >= this.#options.attempts) {
        if (method === 'POST' && maybeDone) throw uncertainOf(request, failure, idempotencyKey);
        if (failure instanceof ApiError) throw failure;
        throw new NoAnswerError(`${request}: no answer in ${attempt} attempts`, { cause: failure });
      }
      await pause(retryAfter(got) ?? this.#pauseAfter(attempt), options.signal);
    }
  }

  async #once(
    method: string,
    path: string,
    { body, idempotencyKey, signal }: RequestOptions & { body: string | FormData | undefined },
  ): Promise<Answer> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs);
    const response = await fetch(this.#options.url + path, {
      method,
      headers: {
        authorization: this.#authorization,
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body }),
      // A Location is for the caller.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await response.text();
    const json = text !== '' && (response.headers.get('content-type') ?? '').includes('json');
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text || undefined };
  }

  /** Spread, so that many clients that were cut off together do not come back together. */
  #pauseAfter(attempt: number): number {
    return Math.min(this.#options.firstPauseMs * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2);
  }
}

function pathOf(address: string): string {
  const path = address.replace(/^https?:\/\/[^/]+/, '');
  // A filter may name an object by its address.
  const start = path.replace(/\?.*/s, '').indexOf('/rest/v1/');
  return start === -1 ? `/rest/v1/${path.replace(/^\/+/, '')}` : path.slice(start);
}

/** Whether the platform knows a POST by its key when it is sent again. */
function takesKey(path: string): boolean {
  const parts = path.replace(/\?.*/s, '').split('/').slice(3);
  return KEYED.map((each) => each.split('/')).some(
    (each) => each.length === parts.length && each.every((part, n) => part === '*' || part === parts[n]),
  );
}

/** Whoever leads elsewhere (http to https, a login page) has done nothing; 303 alone says that it is done, and where to see it. */
function isDone({ status, headers }: Answer): boolean {
  return status < 300 || (status === 303 && (headers.get('location') ?? '').includes('/rest/v1/'));
}

function uncertainOf(request: string, cause: Error, idempotencyKey?: string): UncertainError {
  const again = idempotencyKey ? `; it can be sent again with the Idempotency-Key ${idempotencyKey}` : '';
  return new UncertainError(`${request}: nobody knows whether it was done${again}`, { cause, idempotencyKey });
}

/** Whether the request may have been carried out. The platform's own 503 says so in words, where it is so. */
function isUncertain(failure: Error): boolean {
  if (failure instanceof ApiError) return [502, 504].includes(failure.status) || /may have been/.test(failure.message);
  return !NOT_SENT.includes(String((failure.cause as { code?: unknown } | undefined)?.code));
}

/** @returns milliseconds, or null where the answer does not say */
export function retryAfter(got: Answer | Error): number | null {
  const said = got instanceof Error ? null : got.headers.get('retry-after');
  if (!said) return null;
  const ms = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** @throws what `signal` is aborted with */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((over, aborted) => {
    const stop = () => {
      clearTimeout(timer);
      aborted(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      over();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
