import { akid, akidDigest } from '../../domain/akid.ts';
import type { Operation } from './operations.ts';
import type { How, Send } from './send.ts';

/** Everything writes of the same people, who come back by what they do when somebody has deleted them. */
export const PEOPLE = ['ada@example.org', 'bob@example.org', 'cyd@example.org'];

/** Of each kind: few, so that calls meet. Of mailings so many that some are drafts. */
const KEPT = 2;
const KEPT_MAILINGS = 5;
const PAGES = ['signup', 'petition', 'import', 'unsubscribe', 'eventcreate', 'eventsignup', 'donation', 'whipcount'].map(
  (kind) => `${kind}page`,
);

/** The kind of object in a path or a URI. */
export const typeIn = (path: string) => /^\/rest\/v1\/(\w+)\//.exec(path)?.[1] ?? '';

/** What calls are made with. */
export interface Known {
  /** SECRET_KEY of the platform, by which it knows its links. */
  secret: string;
  /** Where webhooks are to lead. */
  hookUrl?: string | undefined;
}

/** The newest objects of every kind, and calls about them. */
export class Objects {
  readonly #send: Send;
  readonly #random: () => number;
  readonly #known: Known;
  readonly #types: string[];
  readonly #ids = new Map<string, string[]>();
  #words = 0;

  constructor(send: Send, random: () => number, operations: readonly Operation[], known: Known) {
    this.#send = send;
    this.#random = random;
    this.#known = known;
    this.#types = [
      ...new Set(
        operations
          .map(({ path }) => path)
          .filter((path) => /^\/rest\/v1\/\w+\/\{id\}\//.test(path))
          .map(typeIn),
      ),
    ];
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)]!;
  }

  /** Whether it is known that there is none. */
  isGone(type: string): boolean {
    return this.#ids.get(type)?.length === 0;
  }

  idOf(type: string): string {
    const kind = type === 'page' ? (this.pick(PAGES.filter((page) => this.#ids.get(page)?.length)) ?? '') : type;
    const ids = this.#ids.get(kind) ?? [];
    return ids.length ? this.pick(ids) : '999999';
  }

  /** Reads which are the newest now. */
  async look(): Promise<void> {
    const newest = async (type: string) => {
      // Those who are erased are written to by whoever has them erased.
      const which = type === 'user' ? `email__in=${PEOPLE.join(',')}` : `_limit=${type === 'mailing' ? KEPT_MAILINGS : KEPT}&order_by=-id`;
      const { status, body } = await this.#send('GET', `/rest/v1/${type}/?${which}`);
      if (status !== 200) return;
      const { objects } = JSON.parse(body) as { objects: { id?: number; resource_uri?: string }[] };
      this.#ids.set(
        type,
        objects.map(({ id, resource_uri }) => String(id ?? resource_uri?.split('/').at(-2))),
      );
    };
    for (let n = 0; n < this.#types.length; n += 8) await Promise.all(this.#types.slice(n, n + 8).map(newest));
    this.#ids.set('mailer', this.#ids.get('mailing') ?? []);
    // The first account is the one that calls.
    this.#ids.set(
      'authuser',
      (this.#ids.get('authuser') ?? []).filter((id) => id !== '1'),
    );
  }

  /** A call of an operation: of objects there are, and with names that are taken at times. */
  callOf({ method, path, body, how }: Operation): [method: string, path: string, body?: unknown, how?: How] {
    const type = typeIn(path);
    const url = this.fill(path.replace('{id}', () => this.idOf(type)).replace('{short_name}', 'people_in'));
    return [method, url, body === undefined ? undefined : this.#vary(body), how];
  }

  /** Of a mail to that person, to one of the people, or at times to one of those whom all mailings go to. */
  fill(text: string, person?: number): string {
    if (!text.includes('%')) return text;
    const user = person ?? (this.#random() < 0.7 ? Number(this.idOf('user')) : 1 + Math.floor(this.#random() * 30));
    const mailing = Number(this.idOf('mailing'));
    return text
      .replaceAll('%akid%', () => akid(this.#known.secret, mailing, user))
      .replaceAll(
        '%return%',
        () => `${mailing}.${user}.${akidDigest(this.#known.secret, `${mailing}.${user}`).slice(22, 32).toLowerCase()}`,
      )
      .replaceAll('%new%', () => String(++this.#words));
  }

  #vary(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return this.#varyText(value, key);
    if (typeof value === 'number' && key.endsWith('_id')) return Number(this.idOf(key.replace(/_id$/, '')));
    if (Array.isArray(value)) return value.map((each) => this.#vary(each, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#vary(each, name)]));
  }

  #varyText(text: string, key: string): string {
    const type = /^\/rest\/v1\/(\w+)\/\d+\/$/.exec(text)?.[1];
    if (type) return `/rest/v1/${type}/${this.idOf(type)}/`;
    if (key === 'url' && this.#known.hookUrl && text.endsWith('/hooks/')) return this.#known.hookUrl;
    if (key === 'email' || /^\w+@example\.org$/.test(text)) return this.pick(PEOPLE);
    if (/^(name|short_name|username)$/.test(key)) return this.#random() < 0.4 ? text : text + Math.floor(this.#random() * 5);
    if (/^(trans_id|import_id|recurring_id)$/.test(key)) return text + Math.floor(this.#random() * 4);
    return this.fill(text);
  }
}
