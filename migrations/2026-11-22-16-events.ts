import { Migration } from '@mikro-orm/migrations';

/** Event campaigns, their pages, events and signups. */
export class Events extends Migration {
  override up(): void {
    this.addSql(`
      create table events_campaign (
        id serial primary key,
        name text not null,
        title text not null default '',
        description text not null default '',
        hidden boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint events_campaign_name_unique unique (name)
      );

      create table events_eventpage (
        page_ptr_id int primary key
          constraint events_eventpage_page_ptr_id_foreign references core_page (id) on update cascade on delete cascade,
        campaign_id int not null
          constraint events_eventpage_campaign_id_foreign references events_campaign (id) on delete cascade
      );
      create index events_eventpage_campaign_id_index on events_eventpage (campaign_id);

      create table events_event (
        id serial primary key,
        campaign_id int not null
          constraint events_event_campaign_id_foreign references events_campaign (id) on delete cascade,
        creator_id int
          constraint events_event_creator_id_foreign references core_user (id) on delete set null,
        title text not null default '',
        venue text not null default '',
        address1 text not null default '',
        address2 text not null default '',
        city text not null default '',
        state text not null default '',
        region text not null default '',
        zip text not null default '',
        plus4 text not null default '',
        postal text not null default '',
        country text not null default '',
        us_district text not null default '',
        us_county text not null default '',
        longitude double precision,
        latitude double precision,
        starts_at timestamptz(6),
        ends_at timestamptz(6),
        public_description text not null default '',
        directions text not null default '',
        note_to_attendees text not null default '',
        max_attendees int,
        is_private boolean not null default false,
        is_approved boolean not null default true,
        host_is_confirmed boolean not null default true,
        status text not null default 'active',
        fields jsonb not null default '{}',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        action_id int
          constraint events_event_action_id_foreign references core_action (id) on delete set null,
        constraint events_event_status_check check (status in ('active', 'cancelled', 'deleted'))
      );
      create index events_event_action_id_index on events_event (action_id);
      create index events_event_campaign_id_index on events_event (campaign_id);
      create index events_event_creator_id_index on events_event (creator_id);

      create table events_eventfield (
        id serial primary key,
        event_id int not null
          constraint events_eventfield_event_id_foreign references events_event (id) on delete cascade,
        name text not null,
        constraint events_eventfield_event_name_key unique (event_id, name)
      );
      create index events_eventfield_name_index on events_eventfield (name, id);

      create function events_event_fields_are_numbered() returns trigger language plpgsql as $$
      begin
        delete from events_eventfield f where f.event_id = new.id and not new.fields ? f.name;
        insert into events_eventfield (event_id, name) select new.id, n.name from jsonb_object_keys(new.fields) as n (name) on conflict do nothing;
        return null;
      end $$;
      create trigger events_event_fields_made after insert on events_event
        for each row when (new.fields <> '{}') execute function events_event_fields_are_numbered();
      create trigger events_event_fields_changed after update of fields on events_event
        for each row when (new.fields is distinct from old.fields) execute function events_event_fields_are_numbered();

      create table events_eventsignup (
        id serial primary key,
        user_id int not null
          constraint events_eventsignup_user_id_foreign references core_user (id) on delete cascade,
        event_id int not null
          constraint events_eventsignup_event_id_foreign references events_event (id) on delete cascade,
        role text not null default 'attendee',
        status text not null default 'active',
        fields jsonb not null default '{}',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        page_id int
          constraint events_eventsignup_page_id_foreign references core_page (id) on delete set null,
        action_id int
          constraint events_eventsignup_action_id_foreign references core_action (id) on delete set null,
        constraint events_eventsignup_role_check check (role in ('attendee', 'host')),
        constraint events_eventsignup_status_check check (status in ('active', 'cancelled')),
        constraint events_eventsignup_user_event_key unique (user_id, event_id, role)
      );
      create index events_eventsignup_action_id_index on events_eventsignup (action_id);
      create index events_eventsignup_created_at_index on events_eventsignup (created_at, id);
      create index events_eventsignup_updated_at_index on events_eventsignup (updated_at, id);
      create index events_eventsignup_event_id_index on events_eventsignup (event_id);
      create index events_eventsignup_page_id_index on events_eventsignup (page_id);

      create trigger events_event_stays_empty after insert or update of fields on events_event
        for each row execute function core_beside_user_stays_empty('creator_id', 'action_fields', 'fields');
      create trigger events_eventsignup_stays_empty after insert or update of fields on events_eventsignup
        for each row execute function core_beside_user_stays_empty('user_id', 'action_fields', 'fields');
    `);
  }
}
