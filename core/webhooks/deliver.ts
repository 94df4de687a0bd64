import { unseal } from '../../domain/sealed.ts';
import { uriOf } from '../../domain/uris.ts';
import type { CoreDeps } from '../deps.ts';
import { type DueDelivery, nextDue, putOff, recordDelivered, recordFailure } from './deliveries.ts';
import { type Posted, post } from './post.ts';
import { ANSWERS, type Asked, AWAKE, letRest } from './rest.ts';
import { signedHeaders } from './signature.ts';

export const PURPOSE = 'webhook';

/** After so long others that wait have the place of a webhook. */
const ROUND_MS = 15_000;

/**
 * Posts what is due to a webhook, the oldest first, until nothing is, a quarter of a minute is over, or it does not answer.
 * @param answeredIn hears how long each answer took, or was waited for, in milliseconds
 * @returns how many it took, and whether more is due
 */
export async function deliverDue(
  { pool, env }: Pick<CoreDeps, 'pool' | 'env'>,
  webhookId: number,
  signal: AbortSignal,
  answeredIn: (ms: number) => void = () => {},
): Promise<{ delivered: number; more: boolean }> {
  const until = performance.now() + ROUND_MS;
  let delivered = 0;
  for (;;) {
    signal.throwIfAborted();
    const due = await nextDue(pool, webhookId);
    // Read each time: whoever stops one means from now on.
    const hook = due && (await readHook(pool, webhookId));
    if (!hook) break;
    if (performance.now() > until) return { delivered, more: true };
    const secret = unseal(env.SECRET_KEY, PURPOSE, hook.secret);
    const asked = performance.now();
    const answer = secret === null ? UNREADABLE : await tell(hook.url, secret, due, { anywhere: env.WEBHOOKS_INSIDE, signal });
    signal.throwIfAborted();
    answeredIn(performance.now() - asked);
    const isDelivered = answer.status !== null && answer.status >= 200 && answer.status < 300;
    if (isDelivered) await recordDelivered(pool, due.id, answer);
    // It was given another address meanwhile, say: that is asked at once.
    else if (!(await recordFailure(pool, due, hook.version, answer))) continue;
    delivered += Number(isDelivered);
    // What it answers with 4xx is about this one; everything else would befall the next one as well.
    if (isDelivered || (answer.status !== null && answer.status >= 400 && answer.status < 500 && answer.status !== 429)) {
      if (hook.failures > 0) await pool.query(ANSWERS, [webhookId]);
      continue;
    }
    await putOff(pool, webhookId, due);
    await letRest(pool, webhookId, hook, answer.waitSeconds ?? null);
    break;
  }
  return { delivered, more: false };
}

/** Whom a webhook is told through; empty where it is gone. */
export async function hostOf(pool: CoreDeps['pool'], id: number): Promise<string> {
  const { rows } = await pool.query<{ url: string }>('select url from core_webhook where id = $1', [id]);
  return rows[0] ? new URL(rows[0].url).hostname : '';
}

interface Hook extends Asked {
  url: string;
  secret: string;
  failures: number;
}

/** Null where it is stopped, left alone, or gone. */
async function readHook(pool: CoreDeps['pool'], id: number): Promise<Hook | null> {
  const { rows } = await pool.query<Hook>(
    `select url, secret, failures, updated_at::text as version, rests_until::text as rests from core_webhook where id = $1 and active and ${AWAKE}`,
    [id],
  );
  return rows[0] ?? null;
}

const UNREADABLE: Posted = { status: null, error: 'its secret cannot be opened since SECRET_KEY was changed: write it anew' };

function tell(url: string, secret: string, due: DueDelivery, how: { anywhere: boolean; signal: AbortSignal }): Promise<Posted> {
  const { id, name, event, resource, resource_id, created_at, now } = due;
  const body = JSON.stringify({ id, event, created_at, data: { [resource]: uriOf(resource, resource_id) } });
  return post(new URL(url), body, signedHeaders(secret, `delivery-${name}`, now, body), how);
}
