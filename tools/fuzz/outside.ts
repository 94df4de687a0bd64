import type pg from 'pg';
import { type Fault, StubCrm, type StubRequest, StubServer } from '../../test/support/crm-stub.ts';

/** Takes what webhooks are told. */
class Receiver extends StubServer {
  protected override handle() {
    return { status: 200 };
  }
}

/** A contact that is written to after its end is back. */
class Crm extends StubCrm {
  protected override handle(request: StubRequest) {
    const answer = super.handle(request);
    const contact = request.method === 'PATCH' && this.contacts.get(request.path.split('/')[2] ?? '');
    if (contact) delete contact.ended;
    return answer;
  }
}

/** What goes wrong out there, where a number below 1 is below that. */
const FAULTS: [below: number, fault: Fault][] = [
  [0.02, { kind: 'lost' }],
  [0.04, { kind: 'half' }],
  [0.06, { kind: 'status', status: 500 }],
  [0.07, { kind: 'status', status: 422, body: { message: 'no' } }],
  [0.075, { kind: 'status', status: 429, headers: { 'retry-after': '1' } }],
];

/** The systems the platform tells of what happens. */
export class Outside {
  readonly #crm = new Crm();
  readonly #partner = new Crm();
  readonly #receiver = new Receiver();

  /** @param random what fails */
  async listen(random: () => number): Promise<this> {
    const fault = (_request: StubRequest): Fault | null => {
      const dice = random();
      return FAULTS.find(([below]) => dice < below)?.[1] ?? null;
    };
    for (const stub of this.#all) {
      await stub.listen();
      stub.fault = fault;
    }
    return this;
  }

  get #all(): StubServer[] {
    return [this.#crm, this.#partner, this.#receiver];
  }

  /** Settings by which the platform finds them. */
  get settings(): Record<string, string> {
    const of = (name: string, url: string) => ({
      [`${name}_KIND`]: 'http',
      [`${name}_URL`]: url,
      [`${name}_TOKEN`]: 'a-token',
      [`${name}_RATE`]: '500',
    });
    return {
      ...of('CRM', this.#crm.url),
      ...of('PARTNER', this.#partner.url),
      CRM_RETRY_SECONDS: '1',
      CRM_RETRY_MOST_SECONDS: '2',
      CRM_RESYNC_MINUTES: '1',
      CRM_USER_FIELDS: 'hat,shoe',
      PARTNER_MINUTES: '1',
      WEBHOOKS_INSIDE: 'true',
    };
  }

  /** Where webhooks are to lead. */
  get hookUrl(): string {
    return `${this.#receiver.url}/hooks/`;
  }

  /** Nothing goes wrong from now on. */
  calm(): void {
    for (const stub of this.#all) stub.fault = () => null;
  }

  /** How much they were told. */
  get told(): number {
    return this.#all.reduce((sum, { requests }) => sum + requests.length, 0);
  }

  /** What they hold that is not as the platform says. To be asked when nothing is under way. */
  async wrong(pool: pg.Pool): Promise<string[]> {
    const { rows } = await pool.query<Mapping>(MAPPINGS);
    const mappings = rows.flatMap(({ id, crm_id, email, ending, shared }) => {
      const contact = this.#crm.contacts.get(crm_id);
      if (ending) return contact && !contact.ended && !shared ? [`mapping ${id} is ${ending}, and contact ${crm_id} was not ended`] : [];
      if (!contact) return [`mapping ${id} leads to contact ${crm_id}, which there is not`];
      if (contact.ended && !shared) return [`mapping ${id} leads to contact ${crm_id}, which was ended: ${contact.ended}`];
      return contact.email.toLowerCase() === email.toLowerCase() || shared
        ? []
        : [`contact ${crm_id} of mapping ${id} has the address ${contact.email}, not ${email}`];
    });
    const twice = [this.#crm.contacts, this.#partner.contacts, this.#partner.contributions].flatMap((records) => {
      const refs = [...records.values()].map((each) => each['external_ref'] as string);
      return refs.filter((ref, n) => refs.indexOf(ref) !== n).map((ref) => `${ref} was made twice`);
    });
    return [...mappings, ...twice];
  }

  async close(): Promise<void> {
    for (const stub of this.#all) await stub.close();
  }
}

interface Mapping {
  id: number;
  crm_id: string;
  email: string;
  ending: string | null;
  /** Another mapping leads to the same contact. */
  shared: boolean;
}

/** Mappings that are seen to: of those that are synced, as the CRM last had them. */
const MAPPINGS = `
  select m.id, m.crm_id, u.email, m.ending, exists (select from core_crmmap o where o.crm_id = m.crm_id and o.id <> m.id) as shared
  from core_crmmap m left join core_user u on u.id = m.user_id
  where m.wanted = m.done and m.crm_id is not null and m.last_error = ''
    and (m.status = 'disconnected' or m.status = 'synced' and u.updated_at = m.user_seen_at)`;
