import { Migration } from '@mikro-orm/migrations';

/** Where zips lie, and where users live. */
export class Geo extends Migration {
  override up(): void {
    this.addSql(`
      create table geo_zipplace (
        zip text not null,
        kind text not null,
        place text not null,
        primary key (zip, kind, place)
      );

      create table core_location (
        id serial primary key,
        user_id int not null
          constraint core_location_user_id_foreign references core_user (id) on delete cascade,
        us_district text not null default '',
        us_state_senate text not null default '',
        us_state_district text not null default '',
        us_county text not null default '',
        loc_code text not null default '',
        longitude double precision,
        latitude double precision,
        country_code text not null default '',
        region_code text not null default '',
        lat_lon_precision text not null default '',
        timezone text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_location_user_id_unique unique (user_id)
      );
      create index core_location_updated_at_index on core_location (updated_at, id);

      create table core_usergeofield (
        id serial primary key,
        user_id int not null
          constraint core_usergeofield_user_id_foreign references core_user (id) on delete cascade,
        name text not null,
        value text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now()
      );
      create index core_usergeofield_name_index on core_usergeofield (name, id);
      create index core_usergeofield_updated_at_index on core_usergeofield (updated_at, id);
      create index core_usergeofield_user_name_index on core_usergeofield (user_id, name);

      -- Targeting asks for states and countries without regard to case, and for the first five characters of zips. Without figures about these expressions
      -- the planner takes every such audience for half a percent of all people, and looks up a quarter of a million of them one by one.
      create statistics core_user_state_statistics on (upper(state)) from core_user;
      create statistics core_user_country_statistics on (lower(country)) from core_user;
      create statistics core_user_region_statistics on (lower(region)) from core_user;
      create statistics core_user_zip_statistics on ("left"(zip, 5)) from core_user;
      create statistics core_location_county_statistics on (lower(us_county)) from core_location;
    `);
  }
}
