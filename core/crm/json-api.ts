import { longNumbersQuoted } from '../../domain/json-numbers.ts';
import { retryAfter } from '../../domain/retry-after.ts';
import { whyNotConnected } from '../not-connected.ts';
import { CrmAway, CrmBusy, CrmRefused } from './crm.ts';
import { type Answer, exchange } from './exchange.ts';

export interface JsonApiSettings {
  /** http or https. Requests go below it and nowhere else: an answer that leads elsewhere is not followed. */
  baseUrl: string;
  headers: Record<string, string>;
  /** Longest one request may take, its answer read. */
  timeoutMs: number;
  /** Largest answer, in bytes. */
  bodyLimit: number;
  /** Ends a request under way. */
  signal?: AbortSignal;
}

export interface JsonRequest {
  body: unknown;
  type?: 'json' | 'form';
  key?: string;
  /** Statuses that are answers, not errors, beside 2xx. */
  expected?: number[];
  /** For systems that refuse with a 5xx: what such an answer refuses for good, or null when it is an outage after all. */
  refusal?: (body: unknown) => string | null;
}

export interface JsonAnswer {
  status: number;
  /** Null when the answer has no body. */
  body: unknown;
}

const DEFAULT_RETRY_SECONDS = 30;
const LONGEST_RETRY_SECONDS = 86_400;
const LONGEST_MESSAGE = 500;
/** Not about what was sent: wrong credentials, request timeout, too early. */
const PASSING = new Set([401, 407, 408, 425]);

/**
 * Sends one JSON request and reads its JSON answer.
 * @throws CrmRefused for a 4xx, CrmBusy for 429, CrmAway for everything that may pass
 */
export async function send(settings: JsonApiSettings, method: string, path: string, request: JsonRequest): Promise<JsonAnswer> {
  const timeout = AbortSignal.timeout(settings.timeoutMs);
  const signal = settings.signal ? AbortSignal.any([timeout, settings.signal]) : timeout;
  const form = request.type === 'form';
  try {
    const answer = await exchange(settings.baseUrl.replace(/\/+$/, '') + path, {
      method,
      signal,
      limit: settings.bodyLimit,
      headers: {
        accept: 'application/json',
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
        ...settings.headers,
        ...(request.key && { 'idempotency-key': request.key }),
      },
      body: form ? new URLSearchParams(request.body as Record<string, string>).toString() : JSON.stringify(request.body),
    });
    return await judge(answer, request);
  } catch (error) {
    if (error instanceof CrmRefused || error instanceof CrmBusy || error instanceof CrmAway) throw error;
    settings.signal?.throwIfAborted();
    if (timeout.aborted) throw new CrmAway(`no answer within ${settings.timeoutMs} ms`);
    throw new CrmAway(whyNotConnected(error as { code?: string }));
  }
}

async function judge({ status, text, retryAfter: after, date }: Answer, { expected = [], refusal }: JsonRequest): Promise<JsonAnswer> {
  if (status >= 200 && status < 300) return { status, body: await parsed(text) };
  if (expected.includes(status)) return { status, body: null };
  const asked = retryAfter(after, date);
  const waitMs = asked === null ? null : Math.min(LONGEST_RETRY_SECONDS, asked) * 1000;
  if (status === 429) throw new CrmBusy('it asks for fewer requests (429)', waitMs ?? DEFAULT_RETRY_SECONDS * 1000);
  if (PASSING.has(status)) throw new CrmAway(`it answered ${status}`, waitMs ?? 0);
  if (status >= 400 && status < 500) throw new CrmRefused(`${status}: ${excerpt(text)}`);
  if (status >= 300 && status < 400) throw new CrmAway(`it answered ${status}: it leads elsewhere, which is not followed`);
  const refused = refusal?.(jsonOr(text, null));
  if (refused) throw new CrmRefused(`${status}: ${excerpt(refused)}`);
  throw new CrmAway(`it answered ${status}`, waitMs ?? 0);
}

function jsonOr(text: string, fallback: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** A whole number that a double does not hold, as an id may be, is kept digit by digit. */
async function parsed(text: string): Promise<unknown> {
  if (text.trim() === '') return null;
  try {
    const body: unknown = JSON.parse(text);
    const quoted = await longNumbersQuoted(text);
    return quoted === null ? body : JSON.parse(quoted);
  } catch {
    throw new CrmAway('its answer is not JSON');
  }
}

/** What a refusal says, as text for a person. */
function excerpt(text: string): string {
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape, or plain text
  const body = jsonOr(text, text) as any;
  const said = body?.error_message ?? body?.message ?? body?.error?.message ?? body?.error ?? body?.detail ?? text;
  const words = typeof said === 'string' ? said : JSON.stringify(said);
  return (
    words
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, LONGEST_MESSAGE)
      .toWellFormed() || 'no reason given'
  );
}

/** The id in an answer, as text. @throws CrmAway when there is none */
export function idIn(value: unknown): string {
  const id = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  // Ids become part of a path: these two would lead out of it, and what is no text cannot be written into one.
  const unusable =
    typeof id !== 'string' || id === '' || id.length > 255 || id.includes('\0') || id === '.' || id === '..' || !id.isWellFormed();
  if (unusable) throw new CrmAway('its answer has no usable id');
  return id as string;
}
