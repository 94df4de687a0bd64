import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fault =
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** Never answers. */
  | { kind: 'silence' }
  /** Does what it was asked, and hangs up before it has said so. */
  | { kind: 'lost' }
  /** Does what it was asked, and says half of it. */
  | { kind: 'half' }
  | { kind: 'raw'; body: string };

export interface StubRequest {
  method: string;
  path: string;
  body: Record<string, unknown>;
  key: string | undefined;
  headers: IncomingMessage['headers'];
  at: number;
}

type Answer = { status: number; body?: unknown };

/** A server of JSON requests that writes down what it is asked and can be told to fail. */
export abstract class StubServer {
  requests: StubRequest[] = [];
  /** What goes wrong with a request, if anything. */
  fault: (request: StubRequest, nth: number) => Fault | null | Promise<Fault | null> = () => null;
  clock: () => number = Date.now;
  url = '';
  #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => this.#serve(request, response, Buffer.concat(chunks).toString()));
      request.on('error', () => {});
    });
    // Longer than any test: a connection that is reused must not be closed under a request.
    this.#server.keepAliveTimeout = 60_000;
  }

  /** What an unfaulty system does. */
  protected abstract handle(request: StubRequest): Answer;

  protected read(text: string): Record<string, unknown> {
    return text ? JSON.parse(text) : {};
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  reset(): void {
    this.requests = [];
    this.fault = () => null;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const request: StubRequest = {
      method: incoming.method!,
      path: incoming.url!,
      body: this.read(text),
      key: incoming.headers['idempotency-key'] as string | undefined,
      headers: incoming.headers,
      at: this.clock(),
    };
    this.requests.push(request);
    const fault = await this.fault(request, this.requests.length);
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'status') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      return void response.end(JSON.stringify(fault.body ?? {}));
    }
    if (fault?.kind === 'raw') return void response.end(fault.body);
    const { status, body } = this.handle(request);
    if (fault?.kind === 'lost') return void incoming.socket.destroy();
    const answer = body === undefined ? '' : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    if (fault?.kind !== 'half') return void response.end(answer);
    response.write(answer.slice(0, Math.ceil(answer.length / 2)), () => incoming.socket.destroy());
  }
}

export interface StubContact {
  id: string;
  external_ref: string;
  email: string;
  ended?: string;
  [field: string]: unknown;
}

/** The contract of docs/crm.md, in memory. */
export class StubCrm extends StubServer {
  contacts = new Map<string, StubContact>();
  contributions = new Map<string, Record<string, unknown>>();
  /** False: a CRM that pays no heed to idempotency keys. */
  idempotent = true;
  #byKey = new Map<string, Answer>();
  #nextId = 1000;

  override reset(): void {
    super.reset();
    this.contacts.clear();
    this.contributions.clear();
    this.#byKey.clear();
    this.idempotent = true;
  }

  protected override handle(request: StubRequest): Answer {
    const known = this.idempotent && request.key ? this.#byKey.get(request.key) : undefined;
    if (known) return known;
    const answer = this.#act(request);
    if (request.key) this.#byKey.set(request.key, answer);
    return answer;
  }

  #act({ method, path, body }: StubRequest): Answer {
    const [, what = '', id = '', action] = path.split('/');
    const records: Map<string, Record<string, unknown>> = what === 'contacts' ? this.contacts : this.contributions;
    if (method === 'POST' && id === 'find') {
      const [[field, value] = ['', '']] = Object.entries(body);
      const same = (each: unknown) => String(each).toLowerCase() === String(value).toLowerCase();
      return { status: 200, body: { ids: [...records.values()].filter((each) => same(each[field])).map((each) => each.id) } };
    }
    if (method === 'POST' && id === '') {
      const made = { ...body, id: String(this.#nextId++) };
      records.set(made.id, made);
      return { status: 201, body: { id: made.id } };
    }
    const found = records.get(id);
    if (!found) return { status: 404, body: { message: 'no such record' } };
    if (action === 'end') Object.assign(found, { ended: body.reason });
    else Object.assign(found, body);
    return { status: 204 };
  }
}
