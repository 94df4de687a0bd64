import { type Contact, type Contribution, type Crm, CrmAway } from './crm.ts';
import { idIn, type JsonApiSettings, send } from './json-api.ts';

const GONE = [404, 410];

/** Any CRM behind the small HTTP contract of docs/crm.md. */
export function httpCrm(api: JsonApiSettings): Crm {
  /** Searches are POSTs, so that no address stands in an access log. */
  async function find(what: 'contacts' | 'contributions', by: Record<string, string>): Promise<string | null> {
    const { body } = await send(api, 'POST', `/${what}/find`, { body: by });
    const found = (body as { ids?: unknown } | null)?.ids;
    if (!Array.isArray(found)) throw new CrmAway('its answer has no list of ids');
    return found.length > 0 ? idIn(found[0]) : null;
  }

  async function create(what: 'contacts' | 'contributions', body: Contact | Contribution, key: string): Promise<string> {
    const answer = await send(api, 'POST', `/${what}`, { body, key });
    return idIn((answer.body as { id?: unknown } | null)?.id);
  }

  return {
    findByRef: (externalRef) => find('contacts', { external_ref: externalRef }),
    findByEmail: (email) => find('contacts', { email }),
    createContact: (contact, key) => create('contacts', contact, key),
    async updateContact(id, contact, key) {
      const { status } = await send(api, 'PATCH', `/contacts/${encodeURIComponent(id)}`, { body: contact, key, expected: GONE });
      return GONE.includes(status) ? 'gone' : 'updated';
    },
    async endContact(id, ending, key) {
      await send(api, 'POST', `/contacts/${encodeURIComponent(id)}/end`, { body: { reason: ending }, key, expected: GONE });
    },
    findContribution: (externalRef) => find('contributions', { external_ref: externalRef }),
    createContribution: (contribution, key) => create('contributions', contribution, key),
  };
}
