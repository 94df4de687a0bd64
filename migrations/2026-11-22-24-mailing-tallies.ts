import { Migration } from '@mikro-orm/migrations';
import { foldable, summed, tallying } from './support/summed.ts';

/** What came of mailings, counted as it comes (entities/mailings/tally.ts). */
export class MailingTallies extends Migration {
  override up(): void {
    this.addSql(`
      create table core_mailingtally (
        id bigserial primary key,
        mailing_id int not null,
        place int not null,
        actions int not null default 0,
        new_users int not null default 0,
        unsubscribes int not null default 0,
        leavings int not null default 0,
        orders int not null default 0,
        amount numeric not null default 0,
        amount_converted numeric not null default 0,
        bounces int not null default 0,
        bounces_all int not null default 0,
        complaints int not null default 0
      );
      create index core_mailingtally_mailing_id_index on core_mailingtally (mailing_id);

      ${foldable(TALLY)}

      -- The number of the subject somebody was sent; the first one's where they were sent nothing (a forwarded mail).
      create function core_subject_place(mailing int, person int) returns int language sql stable as $$
        select case when many > 1 then coalesce((
            select position % many from send_record where mailing_id = mailing and user_id = person and person between least_user and most_user
              and (among is null or person = any(among)) limit 1), 0)
          else 0 end
        from (select count(*)::int as many from core_mailingsubject where mailing_id = mailing) subjects
      $$;
      create function core_placed() returns trigger language plpgsql as $$
      begin
        new.mailing_place := case when new.mailing_id is not null then core_subject_place(new.mailing_id, new.user_id) end;
        return new;
      end $$;
      create trigger core_action_placed before insert on core_action
        for each row when (new.mailing_id is not null) execute function core_placed();
      create trigger core_action_placed_anew before update of mailing_id on core_action
        for each row when (new.mailing_id is distinct from old.mailing_id) execute function core_placed();
      -- Of somebody who is on no list any more nothing in the history says that they meant to leave; and the page may go before its actions.
      create function core_action_leaves() returns trigger language plpgsql as $$
      begin
        new.leaves := exists (select from core_page where id = new.page_id and type = 'unsubscribe');
        return new;
      end $$;
      create trigger core_action_leaves before insert on core_action
        for each row when (new.mailing_id is not null) execute function core_action_leaves();
      create trigger core_action_leaves_anew before update of mailing_id, page_id on core_action
        for each row when ((new.mailing_id, new.page_id) is distinct from (old.mailing_id, old.page_id)) execute function core_action_leaves();
      create trigger core_bounce_placed before insert on core_bounce
        for each row when (new.mailing_id is not null) execute function core_placed();

      create function core_order_placed() returns trigger language plpgsql as $$
      begin
        select mailing_id, mailing_place into new.mailing_id, new.mailing_place from core_action where id = new.action_id;
        return new;
      end $$;
      create trigger core_order_placed before insert or update of action_id on core_order
        for each row execute function core_order_placed();

      create function core_subscriptionhistory_placed() returns trigger language plpgsql as $$
      begin
        select mailing_id, mailing_place into new.mailing_id, new.mailing_place from core_action where id = new.action;
        return new;
      end $$;
      create trigger core_subscriptionhistory_placed before insert on core_subscriptionhistory
        for each row when (new.action is not null and new.change like 'unsubscribe%') execute function core_subscriptionhistory_placed();
      create trigger core_subscriptionhistory_placed_anew before update of action on core_subscriptionhistory
        for each row when (new.change like 'unsubscribe%') execute function core_subscriptionhistory_placed();

      -- What hangs on an action goes where it goes; what one that is gone led to, by itself or with its page, is no action's and so no mailing's any more.
      create function core_action_of_another() returns trigger language plpgsql as $$
      begin
        update core_order set action_id = action_id where action_id = new.id;
        update core_subscriptionhistory set action = action where action = new.id;
        return null;
      end $$;
      create trigger core_action_of_another after update of mailing_id on core_action
        for each row when (new.mailing_id is distinct from old.mailing_id) execute function core_action_of_another();
      create function core_action_unplaced() returns trigger language plpgsql as $$
      begin
        update core_subscriptionhistory set action = null where action = any(array(select id from was_there));
        return null;
      end $$;
      create trigger core_action_unplaced after delete on core_action referencing old table as was_there
        for each statement execute function core_action_unplaced();

      ${summed(TALLY, 'core_action', KEYS, { actions: '1', new_users: 'created_user::int', leavings: 'leaves::int' })}
      ${summed(TALLY, 'core_order', KEYS, { orders: '1', amount: 'total', amount_converted: 'total_converted' }, `status = 'completed'`)}
      ${different('core_subscriptionhistory', { unsubscribes: 'true' })}
      ${summed(TALLY, 'core_bounce', KEYS, { bounces_all: '1' }, `kind in ('hard', 'soft')`)}
      ${different('core_bounce', { bounces: `kind = 'hard'`, complaints: `kind = 'complaint'` })}
    `);
  }
}

const TALLY = {
  name: 'core_mailingtally',
  keys: ['mailing_id', 'place'],
  sums: [
    ...['actions', 'new_users', 'unsubscribes', 'leavings', 'orders', 'amount', 'amount_converted'],
    ...['bounces', 'bounces_all', 'complaints'],
  ],
};
const KEYS = ['mailing_id', 'mailing_place'];

/**
 * Counts the different people among the rows of a mailing for which the condition is true. The people of the rows are held, so that of two changes the
 * second sees what the first did; then who has some rows now and had none before has come, and the other way round.
 */
function different(table: string, counts: Record<string, string>): string {
  const names = Object.keys(counts);
  const came = names.map(
    (name) => `count(*) filter (where ${name}_now > 0) - count(*) filter (where ${name}_now > ${name}_more) as ${name}`,
  );
  const more = names.map((name) => `coalesce(sum(sign) filter (where ${counts[name]}), 0) as ${name}_more`);
  const now = names.map((name) => `count(*) filter (where ${counts[name]}) as ${name}_now`);
  return tallying(TALLY, table, 'different_user_id', 'mailing_id', names, (rows) => ({
    held: `perform from core_user where id = any(array(select distinct user_id from (${rows}) c where mailing_id is not null)) order by id for no key update;`,
    changes: `select mailing_id, place, ${came.join(', ')} from (
        select mailing_id, mailing_place as place, user_id, ${more.join(', ')} from (${rows}) c where mailing_id is not null group by 1, 2, 3) changed,
      lateral (select ${now.join(', ')} from ${table} t
        where t.user_id = changed.user_id and t.mailing_id = changed.mailing_id and t.mailing_place = changed.place) there
      group by 1, 2`,
  }));
}
