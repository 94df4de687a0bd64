import type { Sql } from '../../../db/sql.ts';
import type { CrmEnding } from '../../../domain/words.ts';
import { ERASED } from '../../people/erased.ts';
import { CrmBusy, CrmRefused } from '../crm.ts';
import { TOO_LONG } from '../lease.ts';
import { type Later, persist } from '../persist.ts';
import type { PartnerParts } from './integrate.ts';
import { orLater } from './integrate-batch.ts';
import { referenceOf } from './sources.ts';

/**
 * Before users are merged away or deleted: the contacts of those who were erased are kept with an intent. Their mappings would go with them, or on to somebody
 * who is still to be known there, and the partner system would never hear of the erasure.
 */
export async function keepErasedContacts(sql: Sql, userIds: number[]): Promise<void> {
  await sql(
    `with gone as (
       delete from core_partnerusermap m using core_user u where u.id = m.user_id and u.id = any($1::int[]) and ${ERASED}
       returning m.user_id, m.partner_contact_id
     )
     insert into partner_intent (kind, local_id, contact) select 'user', user_id, partner_contact_id from gone
     on conflict (kind, local_id) do update set contact = excluded.contact`,
    [userIds],
  );
}

/** The contact of somebody who was erased or deleted, as it is when its turn has come. */
interface Former {
  contact: string | null;
  /** Somebody who was not erased is the same contact. */
  shared: boolean;
  ending: CrmEnding;
}

/** What was begun for them. */
interface Begun extends Former {
  local_id: number;
  generation: number;
  born: Date | null;
}

/** SQL: whether somebody who was not erased is the same contact, which must not be emptied for another's sake. */
const isShared = (contact: string): string =>
  `exists (select from core_partnerusermap other join core_user u on u.id = other.user_id where other.partner_contact_id = ${contact} and not ${ERASED})`;

const MAPPED = `from core_partnerusermap m join core_user u on u.id = m.user_id where ${ERASED}`;
/** Not those of which a try still makes the contact: nobody could find that yet. */
const BEGUN = `from partner_intent i left join core_user u on u.id = i.local_id
  where i.kind = 'user' and (u.id is null or ${ERASED}) and (i.held_until is null or i.held_until < now() or i.${TOO_LONG})`;

const MAPPED_NOW = `select m.partner_contact_id::text as contact, ${isShared('m.partner_contact_id')} as shared, 'erased' as ending ${MAPPED} and m.id = $1`;
const BEGUN_NOW = `select i.local_id, i.generation, i.born, i.contact::text, ${isShared('i.contact')} as shared,
  case when exists (select from core_erasure e where e.user_id = i.local_id and e.status = 'complete') then 'erased' else 'gone' end as ending ${BEGUN} and i.id = $1`;

/**
 * Tells the partner system of every erased user it has, by mapping or by an intent that was never finished, and drops both. Intents of
 * deleted users go the same way. What is refused is logged and dropped: there is nothing more to be said about it.
 * One that the system always fails at is left to the next run.
 * @returns why to come again, when the system is away or busy: what was done until then is done; else null
 */
export async function endErased({ deps, partner, pace }: PartnerParts): Promise<Later | null> {
  const { pool, env, log } = deps;
  const mapped = await pool.query<{ id: number }>(`select m.id ${MAPPED} order by m.id`);
  for (const { id } of mapped.rows) {
    const later = await persisting(async () => {
      const former = await endFormer<Former>(MAPPED_NOW, id, 'erased-map');
      await pool.query('delete from core_partnerusermap where id = $1 and partner_contact_id = $2', [id, former?.contact]);
    });
    if (later) return later;
  }
  const begun = await pool.query<{ id: number }>(`select i.id ${BEGUN} order by i.id`);
  for (const { id } of begun.rows) {
    const later = await persisting(async () => {
      const former = await endFormer<Begun>(BEGUN_NOW, id, 'erased-contact');
      if (!former) return;
      const { local_id: localId, generation, born, contact, ending } = former;
      const made = born && (await ask(async () => () => partner.findByRef(referenceOf(env, 'user', { localId, born, generation }))));
      if (made) await ask(async () => () => partner.endContact(made, ending, `${env.CRM_REF_PREFIX}-erased-intent-${id}`));
      // One that was given a contact meanwhile, its user having been merged, is of the next run.
      await pool.query('delete from partner_intent where id = $1 and contact is not distinct from $2', [id, contact]);
    });
    if (later) return later;
  }
  return null;

  /** Ends the contact a row names, unless somebody else is that one, too: read when its turn has come, which may be long after it was found. @returns the row; null where it is gone */
  async function endFormer<Row extends Former>(query: string, id: number, key: string): Promise<Row | null> {
    let former: Row | undefined;
    await ask(async () => {
      former = (await pool.query<Row>(query, [id])).rows[0];
      if (!former) return null;
      const { contact, shared, ending } = former;
      return contact && !shared ? () => partner.endContact(contact, ending, `${env.CRM_REF_PREFIX}-${key}-${id}`) : null;
    });
    return former ?? null;
  }

  async function persisting(work: () => Promise<void>): Promise<Later | null> {
    const attempt = () => work().then(() => ({ told: true }), orLater);
    const end = await persist(attempt, { crm: partner, pace, ref: `${env.CRM_REF_PREFIX}-nobody` });
    return end && 'why' in end ? end : null;
  }

  /** @param prepare reads what is asked, when its turn has come; null where nothing is */
  async function ask<Answer>(prepare: () => Promise<(() => Promise<Answer>) | null>): Promise<Answer | null> {
    await pace.wait();
    const request = await prepare();
    try {
      return request && (await request());
    } catch (error) {
      if (error instanceof CrmBusy) await pace.hold(error.waitMs);
      if (!(error instanceof CrmRefused)) throw error;
      log.error({}, 'the partner system refused to end the contact of an erased user');
      return null;
    }
  }
}
