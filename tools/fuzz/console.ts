import type { Objects } from './objects.ts';
import { PEOPLE } from './objects.ts';
import type { Answer, FilePart, Send } from './send.ts';

/** A form of a page, with what is in it. */
interface Form {
  action: string;
  files: boolean;
  fields: Field[];
}

interface Field {
  name: string;
  /** What it may be sent as; empty for a text. */
  offered: string[];
  value: string | null;
  kind: 'hidden' | 'text' | 'box' | 'one' | 'file';
}

/** Where somebody goes without a link, and the kind of what is shown there. */
const PLACES: [path: string, type: string][] = [
  ...['', 'edit/', 'choose/', 'schedule/', 'results/', 'confirm/queue', 'confirm/stop'].map((page): [string, string] => [
    `/console/mailings/#/${page}`,
    'mailing',
  ]),
  ...['', 'edit/', 'merge/', 'erase/'].map((page): [string, string] => [`/console/people/#/${page}`, 'user']),
  ['/console/imports/', 'upload'],
  ['/console/webhooks/#/', 'webhook'],
];

/** What would end the visit. */
const NOT_OURS = /^\/console\/(logout|login|accounts\/1\/|accounts\/[^?]*password)/;
const TEXTS = ['', 'Hello', '7', 'people_in', '2030-01-02', 'x'.repeat(300), ...PEOPLE];
const FILE: FilePart = {
  filename: 'people.csv',
  content: 'email,first_name,user_shoe\nada@example.org,Ada,37\nbob@example.org,Bob,\nnobody,,\n',
};
/** So many are remembered of those that look alike. */
const KEPT = 4;

const unescaped = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name]!);

/** Somebody at the console who opens pages by their links, and sends the forms on them, also old ones, filled in at random. */
export class Visitor {
  readonly #objects: Objects;
  readonly #random: () => number;
  readonly #login: { username: string; password: string };
  readonly #cookies = new Map<string, string>();
  #loggingIn: Promise<void> | null = null;
  /** By what they look like. */
  readonly #links = new Map<string, string[]>([['', ['/console/']]]);
  readonly #forms = new Map<string, Form[]>();

  constructor(objects: Objects, random: () => number, login: { username: string; password: string }) {
    this.#objects = objects;
    this.#random = random;
    this.#login = login;
  }

  /** Opens a page, or sends a form of one that was opened before. */
  async step(send: Send): Promise<void> {
    if (!this.#cookies.has('campaign_console')) {
      this.#loggingIn ??= this.#logIn(send);
      await this.#loggingIn;
    }
    const kinds = [...this.#forms.values()];
    if (kinds.length && this.#random() < 0.5) {
      const form = this.#objects.pick(this.#objects.pick(kinds));
      await this.#call(send, 'POST', form.action, this.#filled(form), form.files ? 'files' : 'form');
    } else
      await this.#call(
        send,
        'GET',
        this.#random() < 0.4 ? this.#place() : this.#objects.pick(this.#objects.pick([...this.#links.values()])),
      );
  }

  #place(): string {
    const [path, type] = this.#objects.pick(PLACES);
    return path.replace('#', this.#objects.idOf(type));
  }

  async #logIn(send: Send): Promise<void> {
    const { body } = await this.#call(send, 'GET', '/console/login');
    const token = /name="_csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';
    await this.#call(send, 'POST', '/console/login', { _csrf: token, next: '', ...this.#login });
    this.#loggingIn = null;
  }

  async #call(send: Send, method: string, path: string, body?: object, kind: 'form' | 'files' = 'form'): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await send(method, path, body, { ...(body && { kind }), headers: { authorization: '', cookie } });
    for (const each of answer.cookies ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
      if (value) this.#cookies.set(name!, value);
      else this.#cookies.delete(name!);
    }
    this.#readPage(answer, path);
    return answer;
  }

  #readPage({ body, location }: Answer, path: string): void {
    if (location) this.#remember(this.#links, location, location);
    for (const [, href] of body.matchAll(/ href="(\/console\/[^"#]*)/g)) this.#remember(this.#links, unescaped(href!), unescaped(href!));
    for (const [, about, content] of body.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)) {
      if (!/method="post"/.test(about!)) continue;
      const action = unescaped(/ action="([^"#]*)/.exec(about!)?.[1] ?? path);
      this.#remember(this.#forms, action, { action, files: about!.includes('multipart'), fields: fieldsOf(content!) });
    }
  }

  #remember<Item>(all: Map<string, Item[]>, path: string, item: Item): void {
    if (!path.startsWith('/console/') || NOT_OURS.test(path)) return;
    const kind = path.replace(/\d+/g, '#').replace(/=[^&]*/g, '=');
    all.set(kind, [item, ...(all.get(kind) ?? [])].slice(0, KEPT));
  }

  #filled({ fields }: Form): Record<string, string | string[] | FilePart> {
    const sent: Record<string, string | string[] | FilePart> = {};
    for (const { name, offered, value, kind } of fields) {
      const changed = this.#random() < 0.3;
      if (kind === 'file') sent[name] = FILE;
      else if (kind === 'box') {
        if ((value !== null) !== changed) sent[name] = [...[sent[name] ?? []].flat(), offered[0]!] as string[];
      } else if (kind === 'one') sent[name] = changed || value === null ? this.#objects.pick(offered) : value;
      else sent[name] = kind === 'text' && changed ? this.#objects.pick(TEXTS) : value!;
    }
    return sent;
  }
}

function fieldsOf(content: string): Field[] {
  const ones = new Map<string, Field>();
  const fields: Field[] = [];
  const one = (name: string) => {
    const made = ones.get(name) ?? { name, offered: [], value: null, kind: 'one' };
    if (!ones.has(name)) fields.push(made);
    ones.set(name, made);
    return made;
  };
  for (const [, tag, about, text] of content.matchAll(/<(input|button|select|textarea)\b([^>]*)>(?:(.*?)<\/\1>)?/gs)) {
    const attribute = (key: string) => unescaped(new RegExp(` ${key}="([^"]*)"`).exec(about!)?.[1] ?? '');
    const [name, type, value] = [attribute('name'), attribute('type'), attribute('value')];
    if (!name) continue;
    if (tag === 'select') {
      const field = one(name);
      for (const [, option] of text!.matchAll(/<option([^>]*)>/g)) {
        const offered = unescaped(/ value="([^"]*)"/.exec(option!)?.[1] ?? '');
        field.offered.push(offered);
        if (option!.includes(' selected')) field.value = offered;
      }
    } else if (tag === 'button' || type === 'radio') {
      const field = one(name);
      field.offered.push(value);
      if (about!.includes(' checked')) field.value = value;
    } else if (type === 'checkbox')
      fields.push({ name, offered: [value || 'on'], value: about!.includes(' checked') ? value : null, kind: 'box' });
    else if (type === 'file') fields.push({ name, offered: [], value, kind: 'file' });
    else
      fields.push({
        name,
        offered: [],
        value: tag === 'textarea' ? unescaped(text!).replace(/^\n/, '') : value,
        kind: type === 'hidden' ? 'hidden' : 'text',
      });
  }
  return fields.filter(({ kind, offered }) => kind !== 'one' || offered.length > 0);
}
