import type { CrmEnding } from '../../domain/words.ts';
import { type Contact, type Contribution, type Crm, CrmAway, CrmRefused } from './crm.ts';
import { idIn, type JsonApiSettings, send } from './json-api.ts';

// CiviCRM's APIv4 over HTTP: POST /civicrm/ajax/api4/<Entity>/<action> with `params` as a form field. It has no idempotency keys: our
// reference stands in a field it keeps unique (external_identifier of contacts, invoice_id of contributions), so that a second creation is
// refused, and found.

type Values = Record<string, unknown>;

export function civiCrm(api: JsonApiSettings): Crm {
  async function call(entity: string, action: string, params: Values): Promise<Values[]> {
    const headers = { ...api.headers, 'x-requested-with': 'XMLHttpRequest' };
    const request = { type: 'form' as const, body: { params: JSON.stringify(params) }, refusal: refusalOf };
    const { body } = await send({ ...api, headers }, 'POST', `/civicrm/ajax/api4/${entity}/${action}`, request);
    const answer = body as { values?: unknown } | null;
    if (!Array.isArray(answer?.values)) throw new CrmAway('its answer has no values');
    return answer.values as Values[];
  }

  async function first(entity: string, where: unknown[][], field = 'id'): Promise<string | null> {
    const [row] = await call(entity, 'get', { select: [field], where, orderBy: { id: 'ASC' }, limit: 1, checkPermissions: false });
    return row ? idIn(row[field]) : null;
  }

  /** Creates, or finds what the same reference created before and the answer to which was lost. */
  async function createOnce(entity: string, params: Values, find: () => Promise<string | null>): Promise<string> {
    try {
      const [row] = await call(entity, 'create', params);
      return idIn(row?.['id']);
    } catch (error) {
      const there = error instanceof CrmRefused ? await find() : null;
      if (there === null) throw error;
      return there;
    }
  }

  const findByRef = (ref: string) =>
    first('Contact', [
      ['external_identifier', '=', ref],
      ['is_deleted', '=', false],
    ]);
  const findContribution = (ref: string) => first('Contribution', [['invoice_id', '=', ref]]);

  return {
    findByRef,
    findByEmail: (email) =>
      first(
        'Email',
        [
          ['email', '=', email],
          ['contact_id.is_deleted', '=', false],
        ],
        'contact_id',
      ),
    createContact: (contact) =>
      createOnce(
        'Contact',
        {
          values: { ...columns(contact), contact_type: 'Individual', external_identifier: contact.external_ref },
          chain: {
            email: ['Email', 'create', { values: { contact_id: '$id', ...emailOf(contact) } }],
            ...(hasAddress(contact) && { address: ['Address', 'create', { values: { contact_id: '$id', ...address(contact) } }] }),
          },
        },
        () => findByRef(contact.external_ref),
      ),
    // One request each, whatever hangs on the contact: chained calls see its id as $id.
    async updateContact(id, contact) {
      const where = [
        ['id', '=', Number(id)],
        ['is_deleted', '=', false],
      ];
      const match = ['contact_id', 'location_type_id'];
      const save = (values: Values) => ({ records: [{ contact_id: '$id', ...values }], match });
      const updated = await call('Contact', 'update', {
        where,
        values: columns(contact),
        chain: {
          email: ['Email', 'save', save(emailOf(contact))],
          ...(hasAddress(contact) && { address: ['Address', 'save', save(address(contact))] }),
        },
      });
      return updated.length === 0 ? 'gone' : 'updated';
    },
    async endContact(id, ending) {
      const personal = ending === 'erased' ? ['Email', 'Address', 'Phone'] : [];
      const chain = Object.fromEntries(personal.map((entity) => [entity, [entity, 'delete', { where: [['contact_id', '=', '$id']] }]]));
      await call('Contact', 'update', { where: [['id', '=', Number(id)]], values: ENDED[ending], chain });
    },
    findContribution,
    createContribution: (contribution) =>
      createOnce('Contribution', { values: donation(contribution) }, () => findContribution(contribution.external_ref)),
  };
}

/** CiviCRM refuses with a 500 and a message; some of those are only its database being busy. */
function refusalOf(body: unknown): string | null {
  const message = (body as { error_message?: unknown } | null)?.error_message;
  return typeof message === 'string' && !/deadlock|lock wait|\bconnect(ion|ing)?\b|gone away|try again/i.test(message) ? message : null;
}

/** What becomes of a contact whose user is no longer synced. */
const ENDED: Record<CrmEnding, Values> = {
  disconnected: { external_identifier: null },
  gone: { external_identifier: null },
  erased: {
    external_identifier: null,
    first_name: '',
    middle_name: '',
    last_name: '',
    is_opt_out: true,
    do_not_email: true,
    do_not_mail: true,
  },
};

const nameOf = ({ first_name, middle_name, last_name }: Contact): Values => ({ first_name, middle_name, last_name });

const columns = (contact: Contact): Values => ({
  // Whoever signs up by their address alone may be known there by name, as by their address.
  ...(Object.values(nameOf(contact)).some(Boolean) && nameOf(contact)),
  is_opt_out: contact.subscription_status !== 'subscribed',
  ...(contact.language && { preferred_language: contact.language }),
  ...contact.fields,
});

const emailOf = ({ email }: Contact): Values => ({ email, location_type_id: 1, is_primary: true });

/**
 * A text in a chained call. One that is `$` and a column of the contact, such as `$hash`, is taken for what stands there, and of whoever sends that in as their
 * city the CRM would show it. A space before it makes it a text.
 */
const said = (text: string): string => (text.startsWith('$') ? ` ${text}` : text);

const address = (contact: Contact): Values => ({
  location_type_id: 1,
  is_primary: true,
  street_address: said(contact.address1),
  supplemental_address_1: said(contact.address2),
  city: said(contact.city),
  postal_code: said(contact.zip || contact.postal),
  ...(contact.country && { 'country_id:label': said(contact.country) }),
});

const hasAddress = ({ address1, city, zip, postal, country }: Contact) => Boolean(address1 || city || zip || postal || country);

const donation = (contribution: Contribution): Values => ({
  contact_id: Number(contribution.contact_id),
  'financial_type_id:name': 'Donation',
  'contribution_status_id:name': contribution.kind === 'recurring_order' ? 'Pending' : 'Completed',
  total_amount: contribution.amount,
  currency: contribution.currency,
  receive_date: contribution.received_at.slice(0, 19).replace('T', ' '),
  invoice_id: contribution.external_ref,
  source: contribution.kind,
  ...(contribution.trans_id && { check_number: contribution.trans_id }),
});
