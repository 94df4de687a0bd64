import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { TestApi } from './api.ts';

/** The words of a page, as they are read. */
export const text = (body: string): string =>
  body
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll('&#39;', "'");

/** Somebody at the console, as a browser without scripts: keeps cookies, sends the forms it was given. */
export class ConsoleVisitor {
  readonly #app: FastifyInstance;
  readonly #cookies: Map<string, string>;

  constructor(app: FastifyInstance, cookies = new Map<string, string>()) {
    this.#app = app;
    this.#cookies = cookies;
  }

  /** Another with the same cookies, at another API too. */
  copy(app = this.#app): ConsoleVisitor {
    return new ConsoleVisitor(app, new Map(this.#cookies));
  }

  get(url: string): Promise<LightMyRequestResponse> {
    return this.#call('GET', url);
  }

  /** A form sent as it is given. */
  post(url: string, fields: Record<string, string | string[]>): Promise<LightMyRequestResponse> {
    const form = new URLSearchParams(
      Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value])),
    );
    return this.#call('POST', url, form.toString());
  }

  /** Sends the form on `page` that goes to `action`, with its hidden fields and these. */
  async submit(page: string, action: string, fields: Record<string, string> = {}): Promise<LightMyRequestResponse> {
    const { body } = await this.get(page);
    const form = new RegExp(`<form[^>]* action="${action}"[^>]*>(.*?)</form>`, 's').exec(body)?.[1];
    if (form === undefined) throw new Error(`${page} has no form to ${action}`);
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
    return this.post(action, { ...Object.fromEntries(hidden), ...fields });
  }

  /** A form with a file in it. @param file null where none was chosen */
  sendFile(
    url: string,
    fields: Record<string, string>,
    file: { name: string; filename: string; content: string | Buffer } | null,
  ): Promise<LightMyRequestResponse> {
    const part = (about: string, content: string | Buffer) =>
      Buffer.concat([Buffer.from(`--form\r\nContent-Disposition: form-data; ${about}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
    const parts = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value));
    if (file) parts.push(part(`name="${file.name}"; filename="${file.filename}"\r\nContent-Type: text/csv`, file.content));
    return this.#call('POST', url, Buffer.concat([...parts, Buffer.from('--form--\r\n')]), 'multipart/form-data; boundary=form');
  }

  async logIn(login: { username: string; password: string }, next = ''): Promise<LightMyRequestResponse> {
    const token = this.token(await this.get('/console/login'));
    return this.post('/console/login', { _csrf: token, next, ...login });
  }

  /** The form token of a page. */
  token({ body }: LightMyRequestResponse): string {
    return /name="_csrf" value="([^"]+)"/.exec(body)![1]!;
  }

  /** The Cookie header, for a request made elsewhere. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async #call(
    method: 'GET' | 'POST',
    url: string,
    payload?: string | Buffer,
    type = 'application/x-www-form-urlencoded',
  ): Promise<LightMyRequestResponse> {
    const { cookie } = this;
    const headers = { ...(cookie && { cookie }), ...(payload !== undefined && { 'content-type': type }) };
    const answer = await this.#app.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
    for (const { name, value, maxAge } of answer.cookies) {
      if (maxAge === 0 || value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return answer;
  }
}

/** Somebody else at the console, with an account of these grants. */
export async function enterAs(api: TestApi, username: string, grants: string[]): Promise<ConsoleVisitor> {
  const login = { username, password: 'long-enough' };
  const group = await api.create('authgroup', { name: username, grants });
  await api.create('authuser', { ...login, is_staff: true, groups: [group] });
  const visitor = new ConsoleVisitor(api.app);
  await visitor.logIn(login);
  return visitor;
}
