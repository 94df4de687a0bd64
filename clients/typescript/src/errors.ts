/** The platform refused a request, or could not do it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Messages by the field they are about; `service`, `permission`, `body` … for what is about none. Empty where the answer had no body. */
  readonly errors: Record<string, string[]>;
  /** The body as it came: JSON, or text. */
  readonly body: unknown;
  /** Of a 409, the object that holds what was to be taken; of a 3xx, where the platform is instead. */
  readonly location: string | null;

  constructor(request: string, { status, body, headers }: { status: number; body: unknown; headers: Headers }) {
    const errors = messagesOf(body);
    const said = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    const location = headers.get('location');
    const led = status < 400 && location ? [`it leads to ${location}`] : [];
    super([`${request} was answered ${status}`, ...led, ...said].join('; '));
    this.status = status;
    this.errors = errors;
    this.body = body;
    this.location = location;
  }
}

/** There was no answer, with all retries. What was asked for changes nothing, or can be sent again. `cause` has the last failure. */
export class NoAnswerError extends Error {
  override readonly name: string = 'NoAnswerError';
}

/** Nobody knows whether the change was made, and sending it again might make it twice: look first. `cause` has the failure. */
export class UncertainError extends NoAnswerError {
  override readonly name = 'UncertainError';
  /** Of a push, the one it was sent with: sent again with the same, it is made once. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { idempotencyKey, ...options }: ErrorOptions & { idempotencyKey?: string | undefined } = {}) {
    super(message, options);
    this.idempotencyKey = idempotencyKey;
  }
}

const AWAY = [429, 502, 503, 504];

/** Whether the platform, or what stands before it, may soon answer what failed so. */
export const isAway = (failure: unknown): boolean =>
  failure instanceof ApiError ? AWAY.includes(failure.status) : failure instanceof NoAnswerError;

/** Answers have messages under `errors`, under the resource's name, or by input object and field: here, by field. */
function messagesOf(body: unknown, field = 'body', found: Record<string, string[]> = {}): Record<string, string[]> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    for (const [name, inner] of Object.entries(body)) messagesOf(inner, name, found);
  } else if (body !== '' && body !== undefined && body !== null) {
    found[field] = [...(found[field] ?? []), ...[body].flat().map(String)];
  }
  return found;
}
