import { isAway } from './errors.ts';
import { type Answer, type ClientOptions, pause, type RequestOptions, Requests, retryAfter } from './requests.ts';
import type { Resources } from './schemas.ts';

/** Resources that offer something: `'created'` for those that take a POST. */
type Offering<What extends string> = {
  [Name in keyof Resources]: Resources[Name] extends Record<What, unknown> ? Name : never;
}[keyof Resources];
type Of<Name extends keyof Resources, What extends string> = Resources[Name] extends Record<What, infer It> ? It : undefined;

type Value = string | number | boolean | null | undefined;
/** By field, or field and operator: `{ email__icontains: 'example', order_by: '-id' }`. A list stands for one of its values (`id__in`). */
type Filters = Record<string, Value | readonly (string | number)[]>;
type Signal = Pick<RequestOptions, 'signal'>;

export interface Page<It> {
  meta: { limit: number; offset: number; total_count: number; next: string | null; previous: string | null };
  objects: It[];
}

/** What a POST made. */
export interface Created<Body> {
  /** Its address, which get, poll and others take; empty where there is none. */
  uri: string;
  /** The number at the end of its address; NaN where there is none. */
  id: number;
  body: Body;
}

/** Tells how far something is that takes time. */
export interface PollDocument {
  finished: boolean;
  /** Whether it did what was asked. */
  success?: boolean;
  errors?: string[];
  [name: string]: unknown;
}

/** By resource, what its form calls the file. */
const FILE_FIELD = { upload: 'upload', mergefile: 'file' } as const;
/** Resources without a filter by id. */
const BY_OFFSET = ['sentmail', 'usermailing'];
const UNFINISHED = ['pending', 'running', 'new', 'importing'];
const [FIRST_POLL_MS, LONGEST_POLL_MS] = [100, 5_000];
/** So long whoever polls waits for a platform that has answered before: longer than it takes to start it anew. */
const LONGEST_OUTAGE_MS = 10 * 60_000;

/** The REST API, typed by its OpenAPI document. Every method throws ApiError, NoAnswerError or UncertainError. */
export class CampaignClient {
  readonly #requests: Requests;

  constructor(options: ClientOptions) {
    this.#requests = new Requests(options);
  }

  /** A client as API_URL, API_USERNAME and API_PASSWORD say. @throws TypeError that names what is missing */
  static fromEnvironment(env: Record<string, string | undefined> = process.env, options: Partial<ClientOptions> = {}): CampaignClient {
    const [url, username, password] = ['API_URL', 'API_USERNAME', 'API_PASSWORD'].map((name) => {
      if (!env[name]) throw new TypeError(`${name} is not set`);
      return env[name];
    }) as [string, string, string];
    return new CampaignClient({ url, username, password, ...options });
  }

  /**
   * All objects that the filters let through, page by page, each page asked for when it is reached. In the order of ids, either way, none is left out however many are
   * deleted, changed or added meanwhile, also by who reads them; in another order what leaves a page shifts those behind it.
   */
  async *list<Name extends Offering<'listed'>>(
    resource: Name,
    filters: Filters = {},
    { signal }: Signal = {},
  ): AsyncGenerator<Of<Name, 'listed'>, void> {
    let page = await this.page(resource, { _limit: 100, ...filters }, { signal });
    for (;;) {
      const following = behind(resource, filters, page);
      yield* page.objects;
      if (following === null) return;
      page = (await this.request('GET', following, { signal })).body as typeof page;
    }
  }

  /** One page, with how many objects there are in all. */
  async page<Name extends Offering<'listed'>>(
    resource: Name,
    filters: Filters = {},
    options: Signal = {},
  ): Promise<Page<Of<Name, 'listed'>>> {
    const given = Object.entries(filters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const query = given.length ? `?${new URLSearchParams(given)}` : '';
    return (await this.request('GET', `${resource}/${query}`, options)).body as Page<Of<Name, 'listed'>>;
  }

  /** @param id or name, where the resource has names */
  async get<Name extends Offering<'read'>>(resource: Name, id: number | string, options: Signal = {}): Promise<Of<Name, 'read'>> {
    return (await this.request('GET', `${resource}/${encodeURIComponent(id)}/`, options)).body as Of<Name, 'read'>;
  }

  /**
   * Makes an object. It carries an Idempotency-Key, a new one unless it is given, and is sent again when no answer comes; where none comes at all, UncertainError has
   * the key.
   */
  async create<Name extends Offering<'created'>>(
    resource: Name,
    input: Of<Name, 'created'>,
    options: Omit<RequestOptions, 'body'> = {},
  ): Promise<Created<Of<Name, 'answered'>>> {
    return this.#made(await this.request('POST', `${resource}/`, { ...options, body: input }));
  }

  /**
   * Sends a file: people to import (`upload('upload', file, { page: 'import' })`, then poll its `uri`), or what a mailing shows of each (`upload('mergefile', file)`).
   * @param file CSV, with the name it is to be known by
   */
  async upload(
    resource: keyof typeof FILE_FIELD,
    file: File,
    fields: Record<string, string | boolean> = {},
    options: Signal = {},
  ): Promise<Created<undefined>> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    form.append(FILE_FIELD[resource], file);
    return this.#made(await this.request('POST', `${resource}/`, { ...options, body: form }));
  }

  /** Changes the fields that are given and no others. */
  async update<Name extends Offering<'changed'>>(
    resource: Name,
    id: number | string,
    change: Of<Name, 'changed'>,
    options: Signal = {},
  ): Promise<void> {
    await this.request('PATCH', `${resource}/${encodeURIComponent(id)}/`, { ...options, body: change });
  }

  async delete<Name extends Offering<'deleted'>>(resource: Name, id: number | string, options: Signal = {}): Promise<void> {
    await this.request('DELETE', `${resource}/${encodeURIComponent(id)}/`, options);
  }

  /** Asks for what an address beside those of objects does: `start('mailer/7/rebuild/')`. @returns where to poll */
  async start(path: string, body?: unknown, options: Signal = {}): Promise<string> {
    return this.#made(await this.request('POST', path, { ...options, body })).uri;
  }

  /**
   * Reads a poll document until it says it is finished: of a rebuild, proofs, a mailing's progress, a merge, an upload, a report in the background. What it tells of goes on
   * where the API is started anew, so a platform that has answered once may be away for ten minutes.
   * @param address as `start` or `create` gave it
   * @param options `seen` is shown each document, `signal` ends the waiting
   * @throws TypeError when there is no poll document at the address
   */
  async poll<Document extends object = PollDocument>(
    address: string,
    options: Signal & { seen?: (document: Document) => void } = {},
  ): Promise<Document> {
    let heardAt = Number.NEGATIVE_INFINITY;
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 1.5, LONGEST_POLL_MS)) {
      const answer = await this.request('GET', address, options).catch((failure: unknown) => {
        if (isAway(failure) && performance.now() - heardAt < LONGEST_OUTAGE_MS) return null;
        throw failure;
      });
      if (answer) {
        heardAt = performance.now();
        options.seen?.(answer.body as Document);
        if (isFinished(answer.body, address)) return answer.body as Document;
      }
      await pause((answer && retryAfter(answer)) ?? wait, options.signal);
    }
  }

  /** Any request of the API. @param path below /rest/v1/, or an address the platform gave */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.#requests.send(method, path, options);
  }

  #made<Body>({ headers, body }: Answer): Created<Body> {
    const uri = headers.get('location')?.replace(/^https?:\/\/[^/]+/, '') ?? '';
    return { uri, id: Number(/\/(\d+)\/$/.exec(uri)?.[1] ?? Number.NaN), body: body as Body };
  }
}

/** The address of the page behind one: from its last object on, where the order is that of ids, for offsets count what may be gone by then. */
function behind(resource: string, filters: Filters, { meta: { next }, objects }: Page<unknown>): string | null {
  const past = { id: 'id__gt', '-id': 'id__lt' }[String(filters['order_by'] ?? 'id')];
  const last = (objects.at(-1) as { id?: unknown } | undefined)?.id;
  if (next === null || past === undefined || BY_OFFSET.includes(resource) || typeof last !== 'number') return next;
  const [path, query] = next.split('?');
  const parameters = new URLSearchParams(query);
  // The platform's own word for the same.
  if (parameters.has('_after')) return next;
  parameters.delete('_offset');
  parameters.set(past, String(last));
  // Of all that are left, for each page anew, it would cost more than the pages.
  if (!parameters.has('_count')) parameters.set('_count', 'estimate');
  return `${path}?${parameters}`;
}

function isFinished(document: unknown, address: string): boolean {
  const { finished, status } = (document ?? {}) as { finished?: unknown; status?: unknown };
  if (typeof finished === 'boolean') return finished;
  if (typeof status !== 'string') throw new TypeError(`${address} is not the address of a poll document`);
  return !UNFINISHED.includes(status);
}
