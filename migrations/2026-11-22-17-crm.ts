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
        round text,
        constraint core_crmmap_ending_check check (ending in ('disconnected', 'erased', 'gone')),
        constraint core_crmmap_match_type_check check (match_type in ('id', 'email', 'created')),
        constraint core_crmmap_status_check check (status in ('pending', 'synced', 'failed', 'disconnected')),
        constraint core_crmmap_user_id_unique unique (user_id)
      );
      create index core_crmmap_crm_id_index on core_crmmap (crm_id, id);
      create index core_crmmap_last_error_index on core_crmmap (id) where (last_error <> '');
      create index core_crmmap_open_index on core_crmmap (id) where (wanted > done);
      create index core_crmmap_status_index on core_crmmap (status, id);
      create index core_crmmap_updated_at_index on core_crmmap (updated_at, id);
      create index core_crmmap_round_index on core_crmmap (round, id);

      create table core_partnerusermap (
        id serial primary key,
        user_id int not null
          constraint core_partnerusermap_user_id_foreign references core_user (id) on delete cascade,
        partner_contact_id int not null,
        generation int not null default 0,
        round text,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_partnerusermap_user_id_unique unique (user_id)
      );
      create index core_partnerusermap_partner_contact_id_index on core_partnerusermap (partner_contact_id);
      create index core_partnerusermap_round_index on core_partnerusermap (round);

      create table core_partnerordermap (
        id serial primary key,
        order_id int not null
          constraint core_partnerordermap_order_id_foreign references core_order (id) on delete cascade,
        contribution_id int not null,
        generation int not null default 0,
        round text,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_partnerordermap_order_id_unique unique (order_id)
      );
      create index core_partnerordermap_contribution_id_index on core_partnerordermap (contribution_id);
      create index core_partnerordermap_round_index on core_partnerordermap (round);

      create table core_partnertransactionmap (
        id serial primary key,
        transaction_id int not null
          constraint core_partnertransactionmap_transaction_id_foreign references core_transaction (id) on delete cascade,
        contribution_id int not null,
        generation int not null default 0,
        round text,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_partnertransactionmap_transaction_id_unique unique (transaction_id)
      );
      create index core_partnertransactionmap_contribution_id_index on core_partnertransactionmap (contribution_id);
      create index core_partnertransactionmap_round_index on core_partnertransactionmap (round);

      create table partner_intent (
        id serial primary key,
        kind text not null,
        local_id int not null,
        generation int not null default 0,
        born timestamptz(6),
        contact int,
        error text not null default '',
        held_by text,
        held_until timestamptz(6),
        created_at timestamptz(6) not null default now(),
        constraint partner_intent_kind_check check (kind in ('user', 'order', 'transaction')),
        constraint partner_intent_local_key unique (kind, local_id)
      );

      -- What loses its mapping gets a record of the next generation, whoever takes the mapping away: the same one would be the record it had. Of one that is being made already the reference stays.
      create function core_partner_fresh() returns trigger language plpgsql as $$
      begin
        execute format(
          'insert into partner_intent (kind, local_id, generation) select %L, id, $2 from %I where id = $1
             on conflict (kind, local_id) do update set generation = excluded.generation where partner_intent.born is null',
          tg_argv[0], 'core_' || tg_argv[0])
          using (to_jsonb(old) ->> (tg_argv[0] || '_id'))::int, old.generation + 1;
        return null;
      end $$;
      ${['user', 'order', 'transaction']
        .map(
          (kind) => `
      create trigger core_partner${kind}map_fresh after delete on core_partner${kind}map
        for each row execute function core_partner_fresh('${kind}');
      create trigger core_partner${kind}map_moved after update of ${kind}_id on core_partner${kind}map
        for each row when (new.${kind}_id <> old.${kind}_id) execute function core_partner_fresh('${kind}');`,
        )
        .join('')}
    `);
  }
}
