import type { Env } from '../../config/env.ts';
import { inAbortableTransaction } from '../../db/abortable-transaction.ts';
import { isDatabaseError, type Pool } from '../../db/driver.ts';
import { reportDatabaseUrl } from '../../db/report-login.ts';
import { InputError, NotFoundError, UnavailableError } from '../../domain/errors.ts';
import { checkModifiers } from '../../domain/targeting/change.ts';
import type { AudienceContext, MatchField, Side } from '../../domain/targeting/compile.ts';
import { compileExplanation, describeClause, type ShownTargeting } from '../../domain/targeting/explain.ts';
import type { Targeting } from '../../domain/targeting/fields.ts';
import type { SortOrder } from '../../domain/words.ts';
import { zipsAroundOnce } from '../geo/zips-around.ts';
import { ReportsAwayError } from '../reports/report-bounds.ts';
import { refuseGoneExcludes } from './gone-excludes.ts';
import { readMembers, stageMembers } from './members.ts';
import { RebuildError } from './rebuild-error.ts';
import { targetingSql } from './shown.ts';

/** So few found in a sample say too little: a larger one is taken then, and everybody is looked at where that says too little, too. */
const FEW = 100;
/** The samples, in `AUDIENCE_SAMPLE`s. */
const SAMPLES = [1, 10];
/** A sample is this much smaller than all, or spares little. */
const SPARED = 10;
/** How long counting may take. */
export const PATIENCE_MS = 30_000;

export interface CountDeps {
  pool: Pool;
  env: Env;
  /** Aborted when nobody waits for it any more. */
  signal?: AbortSignal;
  /** How long it may take; PATIENCE_MS when absent. */
  patienceMs?: number;
}

/** What is counted: a targeting, and what else of its mailing says whom it means. */
export interface Counted {
  includes: Targeting;
  excludes: Targeting;
  limit: number | null;
  landingPage: number | null;
  mergefile: number | null;
  /** To how many it went already. */
  mailed: number;
}

/** What of a mailing decides whom its page and file leave. */
export interface Narrowing {
  target_group_from_landing_page: boolean;
  target_mergefile: boolean;
  landing_page_id: number | null;
  mergefile_id: number | null;
}

interface MailingRow extends Counted, Narrowing {
  targeting_version: number;
  shown_includes: ShownTargeting;
  shown_excludes: ShownTargeting;
  sort_by: SortOrder | null;
}

interface Clause {
  field: string;
  /** What it says of a person. */
  text: string;
  /** Whom it means, alone, among the reachable. */
  count: number;
}

interface Totals {
  reachable: number;
  included: number;
  excluded: number;
  /** Of those who are left then, whom the mailing has dealt with already. */
  settled: number;
  people: number;
  /** How many people were looked at, where the counts were made up from a sample of all; null where everybody was. */
  sample: number | null;
}

/** How many are meant, by each clause alone and by all together. */
export interface AudienceCounts extends Totals {
  clauses: { side: Side; field: MatchField; count: number }[];
}

export interface Audience extends Totals {
  mailing_id: number;
  targeting_version: number;
  text: string;
  includes: Clause[];
  excludes: Clause[];
  limit: number | null;
  sort_by: string | null;
}

/** The page and the file people are asked of: 0 where there is none and nobody is left, null where nothing is asked. */
export const narrowedBy = (mailing: Narrowing): Pick<Counted, 'landingPage' | 'mergefile'> => ({
  landingPage: mailing.target_group_from_landing_page ? (mailing.landing_page_id ?? 0) : null,
  mergefile: mailing.target_mergefile ? (mailing.mergefile_id ?? 0) : null,
});

/** A mailing with its targeting as it is stored. @throws NotFoundError */
export async function readCounted({ pool }: Pick<CountDeps, 'pool'>, id: number): Promise<MailingRow> {
  const { rows } = await pool.query<Omit<MailingRow, 'landingPage' | 'mergefile'>>(
    `select targeting_version, includes, excludes, ${targetingSql('includes', false)} as shown_includes, ${targetingSql('excludes', false)} as shown_excludes, "limit", sort_by,
       target_group_from_landing_page, target_mergefile, landing_page_id, mergefile_id,
       (select coalesce(sum(accepted + uncertain), 0)::int from send_shard where mailing_id = t.id) as mailed
     from core_mailing t where id = $1`,
    [id],
  );
  if (!rows[0]) throw new NotFoundError();
  return { ...rows[0], ...narrowedBy(rows[0]) };
}

/**
 * Who is meant, in words, with a count for each clause. Nothing is saved.
 * @throws NotFoundError; InputError where the targeting cannot be asked; UnavailableError where counting takes too long
 */
export async function explainAudience(deps: CountDeps, id: number): Promise<Audience> {
  const mailing = await readCounted(deps, id);
  checkModifiers(mailing);
  const { clauses, ...totals } = await countAudience(deps, id, mailing);
  const shown = { includes: mailing.shown_includes, excludes: mailing.shown_excludes };
  const told = clauses.map(({ side, field, count }) => ({ side, field, text: describeClause(field, shown[side]), count }));
  const of = (wanted: string) => told.flatMap(({ side, ...clause }) => (side === wanted ? [clause] : []));
  return {
    mailing_id: id,
    targeting_version: mailing.targeting_version,
    text: sentence(told, mailing),
    includes: of('includes'),
    excludes: of('excludes'),
    limit: mailing.limit,
    sort_by: mailing.sort_by,
    ...totals,
  };
}

/**
 * How many a targeting means, whether it is stored or not. Nothing is saved.
 * @throws InputError where the targeting cannot be asked; UnavailableError where counting takes too long
 */
export async function countAudience(deps: CountDeps, mailingId: number, counted: Counted): Promise<AudienceCounts> {
  const { includes, excludes, landingPage, mergefile, limit, mailed } = counted;
  const counting: AudienceContext = { mailingId, zipsAround: zipsAroundOnce(), landingPage, mergefile };
  const { query, clauses } = compileExplanation(includes, excludes, counting);
  const everybody = await countUsers(deps.pool);
  const samples = SAMPLES.map((times) => times * deps.env.AUDIENCE_SAMPLE)
    .filter((size) => everybody > SPARED * size)
    .map((size) => compileExplanation(includes, excludes, counting, (100 * size) / everybody).query);
  const { counts, sample } = await count(deps, counted, query, samples, everybody);
  const leftOver = counts['left_over'] ?? 0;
  return {
    reachable: counts['reachable'] ?? 0,
    included: counts['included'] ?? 0,
    excluded: counts['excluded'] ?? 0,
    settled: counts['settled'] ?? 0,
    people: limit === null ? leftOver : Math.min(leftOver, Math.max(0, limit - mailed)),
    sample,
    clauses: clauses.map((clause, index) => ({ ...clause, count: counts[`c${index}`] ?? 0 })),
  };
}

function sentence(told: { side: string; text: string }[], { landingPage, mergefile, limit }: MailingRow): string {
  const texts = (wanted: string) => told.flatMap(({ side, text }) => (side === wanted ? [text] : []));
  const included = [
    ...texts('includes'),
    ...(landingPage === null ? [] : ['is represented by a target of the landing page']),
    ...(mergefile === null ? [] : ['stands in the mergefile']),
  ];
  const whom = `Everyone subscribed${included.length ? ` who ${included.join(' and ')}` : ''}`;
  const without = texts('excludes').length ? `, without anyone who ${texts('excludes').join(' or ')}` : '';
  return `${whom}${without}${limit === null ? '' : `; at most ${limit}`}.`;
}

/** How many people there are, as it is kept. */
async function countUsers(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `select coalesce(sum(delta), 0)::int as users from core_tally where counted = 'core_user' and facet = '' and value = ''`,
  );
  return rows[0].users;
}

type Counts = Record<string, number>;
interface Query {
  text: string;
  values: readonly unknown[];
}

/**
 * Nothing is written but what goes with the transaction; it ends after a while.
 * @param samples the same of samples of everybody, to be tried first, in turn
 */
async function count(
  deps: CountDeps,
  { includes, excludes }: Counted,
  query: Query,
  samples: Query[],
  everybody: number,
): Promise<{ counts: Counts; sample: number | null }> {
  const { pool, env, signal, patienceMs = PATIENCE_MS } = deps;
  const reading = {
    pool,
    reportDatabaseUrl: reportDatabaseUrl(env),
    statementTimeoutMs: Math.min(patienceMs, env.STATEMENT_TIMEOUT_MS),
    reportMemoryMb: env.REPORT_MEMORY_MB,
  };
  try {
    await refuseGoneExcludes(pool, excludes);
    const members = await readMembers(reading, { includes, excludes }, signal);
    return await inAbortableTransaction(pool, signal, async (client) => {
      await client.query(`set local statement_timeout = ${patienceMs}; set local work_mem = '64MB'; set local jit = off`);
      await stageMembers(client, { includes, excludes }, members);
      const ask = async ({ text, values }: Query) => (await client.query<Counts>(text, [...values])).rows[0]!;
      for (const sampled of samples) {
        const some = await ask(sampled);
        if (some['included']! < FEW) continue;
        const sample = some['looked_at']!;
        const scaled = Object.entries(some).map(([name, found]) => [name, Math.round((found * everybody) / sample)]);
        return { counts: Object.fromEntries(scaled), sample };
      }
      return { counts: await ask(query), sample: null };
    });
  } catch (error) {
    if (error instanceof RebuildError) throw new InputError({ targeting: error.messages });
    if (error instanceof ReportsAwayError) throw new UnavailableError(error.message, { cause: error });
    if (isDatabaseError(error) && error.code === '57014') throw new UnavailableError('Counting takes too long now.');
    throw error;
  }
}
