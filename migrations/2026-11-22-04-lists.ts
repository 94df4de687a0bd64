import { Migration } from '@mikro-orm/migrations';

/** Lists, who is on them and how they came there; addresses nothing is mailed to. */
export class Lists extends Migration {
  override up(): void {
    this.addSql(`
      create table core_list (
        id serial primary key,
        name text not null,
        notes text not null default '',
        hidden boolean not null default false,
        is_default boolean not null default false,
        is_reengagement boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_list_name_unique unique (name)
      );
      create unique index core_list_default_key on core_list (is_default) where is_default;
      create unique index core_list_reengagement_key on core_list (is_reengagement) where is_reengagement;

      create table core_subscription (
        id serial primary key,
        user_id int not null
          constraint core_subscription_user_id_foreign references core_user (id) on delete cascade,
        list_id int not null
          constraint core_subscription_list_id_foreign references core_list (id) on delete cascade,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_subscription_list_user_key unique (list_id, user_id),
        constraint core_subscription_user_list_key unique (user_id, list_id)
      );
      create index core_subscription_created_at_index on core_subscription (created_at, id);
      create index core_subscription_list_index on core_subscription (list_id, id);
      create index core_subscription_updated_at_index on core_subscription (updated_at, id);

      create table core_subscriptionhistory (
        id serial primary key,
        user_id int not null
          constraint core_subscriptionhistory_user_id_foreign references core_user (id) on delete cascade,
        list_id int
          constraint core_subscriptionhistory_list_id_foreign references core_list (id) on delete set null,
        change text not null,
        action int,
        mailing_id int,
        mailing_place int,
        created_at timestamptz(6) not null default now(),
        constraint core_subscriptionhistory_change_check check (change in (
          'subscribe', 'subscribe_api', 'subscribe_import', 'unsubscribe', 'unsubscribe_email', 'unsubscribe_admin',
          'unsubscribe_bounce', 'unsubscribe_complaint', 'unsubscribe_merge', 'unsubscribe_erase'
        ))
      );
      -- Most lines come from no action. What a mailing led to is asked for by its actions, one by one.
      create index core_subscriptionhistory_action_index on core_subscriptionhistory (action) where action is not null;
      create index core_subscriptionhistory_created_at_index on core_subscriptionhistory (created_at, id);
      create index core_subscriptionhistory_list_index on core_subscriptionhistory (list_id, id);
      create index core_subscriptionhistory_user_index on core_subscriptionhistory (user_id, id);

      create table core_listdeletion (
        id serial primary key,
        list_id int not null,
        people int not null default 0,
        removed int not null default 0,
        status text not null default 'pending',
        errors jsonb not null default '[]',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_listdeletion_status_check check (status in ('pending', 'complete', 'failed'))
      );
      -- Who deletes a list that is being deleted joins the first.
      create unique index core_listdeletion_pending_key on core_listdeletion (list_id) where status = 'pending';

      create table core_blackholedemail (
        id serial primary key,
        email text not null,
        created_at timestamptz(6) not null default now(),
        constraint core_blackholedemail_email_unique unique (email)
      );
    `);
  }
}
