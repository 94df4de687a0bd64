import { PartnerOrderMap, PartnerTransactionMap, PartnerUserMap } from '../../entities/sync/partner-map.ts';
import { type FieldOverride, type Method, resource } from '../resource/declare.ts';
import { SINCE } from '../resource/operators.ts';

// The maps to the external contacts and contributions system: three declarations. A mapping that is deleted makes the integration create a
// fresh record over there at its next run.

const METHODS: Method[] = ['list', 'get', 'create', 'place', 'update', 'delete'];
const IDS_THERE = (id: number) => (id < 1 ? 'must be an id, 1 or larger' : undefined);

const local = (what: string): FieldOverride => ({ bare: true, help: `Id of the ${what}; one mapping each.` });
const there = (what: string): FieldOverride => ({ help: `Id of the ${what} in the external system.`, check: IDS_THERE });

export const partnerusermap = resource({
  name: 'partnerusermap',
  about: 'the contact a user is in the external system',
  area: 'CRM and partners',
  entity: PartnerUserMap,
  methods: METHODS,
  fields: { user_id: local('user'), partner_contact_id: there('contact') },
  filtering: { id: SINCE, user_id: SINCE, partner_contact_id: SINCE, created_at: SINCE, updated_at: SINCE },
  ordering: ['user_id', 'partner_contact_id', 'created_at', 'updated_at'],
});

export const partnerordermap = resource({
  name: 'partnerordermap',
  about: 'the contribution an order is in the external system',
  area: 'CRM and partners',
  entity: PartnerOrderMap,
  methods: METHODS,
  fields: { order_id: local('order'), contribution_id: there('contribution') },
  filtering: { id: SINCE, order_id: SINCE, contribution_id: SINCE, created_at: SINCE, updated_at: SINCE },
  ordering: ['order_id', 'contribution_id', 'created_at', 'updated_at'],
});

export const partnertransactionmap = resource({
  name: 'partnertransactionmap',
  about: 'the contribution a payment on a recurring order is in the external system',
  area: 'CRM and partners',
  entity: PartnerTransactionMap,
  methods: METHODS,
  fields: { transaction_id: local('transaction'), contribution_id: there('contribution') },
  filtering: { id: SINCE, transaction_id: SINCE, contribution_id: SINCE, created_at: SINCE, updated_at: SINCE },
  ordering: ['transaction_id', 'contribution_id', 'created_at', 'updated_at'],
});
