import type { Pool } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import type { CrmEnding, CrmStatus } from '../../domain/words.ts';
import { run, tables } from '../../entities/tables.ts';
import { renewInTime, SHORTENED, TOO_LONG } from './lease.ts';
import { askOthers, endDisconnected, endRefused, endSynced, markGone, release, type Synced, type Try } from './mapping-status.ts';

/** A mapping as it was when it was claimed. */
export interface ClaimedMapping {
  id: number;
  user_id: number | null;
  crm_id: string | null;
  status: CrmStatus;
  ending: CrmEnding | null;
  /** Everything asked for up to here is seen to by this try. */
  wanted: number;
  generation: number;
  create_tried: boolean;
  /** Names of custom fields the contact may have from us. */
  fields_sent: string[];
}

/** Somebody else has the mapping, or another request, or a merge, overtook this try: nothing more may be written by it. */
export class MappingLost extends Error {}

/** One try to see to a mapping. While it is held nobody else writes to its contact; whoever lost it, without knowing, is told before its next request. */
export class MappingHold {
  readonly #pool: Pool;
  readonly #holder: string;
  readonly #leaseMs: number;
  readonly #round: string | null;

  /**
   * @param holder a name nobody else has
   * @param leaseMs longer than any one request takes
   * @param round whose try it is; null where it is one of its own
   */
  constructor(pool: Pool, holder: string, leaseMs: number, round: string | null = null) {
    this.#pool = pool;
    this.#holder = holder;
    this.#leaseMs = leaseMs;
    this.#round = round;
  }

  /** @returns null when there is nothing to do; a number of milliseconds when somebody else holds it for so long */
  async claim(mapId: number): Promise<ClaimedMapping | number | null> {
    const { rows } = await this.#pool.query({
      name: 'crm-claim',
      text: `
        update core_crmmap set held_by = $2, held_until = now() + $3 * interval '1 ms', tried_at = now(), round = $4
        where id = $1 and wanted > done and (held_until is null or held_until < now() or held_by = $2)
        returning id, user_id, crm_id, status, ending, wanted, generation, create_tried, fields_sent`,
      values: [mapId, this.#holder, this.#leaseMs, this.#round],
    });
    if (rows[0]) return rows[0];
    await this.#pool.query(`update core_crmmap set ${SHORTENED} where id = $1 and ${TOO_LONG}`, [mapId]);
    const held = await this.#pool.query(
      `select (1000 * extract(epoch from held_until - now()))::float8 as ms from core_crmmap where id = $1 and wanted > done`,
      [mapId],
    );
    return held.rows[0] ? Math.max(50, held.rows[0].ms ?? 0) : null;
  }

  /** To be called before every request. @throws MappingLost when another try took over, or the user was disconnected meanwhile */
  renew(claimed: ClaimedMapping): Promise<void> {
    return renewInTime(async () => {
      const { rows } = await this.#pool.query<{ status: CrmStatus }>({
        name: 'crm-renew',
        text: `update core_crmmap set held_until = now() + $3 * interval '1 ms' where id = $1 and held_by = $2 returning status`,
        values: [claimed.id, this.#holder, this.#leaseMs],
      });
      if (!rows[0]) throw new MappingLost();
      if (rows[0].status === 'disconnected' && claimed.status !== 'disconnected') throw new MappingLost();
    });
  }

  /** Writes down, before it can happen, that a contact may come into being. */
  async markCreating(claimed: ClaimedMapping): Promise<void> {
    const { rowCount } = await this.#pool.query('update core_crmmap set create_tried = true where id = $1 and held_by = $2', [
      claimed.id,
      this.#holder,
    ]);
    if (!rowCount) throw new MappingLost();
  }

  /** Writes down which custom fields are sent, before they can be: whoever loses one is to lose it over there, too. */
  async sendFields({ id, fields_sent: sent }: ClaimedMapping, names: string[]): Promise<void> {
    const all = [...new Set([...sent, ...names])];
    if (all.length === sent.length) return;
    const { rowCount } = await this.#pool.query('update core_crmmap set fields_sent = $3 where id = $1 and held_by = $2', [
      id,
      this.#holder,
      JSON.stringify(all),
    ]);
    if (!rowCount) throw new MappingLost();
  }

  /** Writes down which contact was found by the address, before anything of the user is put into it: once they are erased nobody could find it by that. */
  async found(claimed: ClaimedMapping, crmId: string): Promise<void> {
    const { rowCount } = await this.#pool.query('update core_crmmap set crm_id = $3 where id = $1 and held_by = $2', [
      claimed.id,
      this.#holder,
      crmId,
    ]);
    if (!rowCount) throw new MappingLost();
  }

  /** Whether a mapping that is still synced leads to the same contact: it must not be ended for the other's sake. */
  async isShared({ id }: ClaimedMapping, crmId: string): Promise<boolean> {
    const others = tables.selectFrom('core_crmmap').where('crm_id', '=', crmId).where('id', '!=', id).where('status', '!=', 'disconnected');
    return (await run(sqlOn(this.#pool), others.select('id').limit(1))).length > 0;
  }

  /** Those are sent once more. */
  askOthers = ({ id }: ClaimedMapping, crmId: string): Promise<void> => askOthers(this.#pool, id, crmId);

  /** The contact is gone: the next one is another, with keys of its own. @returns the mapping as it is now */
  async forgetContact(claimed: ClaimedMapping): Promise<ClaimedMapping> {
    const { rows } = await this.#pool.query(
      `update core_crmmap set crm_id = null, create_tried = false, generation = generation + 1 where id = $1 and held_by = $2
       returning id, user_id, crm_id, status, ending, wanted, generation, create_tried, fields_sent`,
      [claimed.id, this.#holder],
    );
    if (!rows[0]) throw new MappingLost();
    return { ...rows[0], wanted: claimed.wanted, status: claimed.status, fields_sent: [] };
  }

  synced = (claimed: ClaimedMapping, end: Synced): Promise<void> => endSynced(this.#pool, this.#try(claimed), end);

  refused = (claimed: ClaimedMapping, error: string, seenAt: string | null): Promise<void> =>
    endRefused(this.#pool, this.#try(claimed), error, seenAt);

  /** @param error what the CRM said; empty when it heard of the end */
  ended = (claimed: ClaimedMapping, error: string): Promise<void> => endDisconnected(this.#pool, this.#try(claimed), error);

  /** Leaves it to be tried again. @param error shown on the mapping; null changes nothing there */
  release = (claimed: ClaimedMapping, error: string | null): Promise<void> => release(this.#pool, this.#try(claimed), error);

  /** The user was deleted or erased: from now on there is only the CRM to be told. */
  async userGone(claimed: ClaimedMapping): Promise<ClaimedMapping> {
    const ending = await markGone(this.#pool, this.#try(claimed), claimed.user_id);
    if (ending === null) throw new MappingLost();
    return { ...claimed, status: 'disconnected', ending };
  }

  #try = ({ id, wanted }: ClaimedMapping): Try => ({ id, wanted, holder: this.#holder });
}
