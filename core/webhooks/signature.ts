import { createHmac } from 'node:crypto';

/** As Standard Webhooks has it, for whose libraries there is one in most languages: `whsec_` and 24 to 64 bytes in base64. */
export const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** The headers a receiver checks: id of the delivery, the same at each attempt; time of the attempt; HMAC-SHA256 over both and the body. */
export function signedHeaders(secret: string, id: string, seconds: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}
