import { Migration } from '@mikro-orm/migrations';

/** Who is who in the CRM, and what is what in the partner system. */
export class Crm extends Migration {
  override up(): void {
    this.addSql(`
      create table core_crmmap (
        id serial primary key,
        user_id int
          constraint core_crmmap_user_id_foreign references core_user (id) on delete set null,
        crm_id text,
        match_type text,
        status text not null default 'pending',
        last_sync_at timestamptz(6),
        last_error text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        ending text,
        wanted int not null default 1,
        done int not null default 0,
        urgent boolean not null default true,
        requested_at timestamptz(6) not null default now(),
        tried_at timestamptz(6),
        user_seen_at timestamptz(6),
        generation int not null default (random() * 1000000000)::int,
        create_tried boolean not null default false,
        fields_sent jsonb not null default '[]',
        held_by text,
        held_until timestamptz(6),
        constraint core_crmmap_ending_check check (ending in ('disconnected', 'erased', 'gone')),
        constraint core_crmmap_match_type_check check (match_type in ('id', 'email', 'created')),
        constraint core_crmmap_status_check check (status in ('pending', 'synced', 'failed', 'disconnected')),
        constraint core_crmmap_user_id_unique unique (user_id)
      );
      create index core_crmmap_crm_id_index on core_crmmap (crm_id, id);
      create index core_crmmap_open_index on core_crmmap (id) where (wanted > done);
      create index core_crmmap_status_index on core_crmmap (status, id);
      create index core_crmmap_updated_at_index on core_crmmap (updated_at, id);

      create table core_partnerusermap (
        id serial primary key,
        user_id int not null
          constraint core_partnerusermap_user_id_foreign references core_user (id) on delete cascade,
        partner_contact_id int not null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_partnerusermap_user_id_unique unique (user_id)
      );
      create index core_partnerusermap_partner_contact_id_index on core_partnerusermap (partner_contact_id);

      create table core_partnerordermap (
        id serial primary key,
        order_id int not null
          constraint core_partnerordermap_order_id_foreign references core_order (id) on delete cascade,
        contribution_id int not null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_partnerordermap_order_id_unique unique (order_id)
      );
      create index core_partnerordermap_contribution_id_index on core_partnerordermap (contribution_id);

      create table core_partnertransactionmap (
        id serial primary key,
        transaction_id int not null
          constraint core_partnertransactionmap_transaction_id_foreign references core_transaction (id) on delete cascade,
        contribution_id int not null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_partnertransactionmap_transaction_id_unique unique (transaction_id)
      );
      create index core_partnertransactionmap_contribution_id_index on core_partnertransactionmap (contribution_id);

      create table partner_intent (
        id serial primary key,
        kind text not null,
        local_id int not null,
        contact int,
        error text not null default '',
        held_by text,
        held_until timestamptz(6),
        created_at timestamptz(6) not null default now(),
        constraint partner_intent_kind_check check (kind in ('user', 'order', 'transaction')),
        constraint partner_intent_local_key unique (kind, local_id)
      );
    `);
  }
}
