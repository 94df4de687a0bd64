import { createHash, randomUUID } from 'node:crypto';
import type { CrmMatchType } from '../../domain/words.ts';
import type { CoreDeps } from '../deps.ts';
import { finalReason } from '../final-reason.ts';
import { readContact } from './contact.ts';
import { type Contact, type Crm, CrmAway, CrmBusy, CrmRefused } from './crm.ts';
import { leaseMs } from './lease.ts';
import { type ClaimedMapping, MappingHold, MappingLost } from './mapping.ts';
import type { CrmPace } from './pace.ts';
import { type Later, laterOf } from './persist.ts';

export interface SyncParts {
  deps: CoreDeps;
  crm: Crm;
  pace: CrmPace;
}

/** How one try ended. `idle`: there was nothing to do, or another request overtook it. Reasons name nobody: they are shown to operators. */
export type SyncEnd = { kind: 'synced' | 'failed' | 'disconnected' | 'idle' } | Later;

/**
 * Sees to one mapping once: finds the contact by its stored id, else by a creation whose answer was lost, else by email, else creates it;
 * or, when the user is to be synced no more, has the CRM told.
 * @param round in which round of changes; null where its own run does
 */
export async function syncMapping(parts: SyncParts, mapId: number, round: string | null = null): Promise<SyncEnd> {
  const { env, pool } = parts.deps;
  const hold = new MappingHold(pool, randomUUID(), leaseMs(env), round);
  const claimed = await hold.claim(mapId);
  if (claimed === null) return { kind: 'idle' };
  if (typeof claimed === 'number') return { kind: 'later', why: 'held', waitMs: claimed, reason: 'another try is under way' };
  return new MappingSync(parts, hold, claimed).run();
}

class MappingSync {
  readonly #parts: SyncParts;
  readonly #hold: MappingHold;
  #mapping: ClaimedMapping;
  #seenAt: string | null = null;

  constructor(parts: SyncParts, hold: MappingHold, claimed: ClaimedMapping) {
    this.#parts = parts;
    this.#hold = hold;
    this.#mapping = claimed;
  }

  async run(): Promise<SyncEnd> {
    try {
      if (this.#mapping.status === 'disconnected') return await this.#tellEnd();
      const read = await this.#readUser();
      if (!read) {
        this.#mapping = await this.#hold.userGone(this.#mapping);
        return await this.#tellEnd();
      }
      this.#seenAt = read.seenAt;
      const sent = Object.keys(read.contact.fields);
      await this.#hold.sendFields(this.#mapping, sent);
      const { id, match } = await this.#write(read.contact);
      // What the setting does not name just now was not emptied either.
      const named = this.#fieldNames();
      const fields = [...sent, ...this.#mapping.fields_sent.filter((name) => !named.includes(name))];
      await this.#hold.synced(this.#mapping, { crmId: id, match, seenAt: read.seenAt, fields });
      return { kind: 'synced' };
    } catch (error) {
      return this.#fail(error);
    }
  }

  async #readUser() {
    const { deps } = this.#parts;
    const { user_id: userId } = this.#mapping;
    return userId === null ? null : readContact(deps.pool, userId, this.#ref(), this.#fieldNames());
  }

  #fieldNames = (): string[] => this.#parts.deps.env.CRM_USER_FIELDS.split(',').flatMap((name) => name.trim() || []);

  /** A contact of ours, with the fields it may have from us and that the user has no more. What it has of others stays. */
  #emptying(contact: Contact): Contact {
    const had = this.#mapping.fields_sent;
    const gone = this.#fieldNames().filter((name) => had.includes(name) && contact.fields[name] === undefined);
    return gone.length === 0
      ? contact
      : { ...contact, fields: { ...contact.fields, ...Object.fromEntries(gone.map((name) => [name, null])) } };
  }

  /** @returns the contact's id and how it was found */
  async #write(contact: Contact): Promise<{ id: string; match: CrmMatchType }> {
    const { crm_id: stored } = this.#mapping;
    if (stored !== null) {
      if (await this.#update(stored, this.#emptying(contact))) return { id: stored, match: 'id' };
      this.#mapping = await this.#hold.forgetContact(this.#mapping);
      contact = { ...contact, external_ref: this.#ref() };
    }
    const triedBefore = this.#mapping.create_tried;
    const created = triedBefore ? await this.#ask((crm) => crm.findByRef(this.#ref())) : null;
    const found = created ?? (await this.#ask((crm) => crm.findByEmail(contact.email)));
    if (found !== null) {
      // One we have created is found again by our reference.
      if (created === null) await this.#hold.found(this.#mapping, found);
      if (!(await this.#update(found, created === null ? contact : this.#emptying(contact))))
        throw new CrmAway('a contact it found was gone a moment later');
      return { id: found, match: created === null ? 'email' : 'created' };
    }
    await this.#hold.markCreating(this.#mapping);
    const id = await this.#ask((crm) => crm.createContact(contact, this.#ref()));
    // The earlier try may have created it with what the user was then.
    if (triedBefore) await this.#update(id, this.#emptying(contact));
    return { id, match: 'created' };
  }

  /** @returns false when the contact is gone */
  async #update(id: string, contact: Contact): Promise<boolean> {
    return (await this.#ask((crm) => crm.updateContact(id, contact, this.#key(contact)))) === 'updated';
  }

  async #tellEnd(): Promise<SyncEnd> {
    const { crm_id: stored, create_tried: tried, ending } = this.#mapping;
    const id = stored ?? (tried ? await this.#ask((crm) => crm.findByRef(this.#ref())) : null);
    if (id !== null) {
      const reason = ending ?? 'disconnected';
      // Looked at when its turn has come: until then another may have been found to be this contact.
      await this.#ask(async (crm) => {
        if (await this.#hold.isShared(this.#mapping, id)) return;
        // Or until it has been ended: what they have there may be gone by that, whatever came of its answer.
        await crm.endContact(id, reason, this.#key(reason)).finally(() => this.#hold.askOthers(this.#mapping, id));
      });
    }
    await this.#hold.ended(this.#mapping, '');
    return { kind: 'disconnected' };
  }

  /** One request: at the rate allowed, and only while the mapping is ours. */
  async #ask<Answer>(request: (crm: Crm) => Promise<Answer>): Promise<Answer> {
    const { crm, pace } = this.#parts;
    await pace.wait();
    await this.#hold.renew(this.#mapping);
    try {
      return await request(crm);
    } catch (error) {
      // Told to wait: so does everybody else.
      if (error instanceof CrmBusy) await pace.hold(error.waitMs);
      throw error;
    }
  }

  /** Our reference to the contact, and the key of its creation: the same on every try. */
  #ref(): string {
    const { id, generation } = this.#mapping;
    return `${this.#parts.deps.env.CRM_REF_PREFIX}-user-map-${id}-${generation}`;
  }

  /** The same for the same content of the same request, so that only a repetition is taken for one. */
  #key(content: unknown): string {
    const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
    return `${this.#ref()}-${this.#mapping.wanted}-${digest}`;
  }

  async #fail(error: unknown): Promise<SyncEnd> {
    const mapping = this.#mapping;
    if (error instanceof MappingLost) {
      await this.#hold.release(mapping, null);
      return { kind: 'idle' };
    }
    const reason = error instanceof CrmRefused ? error.message : finalReason(error);
    if (reason !== null) {
      if (mapping.status === 'disconnected') await this.#hold.ended(mapping, reason);
      else await this.#hold.refused(mapping, reason, this.#seenAt);
      return { kind: mapping.status === 'disconnected' ? 'disconnected' : 'failed' };
    }
    if (error instanceof CrmBusy || error instanceof CrmAway) {
      await this.#hold.release(mapping, `Not sent yet: ${error.message}`);
      return laterOf(error);
    }
    // Shutdown, or the database: what is left is a lease that runs out.
    await this.#hold.release(mapping, null).catch(() => undefined);
    throw error;
  }
}
