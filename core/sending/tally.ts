import { LEDGER_STATE } from '../../domain/words.ts';

/** Columns of a tally over rows of the ledger. */
export const TALLIED = `count(*)::int as targeted, ${(['accepted', 'failed', 'skipped', 'uncertain'] as const)
  .map((state) => `count(*) filter (where state = ${LEDGER_STATE[state]})::int as ${state}`)
  .join(', ')}`;

/**
 * SQL that writes the tallies of shards of mailing `$1` anew.
 * @param which condition on the shard `s`
 */
export const writeTallies = (which: string) => `
  insert into send_tally (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain)
  select s.mailing_id, s.shard, l.place, l.targeted, l.accepted, l.failed, l.skipped, l.uncertain
  from send_shard s, (select greatest(count(*), 1)::int as many from core_mailingsubject where mailing_id = $1) subjects, lateral (
    select position % subjects.many as place, ${TALLIED} from send_record
    where mailing_id = s.mailing_id and position between s.from_position and s.to_position group by 1) l
  where s.mailing_id = $1 and ${which}
  on conflict (mailing_id, shard, place) do update set targeted = excluded.targeted, accepted = excluded.accepted, failed = excluded.failed,
    skipped = excluded.skipped, uncertain = excluded.uncertain`;
