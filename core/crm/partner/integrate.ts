import { randomUUID } from 'node:crypto';
import { inOneTransaction } from '../../../db/transaction.ts';
import type { CoreDeps } from '../../deps.ts';
import { finalReason } from '../../final-reason.ts';
import { erasedByNow } from '../../people/erased.ts';
import { NOT_KEPT } from '../../people/free-texts.ts';
import { readContact } from '../contact.ts';
import { type Contribution, type Crm, CrmAway, CrmBusy, CrmRefused } from '../crm.ts';
import { leaseMs, renewInTime, SHORTENED, TOO_LONG } from '../lease.ts';
import type { CrmPace } from '../pace.ts';
import { ORDER_SQL, type PartnerSource, referenceOf, TRANSACTION_SQL } from './sources.ts';

export interface PartnerParts {
  deps: CoreDeps;
  partner: Crm;
  pace: CrmPace;
}

const LARGEST_ID = 2_147_483_647;

type Ended = 'created' | 'refused' | 'skipped';
/** @returns the id of what it found or made over there */
type Request = () => Promise<string | null>;

interface Intent {
  id: number;
  generation: number;
  /** Null where there is nothing of that id any more. */
  born: Date | null;
  /** It was there already: a record may have been made under it whose id we have not heard. */
  known: boolean;
}

/**
 * Gives one thing its record over there and the mapping to it, once. The intent is written before the record can exist; a later try, after a
 * crash or a lost answer, looks for the record under the intent's key first. What has lost its mapping gets a fresh record.
 * @param round in which run of the integration
 * @throws CrmAway, CrmBusy
 */
export async function integrateOne(
  { deps, partner, pace }: PartnerParts,
  source: PartnerSource,
  localId: number,
  round: string | null = null,
): Promise<Ended> {
  const { pool, env, log } = deps;
  const holder = randomUUID();
  const intent = await claimIntent();
  if (!intent) return 'skipped';
  const { id: intentId, generation, born, known } = intent;
  const ref = referenceOf(env, source.kind, { localId, generation, born: born ?? new Date(0) });
  try {
    const remote = born && ((known ? await ask(async () => find) : null) ?? (await ask(creation)));
    if (remote === null) {
      // Of what has lost a mapping it says that the next record is to be another.
      await pool.query(
        `with kept as (update partner_intent set held_by = null, held_until = null where id = $1 and held_by = $2 and generation > 0 and born is not null)
         delete from partner_intent where id = $1 and held_by = $2 and (generation = 0 or born is null)`,
        [intentId, holder],
      );
      return 'skipped';
    }
    return await save(remote);
  } catch (error) {
    if (error instanceof CrmBusy) await pace.hold(error.waitMs);
    const reason = error instanceof CrmRefused ? error.message : finalReason(error);
    await note(error instanceof CrmAway ? error.message : reason).catch(() => undefined);
    if (reason === null) throw error;
    log.warn({ kind: source.kind, id: localId }, 'a record cannot be made at the partner system; partner_intent says why');
    return 'refused';
  }

  async function claimIntent(): Promise<Intent | null> {
    const { rows } = await pool.query<Intent>(
      `insert into partner_intent (kind, local_id, born, held_by, held_until)
         values ($1, $2, (select created_at from core_${source.kind} where id = $2), $3, now() + $4 * interval '1 ms')
       on conflict (kind, local_id) do update set held_by = excluded.held_by, held_until = excluded.held_until, born = coalesce(partner_intent.born, excluded.born)
         where partner_intent.held_until is null or partner_intent.held_until < now()
       returning id, generation, born, (xmax <> 0) as known`,
      [source.kind, localId, holder, leaseMs(env)],
    );
    if (rows[0]) return rows[0];
    const which = [source.kind, localId];
    await pool.query(`update partner_intent set ${SHORTENED} where kind = $1 and local_id = $2 and ${TOO_LONG}`, which);
    return null;
  }

  /** Lets the intent go, with what the partner system said: of somebody who was erased, or is being erased, that is not kept. */
  async function note(words: string | null): Promise<void> {
    await inOneTransaction(pool, async (sql) => {
      const [owner] = words === null ? [] : await sql<{ id: number | null }>(`select (${source.owner}) as id`, [localId]);
      const said = owner?.id && (await erasedByNow(sql, owner.id)) ? NOT_KEPT : words;
      await sql(
        `update partner_intent set held_by = null, held_until = null, error = case when error = '${NOT_KEPT}' then error else coalesce($3, error) end where id = $1 and held_by = $2`,
        [intentId, holder, said],
      );
    });
  }

  /** One request: at the rate allowed, and only while nobody else has taken the intent over. @param prepare reads what is sent, when its turn has come; null where nothing is */
  async function ask(prepare: () => Promise<Request | null>): Promise<string | null> {
    await pace.wait();
    const request = await prepare();
    await renewInTime(async () => {
      const renewal = `update partner_intent set held_until = now() + $3 * interval '1 ms' where id = $1 and held_by = $2`;
      const { rowCount } = await pool.query(renewal, [intentId, holder, leaseMs(env)]);
      if (!rowCount) throw new CrmAway('another try took over');
    });
    return request ? request() : null;
  }

  function find(): Promise<string | null> {
    return source.kind === 'user' ? partner.findByRef(ref) : partner.findContribution(ref);
  }

  /** Null when there is nothing to be sent any more. */
  async function creation(): Promise<Request | null> {
    if (source.kind === 'user') {
      const fields = env.CRM_USER_FIELDS.split(',').flatMap((name) => name.trim() || []);
      const read = await readContact(pool, localId, ref, fields);
      return read && (() => partner.createContact(read.contact, ref));
    }
    const { rows } = await pool.query<Omit<Contribution, 'external_ref'>>(source.kind === 'order' ? ORDER_SQL : TRANSACTION_SQL, [localId]);
    const [row] = rows;
    return row ? () => partner.createContribution({ external_ref: ref, ...row }, ref) : null;
  }

  /** Mapping and intent in one statement: after a crash there is either one or the other. Of a user who is gone the intent stays: by it the partner system is told of that (erased.ts). */
  async function save(remote: string): Promise<Ended> {
    if (!/^[1-9]\d{0,9}$/.test(remote) || Number(remote) > LARGEST_ID)
      throw new CrmRefused('its id is not a whole number a mapping can hold');
    const [saved] = await inOneTransaction(pool, async (sql) => {
      // The person first, as whoever deletes, merges or erases them does.
      await sql(`select from core_user where id = (${source.owner}) for key share`, [localId]);
      return sql<{ intents: number; maps: number; gone: boolean }>(
        `with local as (select id from core_${source.kind} where id = $3),
       done as (delete from partner_intent where id = $1 and held_by = $2 and (kind <> 'user' or exists (select from local)) returning generation),
       mapped as (
         insert into ${source.table} (${source.localColumn}, ${source.remoteColumn}, generation, round)
         select local.id, $4, done.generation, $5 from local, done
         on conflict (${source.localColumn}) do nothing returning id)
       select (select count(*)::int from done) as intents, (select count(*)::int from mapped) as maps,
         $6 and not exists (select from local) as gone`,
        [intentId, holder, localId, Number(remote), round, source.kind === 'user'],
      );
    });
    if (saved!.gone) {
      await pool.query('update partner_intent set held_by = null, held_until = null where id = $1 and held_by = $2', [intentId, holder]);
      return 'skipped';
    }
    if (saved!.intents === 0) throw new CrmAway('another try took over');
    if (saved!.maps === 0) {
      log.warn({ kind: source.kind, id: localId }, 'a mapping came from elsewhere while its record was made: the record has none');
      return 'skipped';
    }
    return 'created';
  }
}
