import { Migration } from '@mikro-orm/migrations';

/**
 * One form for all rates: of mailings, relays, recipient domains and of the systems beside ours. How far a rate is used up stands in a row that is followed
 * by a new one four times a second, so that a snapshot held open for an hour leaves no long chain of dead versions on the way of a draw.
 */
export class Rates extends Migration {
  override up(): void {
    this.addSql(`
      create table send_pace (
        key text not null,
        slot bigint not null,
        paid_until double precision not null default 0,
        primary key (key, slot)
      ) with (fillfactor = 50);

      -- Draws from the rate of_key. Who draws holds its lock: the statements below it see what the last one wrote, and the clock is read when nobody else can write any more.
      --   rate     per second
      --   wanted   how many; what is below zero is given back
      --   burst    seconds for which an unused allowance lasts
      --   ahead    seconds beyond the present that may be drawn for
      --   held     seconds for which nobody is to get anything from now on
      --   clock    seconds since the epoch where a test has its own; null is the database's clock
      -- Where nothing is drawn ahead, what is paid for beyond the present means that the clock was set back: then the present counts.
      -- free_in: seconds until the last one granted is due, or the next one when none was.
      create function draw_from_rate(of_key text, rate float8, wanted float8, burst float8, ahead float8, held float8, clock float8,
          out granted float8, out free_in float8) language plpgsql volatile as $$
      declare
        present float8;
        last record;
        base float8;
        now_slot bigint;
      begin
        -- A power cut may forget some milliseconds of allowance, nothing else.
        perform set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(7236903, hashtext(of_key));
        present := coalesce(clock, extract(epoch from clock_timestamp())::float8);
        select p.slot, p.paid_until into last from send_pace p where p.key = of_key order by p.slot desc limit 1;
        now_slot := greatest(floor(4 * present)::bigint, last.slot);
        base := greatest(case when ahead > 0 then last.paid_until else least(coalesce(last.paid_until, 0), present) end, present - burst, present + held - 1 / rate);
        granted := case when wanted < 0 then wanted else greatest(0, least(wanted, floor((present + ahead - base) * rate + 1e-6))) end;
        base := base + granted / rate;
        free_in := base - present + case when granted > 0 and ahead > 0 then 0 else 1 / rate end;
        if now_slot = last.slot then
          update send_pace p set paid_until = base where p.key = of_key and p.slot = now_slot;
        else
          insert into send_pace (key, slot, paid_until) values (of_key, now_slot, base);
          -- The one before alone: below it are only dead rows, and who looks at them all takes the longer the older the oldest snapshot is.
          delete from send_pace p where p.key = of_key and p.slot = last.slot;
        end if;
      end $$;
    `);
  }
}
