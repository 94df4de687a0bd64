import type { Pool } from '../../db/driver.ts';
import { COMMITTED, type Shard } from './shards.ts';

/** What was committed of a mailing is not there any more: a standby was promoted that did not have it, or an older copy of the database was put in its place. */
export class LostCommitsError extends Error {
  constructor() {
    super(
      'the database lost commits: people who were mailed stand as waiting, and going on may mail them twice; docs/cluster.md says what to do before it is queued again',
    );
  }
}

interface Known {
  fence: number;
  committed: number;
}

/** Mailings whose shards are remembered: those that were sent last. */
const MOST_MAILINGS = 100;

/**
 * How far each shard was when this process committed to it last, to be held against what the database says when it is taken again, or answers again. Both
 * numbers only ever grow.
 */
export class Committed {
  readonly #runs = new Map<number, { run: string | null; shards: Map<number, Known> }>();

  /** Of one run of a mailing; of an earlier one nothing is known any more. */
  of(mailingId: number, run: string | null): CommittedShards {
    const known = this.#runs.get(mailingId);
    const shards = known?.run === run ? known.shards : new Map<number, Known>();
    this.#runs.delete(mailingId);
    if (this.#runs.size >= MOST_MAILINGS) this.#runs.delete(this.#runs.keys().next().value as number);
    this.#runs.set(mailingId, { run, shards });
    return new CommittedShards(mailingId, shards);
  }
}

export class CommittedShards {
  readonly #mailingId: number;
  readonly #shards: Map<number, Known>;

  constructor(mailingId: number, shards: Map<number, Known>) {
    this.#mailingId = mailingId;
    this.#shards = shards;
  }

  /** Remembers a commit. @throws LostCommitsError when an earlier one was further */
  note({ shard, fence }: Pick<Shard, 'shard' | 'fence'>, committed: number): void {
    const known = this.#shards.get(shard);
    if (known && committed < known.committed) throw new LostCommitsError();
    this.#shards.set(shard, { fence, committed });
  }

  /**
   * Looks whether the database has all that was remembered when it was asked: what the other slices of this process commit until it answers, its answer need not
   * have. @throws LostCommitsError
   */
  async check(pool: Pool): Promise<void> {
    const asked = [...this.#shards];
    if (asked.length === 0) return;
    const { rows } = await pool.query<Known & { shard: number }>({
      name: 'committed-of-shards',
      text: `select shard, fence::float8 as fence, ${COMMITTED} as committed from send_shard where mailing_id = $1`,
      values: [this.#mailingId],
    });
    const there = new Map(rows.map((row) => [row.shard, row]));
    for (const [shard, { fence, committed }] of asked) {
      const row = there.get(shard);
      if (!row || row.fence < fence || row.committed < committed) throw new LostCommitsError();
    }
  }
}
