import { Migration } from '@mikro-orm/migrations';

/** Targets, their groups, whip counts and what callers were told; the reports of a whip count. */
export class Whipcounts extends Migration {
  override up(): void {
    this.addSql(`
      create table core_target (
        id serial primary key,
        type text not null,
        country text not null default 'United States',
        state text not null default '',
        seat text not null default '',
        us_district text not null default '',
        first text not null default '',
        last text not null default '',
        gender text not null default '',
        party text not null default '',
        title text not null default '',
        long_title text not null default '',
        phone text not null default '',
        fax text not null default '',
        email text not null default '',
        hidden boolean not null default false,
        bioguide text,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_target_type_check check (type in ('senate', 'house', 'state_senate', 'state_house', 'executive', 'other')),
        constraint core_target_bioguide_unique unique (bioguide)
      );
      create index core_target_seat_index on core_target (seat, id);
      create index core_target_state_index on core_target (state, type, id);
      create index core_target_us_district_index on core_target (us_district, id);

      create table core_targetgroup (
        id serial primary key,
        name text not null,
        type text not null,
        hidden boolean not null default false,
        readonly boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_targetgroup_type_check check (type in ('senate', 'house', 'congress', 'special'))
      );
      create index core_targetgroup_name_index on core_targetgroup (name, id);

      create table core_targetgroup_targets (
        targetgroup_id int not null
          constraint core_targetgroup_targets_targetgroup_id_foreign references core_targetgroup (id) on update cascade on delete cascade,
        target_id int not null
          constraint core_targetgroup_targets_target_id_foreign references core_target (id) on update cascade on delete cascade,
        primary key (targetgroup_id, target_id)
      );

      create table core_whipcountpage (
        page_ptr_id int primary key
          constraint core_whipcountpage_page_ptr_id_foreign references core_page (id) on update cascade on delete cascade,
        hosted_with text not null default ''
      );

      create table core_whipcountpage_target_groups (
        page_id int not null
          constraint core_whipcountpage_target_groups_page_id_foreign references core_whipcountpage (page_ptr_id) on update cascade on delete cascade,
        targetgroup_id int not null
          constraint core_whipcountpage_target_groups_targetgroup_id_foreign references core_targetgroup (id) on update cascade on delete cascade,
        primary key (page_id, targetgroup_id)
      );

      create table core_whipcountform (
        id serial primary key,
        page_id int not null
          constraint core_whipcountform_page_id_foreign references core_page (id) on delete cascade,
        introduction_text text not null default '',
        script_text text not null default '',
        survey_question_text text not null default '',
        thank_you_text text not null default '',
        minimum_calls int not null default 1,
        minimum_response_agreement numeric(4,2) not null default 0.50,
        results_source text not null default 'responses',
        client_hosted boolean not null default false,
        client_url text not null default '',
        templateset text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_whipcountform_minimum_calls_check check (minimum_calls >= 0),
        constraint core_whipcountform_page_id_unique unique (page_id)
      );

      create table core_whipcountactioncalled (
        id serial primary key,
        whipcountaction_id int not null
          constraint core_whipcountactioncalled_whipcountaction_id_foreign references core_action (id) on delete cascade,
        page_id int not null
          constraint core_whipcountactioncalled_page_id_foreign references core_page (id) on delete cascade,
        user_id int not null
          constraint core_whipcountactioncalled_user_id_foreign references core_user (id) on delete cascade,
        target_id int not null
          constraint core_whipcountactioncalled_target_id_foreign references core_target (id) on delete cascade,
        response text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_whipcountactioncalled_page_target_user_key unique (page_id, target_id, user_id)
      );
      create index core_whipcountactioncalled_created_at_index on core_whipcountactioncalled (created_at, id);
      create index core_whipcountactioncalled_page_user_index on core_whipcountactioncalled (page_id, user_id);
      create index core_whipcountactioncalled_updated_at_index on core_whipcountactioncalled (updated_at, id);
      create index core_whipcountactioncalled_user_id_index on core_whipcountactioncalled (user_id);
      create index core_whipcountactioncalled_whipcountaction_id_index on core_whipcountactioncalled (whipcountaction_id);

      create table core_whipcountoverride (
        id serial primary key,
        page_id int not null
          constraint core_whipcountoverride_page_id_foreign references core_page (id) on delete cascade,
        target_id int not null
          constraint core_whipcountoverride_target_id_foreign references core_target (id) on delete cascade,
        stance text not null,
        note text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_whipcountoverride_stance_check check (stance in ('uncommitted', 'supportive', 'opposed', 'message')),
        constraint core_whipcountoverride_page_target_key unique (page_id, target_id)
      );
      create index core_whipcountoverride_target_id_index on core_whipcountoverride (target_id);
    `);
    for (const { name, shortName, description, sql } of REPORTS) {
      const values = [name, shortName, sql.trim(), description].map((text) => `'${text.replaceAll("'", "''")}'`).join(', ');
      this.addSql(`insert into reports_queryreport (name, short_name, sql, description) values (${values})`);
    }
  }
}

const REPORTS = [
  {
    name: 'Whip count: calls per target',
    shortName: 'whipcount_calls_per_target',
    description: 'Parameter page: name of the whip-count page. Target id, seat, name, callers.',
    sql: `
select t.id, t.seat, t.first || ' ' || t.last as target, count(*) as calls
from core_whipcountactioncalled c
join core_page p on p.id = c.page_id
join core_target t on t.id = c.target_id
where p.name = {{ page }}
group by t.id, t.seat, t.first, t.last
order by calls desc, t.id`,
  },
  {
    name: 'Whip count: stance per target',
    shortName: 'whipcount_stance_per_target',
    description:
      'Parameter page: name of the whip-count page. Target id, seat, name, callers, the response most of them reported, how many did, and the stance: an administrator’s word, else that response when callers and agreement suffice. What an erasure has emptied counts as a call, and is no response.',
    sql: `
with tally as (
  select c.page_id, c.target_id, lower(trim(c.response)) as response, count(*) as reports,
    sum(count(*)) over (partition by c.page_id, c.target_id) as calls,
    row_number() over (partition by c.page_id, c.target_id order by lower(trim(c.response)) = '', count(*) desc, lower(trim(c.response))) as place
  from core_whipcountactioncalled c
  join core_page p on p.id = c.page_id
  where p.name = {{ page }}
  group by c.page_id, c.target_id, lower(trim(c.response))
), known as (
  select page_id, target_id from tally
  union
  select o.page_id, o.target_id from core_whipcountoverride o join core_page p on p.id = o.page_id where p.name = {{ page }}
)
select t.id, t.seat, t.first || ' ' || t.last as target, coalesce(y.calls, 0)::int as calls, nullif(y.response, '') as response,
  case when y.response <> '' then y.reports else 0 end as reports,
  coalesce(o.stance, case when y.response <> '' and y.calls >= f.minimum_calls and y.reports >= y.calls * f.minimum_response_agreement then y.response end) as stance
from known k
join core_target t on t.id = k.target_id
join core_whipcountform f on f.page_id = k.page_id
left join tally y on y.page_id = k.page_id and y.target_id = k.target_id and y.place = 1
left join core_whipcountoverride o on o.page_id = k.page_id and o.target_id = k.target_id
order by t.seat, t.id`,
  },
  {
    name: 'Whip count: calls per day',
    shortName: 'whipcount_calls_per_day',
    description: 'Parameter page: name of the whip-count page. Day (UTC), calls first reported that day, people who called.',
    sql: `
select c.created_at::date as day, count(*) as calls, count(distinct c.user_id) as callers
from core_whipcountactioncalled c
join core_page p on p.id = c.page_id
where p.name = {{ page }}
group by 1
order by 1`,
  },
];
