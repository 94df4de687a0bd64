import { type Sql, sql } from '../sql.ts';
import { oneOf } from './compile-record.ts';
import type { TargetingField, TargetingSettings } from './fields.ts';

// What is asked of everyone, and how it is asked of very many.

/** How an audience is asked for (AudienceContext). */
interface Asked {
  few?: boolean;
  among?: string;
  merged?: boolean;
}

/** The people under a number in the temporary table `target_member (source, user_id)`. */
export const members = (source: number): Sql => sql`target_member x where x.user_id = u.id and x.source = ${source}::int`;

const A_LIST = sql`core_subscription s where s.user_id = u.id`;

const BLACKHOLED = sql`core_blackholedemail b where b.email = lower(u.email)`;
/** Of very many people: the addresses that are blackholed, which are few beside them, are looked up instead of everybody's, and numbers compared instead of texts. */
const BLACKHOLED_ID = sql`core_blackholedemail b join core_user w on lower(w.email) = b.email where w.id = u.id`;
/** Beside those of MEMBER_SOURCE. */
const BLACKHOLED_SOURCE = 7;
/** Puts them into `target_member`, each found by the index of addresses, whatever joins the audience is allowed. */
export const BLACKHOLED_STAGING = sql`insert into target_member select ${BLACKHOLED_SOURCE}::int, w.id from core_blackholedemail b
  join core_user w on lower(w.email) = b.email`;

/** What is asked of everyone, whatever the targeting. */
export const reachable = ({ few, among, merged }: Asked) =>
  [
    sql`u.subscription_status = 'subscribed'`,
    sql`exists (select from ${few ? oneOf(A_LIST) : A_LIST})`,
    sql`not exists (select from ${merged ? members(BLACKHOLED_SOURCE) : few || among ? BLACKHOLED : BLACKHOLED_ID})`,
  ] as const;

/** Fields whose rows are of several tables: the planner joins those as it thinks best. */
const JOINED: readonly TargetingField[] = ['tags', 'target_groups'];

interface OfMailing {
  landingPage: number | null;
  mergefile: number | null;
}

/**
 * Whether an audience may be found by nothing but merging, in the order of the people's numbers, in which most of what is asked of them can be read. That takes as
 * long as reading it once, whatever the planner knows or thinks it knows. Where people are named one by one there is a shorter way.
 */
export const canBeMerged = ({ includes, excludes, landingPage, mergefile }: TargetingSettings & OfMailing): boolean =>
  landingPage === null && mergefile === null && !includes.users && JOINED.every((field) => !includes[field] && !excludes[field]);
