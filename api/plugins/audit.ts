import type { FastifyInstance } from 'fastify';
import { AuditWriter } from '../../core/accounts/audit-writer.ts';
import { withoutAddresses } from '../../domain/without-addresses.ts';
import type { ApiContext } from '../deps.ts';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const MOST_FIELDS = 100;
const LONGEST = 200;

/** Writes down every write an account made: who, when, the path, the names of the fields that were sent, and how it ended. What people do on public pages is in actions. */
export function installAudit(app: FastifyInstance, { pool, env }: ApiContext): void {
  const writer = new AuditWriter(pool, (error, waiting) =>
    app.log.warn({ error: error.message, waiting }, 'the audit log waits for the database'),
  );
  app.addHook('onClose', () => writer.close());
  app.addHook('onResponse', (request, reply, done) => {
    const { account, method, body } = request;
    if (account && !READS.has(method) && !request.routeOptions.config.reads) {
      const sent = hasFields(body) ? Object.keys(body) : [];
      writer.add({
        accountId: account.id,
        username: account.username,
        method,
        path: printable(request.url.replace(/\?.*$/s, '').split('/').map(withoutAddresses).join('/')),
        location: printable(String(reply.getHeader('location') ?? '').replace(env.BASE_URL, '')),
        fields: sent.slice(0, MOST_FIELDS).map(named),
        status: reply.statusCode,
      });
    }
    done();
  });
}

/** A mail comes as it is: of its bytes each would be a name, two million of them. */
const hasFields = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !Buffer.isBuffer(body);

/** What only a text has, or a line of a file, that was sent as a form: taken for one it is a single field, whose name is all that stands in it. */
const NO_NAME = /[@＠{}"\n,;]/;
const named = (field: string) => (NO_NAME.test(field) ? '…' : printable(field));

/** Fit for a text column, whatever a caller sent. */
const printable = (text: string) => text.slice(0, LONGEST).toWellFormed().replaceAll('\0', '');
