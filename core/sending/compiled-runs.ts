import { readAllowList } from '../../domain/allow-list.ts';
import { compileMailing } from '../../mail/compile.ts';
import type { CompiledMailing, Relay } from '../../mail/contracts.ts';
import { withholdingMailing } from '../../mail/withholding.ts';
import type { CoreDeps } from '../deps.ts';
import { audienceQuery } from './audience.ts';
import type { FrozenRun } from './content.ts';
import { mailSettings } from './mail-settings.ts';
import { relaySigning } from './relay-chain.ts';

/** A mailing that was never begun has nothing to send by. */
export class NoRunError extends Error {}

export interface CompiledRun {
  /** When it began, as PostgreSQL writes it. */
  startedAt: string;
  refusals: { inARow: number };
  mail: CompiledMailing;
  /** Signs on the way. */
  relay: Relay;
  audience: string;
  lists: number[] | null;
  rate: number | null;
}

type Deps = Pick<CoreDeps, 'pool' | 'env' | 'relay'>;

/** Runs compiled once per process, not once per slice; a run begun anew (stopped, edited, queued again) is compiled anew. */
export class CompiledRuns {
  readonly #runs = new Map<number, CompiledRun>();
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws NoRunError */
  async of(mailingId: number): Promise<CompiledRun> {
    const { pool, env } = this.#deps;
    const { rows } = await pool.query('select content, rate, started_at::text from send_run where mailing_id = $1', [mailingId]);
    if (!rows[0]) throw new NoRunError('this mailing has no run');
    const startedAt: string = rows[0].started_at;
    const known = this.#runs.get(mailingId);
    if (known?.startedAt === startedAt) return known;
    const { content, lists, dkim = [] } = rows[0].content as FrozenRun;
    const mail = withholdingMailing(compileMailing(content, mailSettings(env)), readAllowList(env.SEND_ONLY_TO));
    const relay = await relaySigning(this.#deps, dkim);
    const audience = audienceQuery(mail, lists !== null);
    const run = { startedAt, refusals: { inARow: 0 }, mail, relay, audience, lists, rate: rows[0].rate };
    if (this.#runs.size >= 100) this.#runs.delete(this.#runs.keys().next().value as number);
    this.#runs.set(mailingId, run);
    return run;
  }
}
