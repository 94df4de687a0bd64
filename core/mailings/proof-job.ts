import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import { holdsGrant, readsUsers } from '../accounts/holds-grant.ts';
import { rowName } from '../row-name.ts';

// The one place that writes how far a request for proofs is.

/** A request for proofs, as its row has it. */
export interface ProofJob {
  /** By which mailboxes know its mails again. */
  name: string;
  reviewers: string[];
  proofs: number;
  proof_users: number[];
  made_up: boolean;
  pretend_date: string | null;
  sent: number;
  errors: string[];
  /** How often it was begun, this time included: who is not the last one has been given up. */
  tries: number;
}

export interface NewProofJob {
  proofs: number;
  reviewers: string[];
  proofUsers: number[];
  date: string | null;
  /** For made-up people. */
  madeUp: boolean;
  /** Whoever asks may not read users, or it goes to somebody who may not: its reviewers are nobody's default. */
  membersHidden: boolean;
  /** Who asks. */
  accountId: number;
}

/** @returns its id */
export async function writeProofJob(
  sql: Sql,
  mailingId: number,
  { proofs, reviewers, proofUsers, date, madeUp, membersHidden, accountId }: NewProofJob,
): Promise<number> {
  const [job] = await sql<{ id: number }>(
    `insert into core_mailingproof (mailing_id, proofs, reviewers, proof_users, pretend_date, made_up, members_hidden, account_id)
     values ($1, $2, $3, $4, $5::date, $6, $7, $8) returning id`,
    [mailingId, proofs, JSON.stringify(reviewers), JSON.stringify(proofUsers), date, madeUp, membersHidden, accountId],
  );
  return job!.id;
}

/** Nothing could be started. A run that was started all the same finds no job, and ends. */
export async function takeProofsBack(sql: Sql, jobId: number): Promise<void> {
  await sql('delete from core_mailingproof where id = $1 and started_at is null and not finished', [jobId]);
}

/** Who asked for them; null where they are gone, or the account is. */
export async function proofsAskedBy(pool: Pool, jobId: number): Promise<number | null> {
  const { rows } = await pool.query<{ account: number | null }>('select account_id as account from core_mailingproof where id = $1', [
    jobId,
  ]);
  return rows[0]?.account ?? null;
}

/** What has not begun waits for a place, and has one now. @returns null when it is over, or gone */
export async function beginProofs(pool: Pool, jobId: number): Promise<ProofJob | null> {
  const { rows } = await pool.query<ProofJob>(
    `update core_mailingproof p set tries = tries + 1, started_at = coalesce(started_at, now()), waits_for = case when started_at is null then '' else waits_for end
      where id = $1 and not finished
      returning ${rowName('p')} as name, reviewers, proofs, proof_users, made_up, pretend_date::text, sent, errors, tries`,
    [jobId],
  );
  return rows[0] ?? null;
}

/** How many a request has sent in all, one that is over, too; none where it is gone. */
export async function proofsSent(pool: Pool, jobId: number): Promise<number> {
  const { rows } = await pool.query<{ sent: number }>('select sent from core_mailingproof where id = $1', [jobId]);
  return rows[0]?.sent ?? 0;
}

const anotherIsAtThem = () => new Error('another attempt is at these proofs');

/**
 * Whom the next proof goes to, that of one of its reviewers; null where they were erased.
 * @param done how many were counted
 * @throws Error where another attempt has begun, or has counted more: this one was given up; or where it is over
 */
export async function nextReviewer(pool: Pool, jobId: number, index: number, done: number, tries: number): Promise<string | null> {
  const { rows } = await pool.query<{ reviewer: string | null }>(
    `select nullif(reviewers ->> $2::int, '') as reviewer from core_mailingproof
      where id = $1 and not finished and sent + jsonb_array_length(errors) = $3 and tries = $4`,
    [jobId, index, done, tries],
  );
  if (!rows[0]) throw anotherIsAtThem();
  return rows[0].reviewer;
}

/** What is said of proofs whose account may not ask for them, any more. */
export const MAY_NOT_PROOF = 'the account that asked for them may not any more';

/**
 * Whether whoever asked for proofs could still ask for them: a relay that is away has them wait for hours, and who is shown the door meanwhile is sent no members. Where
 * nobody is known, nobody has lost a right.
 */
export async function mayStillProof(pool: Pool, jobId: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from core_mailingproof p join auth_user a on a.id = p.account_id
      where p.id = $1 and not (${holdsGrant('a', 'mailer:send')} and (p.members_hidden or ${readsUsers('a')}))`,
    [jobId],
  );
  return rowCount === 0;
}

/** Before an account is deleted: of whom proofs are, nobody would know then. */
export async function endProofsOf(sql: Sql, accountId: number): Promise<void> {
  await sql(
    `update core_mailingproof set finished = true, ${NO_PLACES}, success = false, finished_at = now(), waits_for = '', errors = errors || $2::jsonb
     where account_id = $1 and not finished`,
    [accountId, JSON.stringify([MAY_NOT_PROOF])],
  );
}

/** Their places are not needed any more. */
const NO_PLACES = `reviewers = reviewers - ''::text`;

/**
 * One more is over: a further attempt goes on behind it.
 * @param done how many that is in all, this one included
 * @param problem what went wrong; null where it was sent. What the row says of those before is left as it is: an erasure may have taken somebody out of it
 * @throws Error where somebody else has counted meanwhile: this attempt was given up, and another one is at work
 */
export async function countProof(sql: Sql, jobId: number, done: number, problem: string | null): Promise<void> {
  const counted = await sql(
    `update core_mailingproof set sent = sent + ($3::text is null)::int, waits_for = '',
       errors = errors || case when $3::text is null then '[]' else jsonb_build_array($3::text) end
     where id = $1 and not finished and sent + jsonb_array_length(errors) = $2 - 1 returning id`,
    [jobId, done, problem],
  );
  if (counted.length === 0) throw anotherIsAtThem();
}

/** Nothing is sent for now, and why; until the next one is. */
export async function proofsWait(sql: Sql, jobId: number, reason: string): Promise<void> {
  await sql('update core_mailingproof set waits_for = $2 where id = $1 and not finished', [jobId, reason.slice(0, 500)]);
}

/**
 * A success where there are no errors. Harmless when it is over already.
 * @param done how many were counted, as far as this attempt knows
 * @param errors beside what was written of each
 * @throws Error where somebody else has counted more: this attempt was given up, or the one that counted was, and it is to be looked at anew
 */
export async function finishProofs(sql: Sql, jobId: number, done: number, errors: string[]): Promise<void> {
  const ended = await sql(
    `update core_mailingproof set finished = true, ${NO_PLACES}, success = errors || $2::jsonb = '[]', errors = errors || $2::jsonb, waits_for = '', finished_at = now()
     where id = $1 and not finished and sent + jsonb_array_length(errors) = $3 returning id`,
    [jobId, JSON.stringify(errors), done],
  );
  if (ended.length) return;
  const unfinished = await sql('select from core_mailingproof where id = $1 and not finished', [jobId]);
  if (unfinished.length) throw anotherIsAtThem();
}

/** It does not go on. What was refused before stays, and what it waited for last is why, as far as anybody knows. Harmless when it is over already. */
export async function failProofs(pool: Pool, jobId: number, errors: string[]): Promise<void> {
  await pool.query(
    `update core_mailingproof set finished = true, ${NO_PLACES}, success = false, finished_at = now(), waits_for = '',
       errors = errors || $2::jsonb || case when waits_for = '' then '[]' else jsonb_build_array(waits_for) end where id = $1 and not finished`,
    [jobId, JSON.stringify(errors)],
  );
}

/** How far a request for proofs is, as its poll document shows it. */
export interface ProofState {
  finished: boolean;
  success: boolean;
  sent: number;
  started_at: string | null;
  finished_at: string | null;
  errors: string[];
  pause: { reason: string } | null;
}

export async function readProofs(pool: Pool, mailingId: number, jobId: number): Promise<ProofState | null> {
  const { rows } = await pool.query<ProofState>(
    `select finished, success, sent, ${timestampSql('started_at')} as started_at, ${timestampSql('finished_at')} as finished_at, errors,
       case when waits_for <> '' then jsonb_build_object('reason', waits_for) end as pause
     from core_mailingproof where mailing_id = $1 and id = $2`,
    [mailingId, jobId],
  );
  return rows[0] ?? null;
}

/** A request for proofs and what became of it. */
export interface ListedProofs {
  id: number;
  reviewers: number;
  proofs: number;
  finished: boolean;
  success: boolean;
  sent: number;
  errors: string[];
  waits_for: string;
  created_at: string;
}

/** The last five requests for proofs of a mailing, the newest first. */
export async function latestProofs(pool: Pool, mailingId: number): Promise<ListedProofs[]> {
  const { rows } = await pool.query<ListedProofs>(
    `select p.id, jsonb_array_length(p.reviewers) as reviewers, p.proofs, p.finished, p.success, p.sent, p.errors, p.waits_for, ${timestampSql('p.created_at')} as created_at
     from core_mailingproof p where p.mailing_id = $1 order by p.id desc limit 5`,
    [mailingId],
  );
  return rows;
}
