import type { PayloadCodec } from '@temporalio/common';
import Fastify, { type FastifyInstance } from 'fastify';

/** Bytes of a body: what one page of the UI asks for. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A payload as JSON has it: bytes in base64. */
interface PayloadJson {
  metadata?: Record<string, string>;
  data?: string;
}

const PAYLOADS = {
  type: 'object',
  required: ['payloads'],
  properties: {
    payloads: {
      type: 'array',
      items: {
        type: 'object',
        properties: { metadata: { type: 'object', additionalProperties: { type: 'string' } }, data: { type: 'string' } },
      },
    },
  },
} as const;

/**
 * Decrypts for the Temporal UI and the Temporal command line what PAYLOAD_KEYS encrypts: their "codec server", `POST /decode` and `/encode`. Whoever reaches it reads everything: it
 * is for the machine of whoever looks, or behind a proxy with a login.
 * @param uiUrl the UI, whose pages alone may ask from a browser; none without it
 */
export function codecServer(codec: PayloadCodec, uiUrl: string | undefined): FastifyInstance {
  const app = Fastify({ logger: false, bodyLimit: MOST_BYTES });
  const origin = uiUrl && new URL(uiUrl).origin;
  app.addHook('onRequest', async (request, reply) => {
    const from = request.headers.origin;
    if (from === undefined) return;
    // Browsers keep what is answered from pages of others, but not from one whose name has come to lead here.
    if (from !== origin) return reply.code(403).send();
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'content-type, x-namespace, authorization',
      'access-control-allow-credentials': 'true',
      vary: 'origin',
    });
  });
  app.options('/*', (_request, reply) => reply.code(204).send());
  for (const way of ['encode', 'decode'] as const) {
    app.post<{ Body: { payloads: PayloadJson[] } }>(`/${way}`, { schema: { body: PAYLOADS } }, async (request, reply) => {
      try {
        const payloads = await codec[way](request.body.payloads.map(fromJson));
        return { payloads: payloads.map(toJson) };
      } catch (error) {
        return reply.code(400).send({ message: (error as Error).message });
      }
    });
  }
  return app;
}

type Payloads = Parameters<PayloadCodec['encode']>[0];

const fromJson = ({ metadata = {}, data = '' }: PayloadJson): Payloads[number] => ({
  metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
  data: Buffer.from(data, 'base64'),
});

const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');

const toJson = ({ metadata, data }: Payloads[number]): PayloadJson => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
  data: base64(data),
});
