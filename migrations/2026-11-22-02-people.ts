import { Migration } from '@mikro-orm/migrations';
import { LOOKED_FOR } from './support/looked-for.ts';

/** Users, their fields, phones, groups and first address; login tokens, merges and erasures. */
export class People extends Migration {
  override up(): void {
    this.addSql(`
      create table core_language (
        id serial primary key,
        name text not null,
        iso_code text not null default '',
        ordering int not null default 0,
        hidden boolean not null default false,
        translations text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_language_name_unique unique (name)
      );

      create table core_user (
        id serial primary key,
        email text not null,
        prefix text not null default '',
        first_name text not null default '',
        middle_name text not null default '',
        last_name text not null default '',
        suffix text not null default '',
        address1 text not null default '',
        address2 text not null default '',
        city text not null default '',
        state text not null default '',
        region text not null default '',
        zip text not null default '',
        plus4 text not null default '',
        postal text not null default '',
        country text not null default '',
        source text not null default '',
        lang_id int
          constraint core_user_lang_id_foreign references core_language (id) on delete set null,
        rand_id int not null default (random() * 1000000000)::int,
        subscription_status text not null default 'never',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_user_subscription_status_check check (subscription_status in (
          'subscribed', 'unsubscribed', 'bounced', 'never'
        ))
      );
      create index core_user_city_index on core_user (city, id);
      create index core_user_country_index on core_user (country, id);
      create index core_user_created_at_index on core_user (created_at, id);
      create index core_user_email_index on core_user (email, id);
      create index core_user_first_name_index on core_user (first_name, id);
      create index core_user_lang_index on core_user (lang_id, id);
      create index core_user_last_name_index on core_user (last_name, id);
      -- Most people have none: what regions there are is looked up in it.
      create index core_user_region_index on core_user (region) where region > '';
      create index core_user_source_index on core_user (source, id);
      create index core_user_state_index on core_user (state, id);
      create index core_user_subscription_status_index on core_user (subscription_status, id);
      create index core_user_updated_at_index on core_user (updated_at, id);
      create index core_user_zip_index on core_user (zip, id);
      create unique index core_user_email_key on core_user (lower(email));

      ${LOOKED_FOR}

      -- The addresses somebody had before: what others wrote by then holds them, and is to be found when they are erased.
      create table core_formeremail (
        user_id int not null
          constraint core_formeremail_user_id_foreign references core_user (id) on update cascade on delete cascade,
        email text not null,
        created_at timestamptz(6) not null default now(),
        primary key (user_id, email)
      );

      -- Whoever writes. Nothing is asked where the statement sets no address, as that of an import.
      create function core_user_keeps_former_email() returns trigger language plpgsql as $$
      begin
        insert into core_formeremail (user_id, email) values (old.id, lower(old.email))
          on conflict (user_id, email) do update set created_at = now();
        return null;
      end $$;
      create trigger core_user_keeps_former_email after update of email on core_user
        for each row when (lower(new.email) <> lower(old.email) and new.email not like 'erased-%@erased.invalid') execute function core_user_keeps_former_email();

      create table core_alloweduserfield (
        id serial primary key,
        name text not null,
        display_name text not null default '',
        description text not null default '',
        hidden boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_alloweduserfield_name_unique unique (name)
      );

      create table core_userfield (
        id serial primary key,
        parent_id int not null
          constraint core_userfield_parent_id_foreign references core_user (id) on delete cascade,
        name text not null,
        value text not null default ''
      );
      create index core_userfield_name_index on core_userfield (name, id);
      create index core_userfield_parent_index on core_userfield (parent_id, name);

      create table core_phone (
        id serial primary key,
        user_id int not null
          constraint core_phone_user_id_foreign references core_user (id) on delete cascade,
        phone text not null,
        normalized_phone text not null default '',
        type text not null default 'home',
        source text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_phone_type_check check (type in (
          'home', 'mobile', 'work', 'fax', 'emergency', 'home_fax', 'work_fax', 'other'
        ))
      );
      create index core_phone_created_at_index on core_phone (created_at, id);
      create index core_phone_normalized_phone_index on core_phone (normalized_phone, id);
      create index core_phone_updated_at_index on core_phone (updated_at, id);
      create index core_phone_user_id_index on core_phone (user_id);

      create table core_user_original (
        id serial primary key,
        user_id int not null
          constraint core_user_original_user_id_foreign references core_user (id) on delete cascade,
        address1 text not null default '',
        address2 text not null default '',
        city text not null default '',
        state text not null default '',
        zip text not null default '',
        created_at timestamptz(6) not null default now(),
        constraint core_user_original_user_id_unique unique (user_id)
      );

      create table core_usergroup (
        id serial primary key,
        name text not null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_usergroup_name_unique unique (name)
      );

      create table core_user_groups (
        user_id int not null
          constraint core_user_groups_user_id_foreign references core_user (id) on update cascade on delete cascade,
        usergroup_id int not null
          constraint core_user_groups_usergroup_id_foreign references core_usergroup (id) on update cascade on delete cascade,
        primary key (user_id, usergroup_id)
      );
      create index core_user_groups_usergroup_id_index on core_user_groups (usergroup_id, user_id);

      create table core_logintoken (
        id serial primary key,
        user_id int not null
          constraint core_logintoken_user_id_foreign references core_user (id) on delete cascade,
        token_hash text not null,
        expires_at timestamptz(6) not null,
        created_at timestamptz(6) not null default now(),
        constraint core_logintoken_token_hash_unique unique (token_hash)
      );
      create index core_logintoken_expires_at_index on core_logintoken (expires_at);
      create index core_logintoken_user_id_index on core_logintoken (user_id);

      create table core_usermerge (
        id serial primary key,
        primary_user int not null,
        users jsonb not null default '[]',
        address_user int not null,
        source_user int not null,
        sms_user int,
        lists jsonb,
        status text not null default 'pending',
        errors jsonb not null default '[]',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_usermerge_status_check check (status in ('pending', 'complete', 'failed'))
      );
      create index core_usermerge_primary_user_index on core_usermerge (primary_user);
      create index core_usermerge_pending_index on core_usermerge (updated_at) where status = 'pending';
      create index core_usermerge_updated_at_index on core_usermerge (updated_at);
      create index core_usermerge_users_index on core_usermerge using gin (users jsonb_path_ops) where status = 'complete';

      -- Who somebody is by now: links in mails name whom they were sent to, and who may have been merged with somebody else since. Null where they are gone.
      create function core_present_user(wanted int) returns int language sql stable as $$
        with recursive known (id, step) as (
          select wanted, 0
          union all
          select m.primary_user, k.step + 1
          from known k join core_usermerge m on m.status = 'complete' and m.users @> jsonb_build_array(k.id) and m.primary_user <> k.id
          where k.step < 100 and not exists (select from core_user u where u.id = k.id))
        select k.id from known k where exists (select from core_user u where u.id = k.id) limit 1
      $$;

      create table core_erasure (
        id serial primary key,
        user_id int not null,
        email_hash text not null default '',
        options jsonb not null default '[]',
        status text not null default 'pending',
        errors jsonb not null default '[]',
        to_find text[],
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_erasure_status_check check (status in ('pending', 'complete', 'failed'))
      );
      create index core_erasure_open_index on core_erasure (updated_at) where status = 'pending' or to_find is not null;
      -- Each block of an import asks who was erased since its file came.
      create index core_erasure_complete_index on core_erasure (updated_at) where status = 'complete';
      create index core_erasure_user_id_index on core_erasure (user_id);

      -- The record that is left of somebody erased is given nothing of anybody, whoever writes: also who waited for the erasure with what they had of them before.
      create function core_user_stays_empty() returns trigger language plpgsql as $$
      declare came text;
      begin
        select n.key into came from jsonb_each_text(to_jsonb(new)) n join jsonb_each_text(to_jsonb(old)) o on o.key = n.key
        where n.value is distinct from o.value and n.value <> '' and n.value not like 'erased-%@erased.invalid'
          and n.key not in ('id', 'rand_id', 'subscription_status', 'created_at', 'updated_at') limit 1;
        if came is not null and exists (select from core_erasure where user_id = new.id and status = 'complete') then
          raise check_violation using message = 'a record of somebody erased stays empty', detail = 'User ' || new.id || ' was erased.', column = came;
        end if;
        return new;
      end $$;
      create trigger core_user_stays_empty before update on core_user
        for each row when (old.email like 'erased-%@erased.invalid') execute function core_user_stays_empty();

      -- Nor is what an erasure took from beside it given back. Its arguments: the column that names the user, the option of the eraser, and the columns. After the row, when whoever
      -- waited for the erasure to reach its user or its row sees it.
      create function core_beside_user_stays_empty() returns trigger language plpgsql as $$
      declare
        owner int := to_jsonb(new) ->> tg_argv[0];
        came text;
      begin
        select n.key into came from jsonb_each_text(to_jsonb(new)) n
        where n.key = any(tg_argv[2:]) and n.value not in ('', '{}') and (tg_op = 'INSERT' or n.value is distinct from to_jsonb(old) ->> n.key) limit 1;
        -- Who is being erased is waited for: the erasure may have passed the row by, when there was nothing in it.
        if came is not null then perform from core_user where id = owner for key share; end if;
        if came is not null and exists (select from core_erasure where user_id = owner and status = 'complete' and options ? tg_argv[1]) then
          raise check_violation using message = 'what was erased stays empty', detail = 'User ' || owner || ' was erased.', column = came;
        end if;
        return null;
      end $$;
    `);
  }
}
