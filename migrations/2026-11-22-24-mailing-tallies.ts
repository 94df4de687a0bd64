import { Migration } from '@mikro-orm/migrations';

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

      -- Rows that another fold holds are left to it. Without nested loops: as with core_tally_fold.
      create function core_mailingtally_fold(mailings int[]) returns void language sql set enable_nestloop = off as $$
        with folded as (
          delete from core_mailingtally where id in (
            select id from core_mailingtally where mailing_id = any(mailings) limit 20000 for update skip locked)
          returning *)
        insert into core_mailingtally (mailing_id, place, ${COUNTED.join(', ')})
          select mailing_id, place, ${COUNTED.map((column) => `sum(${column})`).join(', ')} from folded group by 1, 2
      $$;

      -- The number of the subject somebody was sent; the first one's where they were sent nothing (a forwarded mail).
      create function core_subject_place(mailing int, person int) returns int language sql stable as $$
        select case when many > 1 then coalesce((
            select position % many from send_record where mailing_id = mailing and user_id = person and person between least_user and most_user limit 1), 0)
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

      -- What hangs on an action goes where it goes; what one that is gone led to is no mailing's any more.
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
        update core_subscriptionhistory set mailing_id = null, mailing_place = null
          where mailing_id is not null and action = any(array(select id from was_there where mailing_id is not null));
        return null;
      end $$;
      create trigger core_action_unplaced after delete on core_action referencing old table as was_there
        for each statement execute function core_action_unplaced();

      ${summed('core_action', { actions: '1', new_users: 'created_user::int' })}
      ${summed('core_order', { orders: '1', amount: 'total', amount_converted: 'total_converted' }, `status = 'completed'`)}
      ${different('core_subscriptionhistory', 'user_id', { unsubscribes: 'true' })}
      ${different('core_subscriptionhistory', 'action', { leavings: 'true' })}
      ${summed('core_bounce', { bounces_all: '1' }, `kind in ('hard', 'soft')`)}
      ${different('core_bounce', 'user_id', { bounces: `kind = 'hard'`, complaints: `kind = 'complaint'` })}
    `);
  }
}

/** By event: the rows that came (`sign` 1) and that went (-1), and how the trigger names them. */
const CHANGES = {
  insert: { rows: 'select t.*, 1 as sign from now_there t', tables: 'new table as now_there' },
  delete: { rows: 'select t.*, -1 as sign from was_there t', tables: 'old table as was_there' },
  update: {
    rows: 'select t.*, 1 as sign from now_there t union all select t.*, -1 from was_there t',
    tables: 'old table as was_there new table as now_there',
  },
};
const COUNTED = [
  'actions',
  'new_users',
  'unsubscribes',
  'leavings',
  'orders',
  'amount',
  'amount_converted',
  'bounces',
  'bounces_all',
  'complaints',
];

/** Adds up these columns over the rows of a mailing for which `where` is true. */
function summed(table: string, sums: Record<string, string>, where = 'true'): string {
  const change = Object.entries(sums).map(([name, value]) => `sum(sign * ${value}) as ${name}`);
  return triggers(table, 'summed', Object.keys(sums), (rows) => ({
    held: '',
    changes: `select mailing_id, mailing_place as place, ${change.join(', ')} from (${rows}) c where mailing_id is not null and ${where} group by 1, 2`,
  }));
}

/**
 * Counts the different values of a column among the rows of a mailing for which the condition is true. The people of the rows are held, so that of two changes the
 * second sees what the first did; then what has some rows now and had none before has come, and the other way round.
 */
function different(table: string, column: 'user_id' | 'action', counts: Record<string, string>): string {
  const names = Object.keys(counts);
  const came = names.map(
    (name) => `count(*) filter (where ${name}_now > 0) - count(*) filter (where ${name}_now > ${name}_more) as ${name}`,
  );
  const more = names.map((name) => `coalesce(sum(sign) filter (where ${counts[name]}), 0) as ${name}_more`);
  const now = names.map((name) => `count(*) filter (where ${counts[name]}) as ${name}_now`);
  return triggers(table, `different_${column}`, names, (rows) => ({
    held: `perform from core_user where id = any(array(select distinct user_id from (${rows}) c where mailing_id is not null)) order by id for no key update;`,
    changes: `select mailing_id, place, ${came.join(', ')} from (
        select mailing_id, mailing_place as place, ${column}, ${more.join(', ')} from (${rows}) c where mailing_id is not null group by 1, 2, 3) changed,
      lateral (select ${now.join(', ')} from ${table} t
        where t.${column} = changed.${column} and t.mailing_id = changed.mailing_id and t.mailing_place = changed.place) there
      group by 1, 2`,
  }));
}

/** @param change of the rows that came and went: what is to be done first, and the changes by mailing and place */
function triggers(table: string, kind: string, columns: string[], change: (rows: string) => { held: string; changes: string }): string {
  const name = `${table}_${kind}`;
  const write = (from: string) => `insert into core_mailingtally (mailing_id, place, ${columns.join(', ')}) ${from};`;
  const events = Object.entries(CHANGES).map(([event, { rows, tables }]) => {
    const { held, changes } = change(rows);
    return `
      create function ${name}_${event}() returns trigger language plpgsql as $$
      begin
        if exists (select from (${rows}) c where mailing_id is not null) then
          ${held}
          ${write(`select * from (${changes}) changes where (${columns.join(', ')}) is distinct from (${columns.map(() => '0').join(', ')})`)}
          if random() < 0.01 then
            perform core_mailingtally_fold(array(select distinct mailing_id from (${rows}) c where mailing_id is not null));
          end if;
        end if;
        return null;
      end $$;
      create trigger ${name}_${event} after ${event} on ${table} referencing ${tables} for each statement execute function ${name}_${event}();`;
  });
  return `${events.join('')}
      create function ${name}_truncate() returns trigger language plpgsql as $$
      begin
        ${write(`select mailing_id, place, ${columns.map((column) => `-sum(${column})`).join(', ')} from core_mailingtally group by 1, 2`)}
        return null;
      end $$;
      create trigger ${name}_truncate after truncate on ${table} for each statement execute function ${name}_truncate();`;
}
