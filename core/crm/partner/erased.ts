import type { Sql } from '../../../db/sql.ts';
import type { CrmEnding } from '../../../domain/words.ts';
import { ERASED } from '../../people/erased.ts';
import { CrmBusy, CrmRefused } from '../crm.ts';
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

/** An intent of somebody who was erased or deleted. */
interface Begun {
  id: number;
  local_id: number;
  generation: number;
  born: Date | null;
  contact: string | null;
  shared: boolean;
  ending: CrmEnding;
}

/** SQL: whether somebody who was not erased is the same contact, which must not be emptied for another's sake. */
const isShared = (contact: string): string =>
  `exists (select from core_partnerusermap other join core_user u on u.id = other.user_id where other.partner_contact_id = ${contact} and not ${ERASED})`;

/**
 * Tells the partner system of every erased user it has, by mapping or by an intent that was never finished, and drops both. Intents of
 * deleted users go the same way. What is refused is logged and dropped: there is nothing more to be said about it.
 * One that the system always fails at is left to the next run.
 * @returns why to come again, when the system is away or busy: what was done until then is done; else null
 */
export async function endErased({ deps, partner, pace }: PartnerParts): Promise<Later | null> {
  const { pool, env, log } = deps;
  const mapped = await pool.query<{ id: number; contact: string; shared: boolean }>(
    `select m.id, m.partner_contact_id::text as contact, ${isShared('m.partner_contact_id')} as shared from core_partnerusermap m join core_user u on u.id = m.user_id where ${ERASED} order by m.id`,
  );
  for (const { id, contact, shared } of mapped.rows) {
    const later = await persisting(async () => {
      if (!shared) await ask(() => partner.endContact(contact, 'erased', `${env.CRM_REF_PREFIX}-erased-map-${id}`));
      await pool.query('delete from core_partnerusermap where id = $1', [id]);
    });
    if (later) return later;
  }
  const begun = await pool.query<Begun>(
    `select i.id, i.local_id, i.generation, i.born, i.contact::text, ${isShared('i.contact')} as shared,
       case when exists (select from core_erasure e where e.user_id = i.local_id and e.status = 'complete') then 'erased' else 'gone' end as ending
     from partner_intent i left join core_user u on u.id = i.local_id
     where i.kind = 'user' and (u.id is null or ${ERASED}) order by i.id`,
  );
  for (const { id, local_id: localId, generation, born, contact, shared, ending } of begun.rows) {
    const later = await persisting(async () => {
      if (contact && !shared) await ask(() => partner.endContact(contact, ending, `${env.CRM_REF_PREFIX}-erased-contact-${id}`));
      const made = born && (await ask(() => partner.findByRef(referenceOf(env, 'user', { localId, born, generation }))));
      if (made) await ask(() => partner.endContact(made, ending, `${env.CRM_REF_PREFIX}-erased-intent-${id}`));
      await pool.query('delete from partner_intent where id = $1', [id]);
    });
    if (later) return later;
  }
  return null;

  async function persisting(work: () => Promise<void>): Promise<Later | null> {
    const attempt = () => work().then(() => ({ told: true }), orLater);
    const end = await persist(attempt, { crm: partner, pace, ref: `${env.CRM_REF_PREFIX}-nobody` });
    return end && 'why' in end ? end : null;
  }

  async function ask<Answer>(request: () => Promise<Answer>): Promise<Answer | null> {
    await pace.wait();
    try {
      return await request();
    } catch (error) {
      if (error instanceof CrmBusy) await pace.hold(error.waitMs);
      if (!(error instanceof CrmRefused)) throw error;
      log.error({}, 'the partner system refused to end the contact of an erased user');
      return null;
    }
  }
}
