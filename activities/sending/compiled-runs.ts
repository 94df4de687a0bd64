import { ApplicationFailure } from '@temporalio/common';
import { audienceQuery } from '../../core/sending/audience.ts';
import type { FrozenRun } from '../../core/sending/content.ts';
import { relaySigning } from '../../core/sending/signing.ts';
import { readAllowList } from '../../domain/allow-list.ts';
import { compileMailing } from '../../mail/compile.ts';
import type { CompiledMailing, Relay } from '../../mail/contracts.ts';
import { withholdingMailing } from '../../mail/withholding.ts';
import type { ActivityDeps } from '../deps.ts';

export const mailSettings = ({ env }: ActivityDeps) => ({ baseUrl: env.BASE_URL, mailDomain: env.MAIL_DOMAIN, secretKey: env.SECRET_KEY });

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

/** Runs compiled once per process, not once per slice; a run begun anew (stopped, edited, queued again) is compiled anew. */
export class CompiledRuns {
  private readonly runs = new Map<number, CompiledRun>();
  private readonly deps: ActivityDeps;
  private readonly inTurns: boolean;

  constructor(deps: ActivityDeps, inTurns: boolean) {
    this.deps = deps;
    this.inTurns = inTurns;
  }

  async of(mailingId: number): Promise<CompiledRun> {
    const { rows } = await this.deps.sendPool.query('select content, rate, started_at::text from send_run where mailing_id = $1', [
      mailingId,
    ]);
    if (!rows[0]) throw ApplicationFailure.nonRetryable('this mailing has no run', 'NoRun');
    const startedAt: string = rows[0].started_at;
    const known = this.runs.get(mailingId);
    if (known?.startedAt === startedAt) return known;
    const { content, lists, dkim = [] } = rows[0].content as FrozenRun;
    const mail = withholdingMailing(compileMailing(content, mailSettings(this.deps)), readAllowList(this.deps.env.SEND_ONLY_TO));
    const relay = await relaySigning(this.deps, dkim);
    const audience = audienceQuery(mail, lists !== null, this.inTurns);
    const run = { startedAt, refusals: { inARow: 0 }, mail, relay, audience, lists, rate: rows[0].rate };
    if (this.runs.size >= 100) this.runs.delete(this.runs.keys().next().value as number);
    this.runs.set(mailingId, run);
    return run;
  }
}
