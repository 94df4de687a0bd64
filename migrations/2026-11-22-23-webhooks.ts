import { Migration } from '@mikro-orm/migrations';

/** Which rows of a table are which event, as a query over `made`: resource_id and event. */
const TOLD: Record<string, { resource: string; made: string }> = {
  // People who are imported are no news.
  core_action: {
    resource: 'action',
    made: `select a.id, 'action' as event from made a join core_page p on p.id = a.page_id where p.type <> 'import'`,
  },
  core_order: { resource: 'order', made: `select id, 'donation' as event from made` },
  core_bounce: { resource: 'bounce', made: `select id, case kind when 'complaint' then 'complaint' else 'bounce' end as event from made` },
  core_subscriptionhistory: {
    resource: 'subscriptionhistory',
    // A merge ends what each of them had, and where somebody stays on the list it begins again: its last line says what came of it.
    made: `select id, 'unsubscribe' as event from made m where change like 'unsubscribe%' and (change <> 'unsubscribe_merge' or not exists (
      select from made later where later.user_id = m.user_id and later.list_id = m.list_id and later.id > m.id))`,
  },
};

/** Whoever changes or deletes a webhook just now is waited for: one that is gone then would have what happens refused, and one that is stopped is told of nothing. */
const AS_IT_IS = 'for key share of w';

const teller = (table: string, { resource, made }: { resource: string; made: string }) => `
  create function ${table}_told() returns trigger language plpgsql as $$
  begin
    if exists (select from core_webhook where active) then
      insert into core_webhookdelivery (webhook_id, event, resource, resource_id)
      select w.id, m.event, '${resource}', m.id from (${made}) m join core_webhook w on w.active and w.events ? m.event ${AS_IT_IS};
    end if;
    return null;
  end $$;
  create trigger ${table}_told after insert on ${table} referencing new table as made for each statement execute function ${table}_told();`;

/** Webhooks, and what they are told: written in the transaction of what happens, so that nothing is told that was rolled back, and nothing is forgotten. */
export class Webhooks extends Migration {
  override up(): void {
    this.addSql(`
      create table core_webhook (
        id serial primary key,
        url text not null,
        description text not null default '',
        events jsonb not null,
        secret text not null,
        active boolean not null default true,
        failures int not null default 0,
        rests_until timestamptz(6),
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now()
      );

      create table core_webhookdelivery (
        id bigserial primary key,
        webhook_id int not null
          constraint core_webhookdelivery_webhook_id_foreign references core_webhook (id) on delete cascade,
        event text not null,
        resource text not null,
        resource_id int not null,
        status text not null default 'pending',
        attempts int not null default 0,
        last_status int,
        last_error text not null default '',
        next_at timestamptz(6) not null default now(),
        tried_at timestamptz(6),
        asked_at timestamptz(6) not null default now(),
        created_at timestamptz(6) not null default now(),
        constraint core_webhookdelivery_status_check check (status in ('pending', 'delivered', 'failed'))
      );
      create index core_webhookdelivery_created_at_index on core_webhookdelivery (created_at, id);
      create index core_webhookdelivery_failed_index on core_webhookdelivery (webhook_id, id) where status = 'failed';
      create index core_webhookdelivery_pending_index on core_webhookdelivery (webhook_id, next_at) where status = 'pending';
      create index core_webhookdelivery_webhook_id_id_index on core_webhookdelivery (webhook_id, id);

      create function core_mailing_told() returns trigger language plpgsql as $$
      begin
        insert into core_webhookdelivery (webhook_id, event, resource, resource_id)
        select w.id, 'mailing.' || new.status, 'mailer', new.id from core_webhook w
        where w.active and w.events ? ('mailing.' || new.status) ${AS_IT_IS};
        return null;
      end $$;
      create trigger core_mailing_told after update on core_mailing for each row
        when (old.status is distinct from new.status and new.status in ('completed', 'stopped', 'died')) execute function core_mailing_told();

      ${Object.entries(TOLD)
        .map(([table, told]) => teller(table, told))
        .join('\n')}
    `);
  }
}
