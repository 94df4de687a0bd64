import { Migration } from '@mikro-orm/migrations';
import { foldable, summed } from './support/summed.ts';

/** What pages took in by month (entities/donations/tally.ts), and what callers of whip counts reported (entities/whipcounts/tally.ts), counted as it comes. */
export class PageTallies extends Migration {
  override up(): void {
    this.addSql(`
      create table core_donationtally (
        id bigserial primary key,
        page_id int not null,
        month date not null,
        payments int not null default 0,
        recurring int not null default 0,
        amount_converted numeric not null default 0
      );
      create index core_donationtally_page_id_index on core_donationtally (page_id);
      ${foldable(DONATIONS)}

      create function core_transaction_placed() returns trigger language plpgsql as $$
      begin
        select a.page_id, exists (select from core_orderrecurring where order_id = o.id) into new.page_id, new.recurring
          from core_order o join core_action a on a.id = o.action_id where o.id = new.order_id;
        -- Of an order that is not there the reference says so.
        new.recurring := coalesce(new.recurring, false);
        return new;
      end $$;
      create trigger core_transaction_placed before insert or update of order_id on core_transaction
        for each row execute function core_transaction_placed();

      -- What hangs on an order goes where it goes.
      create function core_order_of_another() returns trigger language plpgsql as $$
      begin
        update core_transaction set order_id = order_id where order_id = new.id;
        return null;
      end $$;
      create trigger core_order_of_another after update of action_id on core_order
        for each row when (new.action_id <> old.action_id) execute function core_order_of_another();
      create function core_order_recurs() returns trigger language plpgsql as $$
      begin
        update core_transaction set order_id = order_id where order_id = new.order_id;
        return null;
      end $$;
      create trigger core_order_recurs after insert on core_orderrecurring
        for each row execute function core_order_recurs();
      create function core_action_of_page() returns trigger language plpgsql as $$
      begin
        update core_transaction set order_id = order_id where order_id in (select id from core_order where action_id = new.id);
        return null;
      end $$;
      create trigger core_action_of_page after update of page_id on core_action
        for each row when (new.page_id <> old.page_id) execute function core_action_of_page();
      ${summed(
        DONATIONS,
        'core_transaction',
        ['page_id', `date_trunc('month', created_at at time zone 'UTC')::date`],
        { payments: '1', recurring: 'recurring::int', amount_converted: 'amount_converted' },
        `type = 'sale' and status = 'completed'`,
      )}

      create table core_whipcounttally (
        id bigserial primary key,
        page_id int not null,
        target_id int not null,
        response text not null,
        calls int not null default 0
      );
      create index core_whipcounttally_page_id_index on core_whipcounttally (page_id);
      ${foldable(CALLS)}

      -- A stance as it is; anything else by its digest, so that what somebody wrote goes with them.
      create function core_whipcount_said(response text) returns text language sql immutable as $$
        select case when said in ('uncommitted', 'supportive', 'opposed', 'message') then said else md5(said) end from (select lower(trim(response)) as said) s
      $$;
      ${summed(CALLS, 'core_whipcountactioncalled', ['page_id', 'target_id', 'core_whipcount_said(response)'], { calls: '1' })}
    `);
  }
}

const DONATIONS = { name: 'core_donationtally', keys: ['page_id', 'month'], sums: ['payments', 'recurring', 'amount_converted'] };
const CALLS = { name: 'core_whipcounttally', keys: ['page_id', 'target_id', 'response'], sums: ['calls'] };
