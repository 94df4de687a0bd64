import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError, PermissionError } from '../../domain/errors.ts';
import { checkProofs } from '../../domain/mailing-status.ts';
import { readDate, readInteger } from '../../domain/values.ts';
import type { MailingStatus, QueryStatus } from '../../domain/words.ts';
import { addressKey, usableAddress } from '../../mail/address.ts';
import { holdAccount } from '../accounts/hold-account.ts';
import { readsUsers } from '../accounts/holds-grant.ts';
import { askForOnce } from '../ask-for.ts';
import type { Asking } from '../deps.ts';
import type { Repeatable } from '../once.ts';
import { ERASED } from '../people/erased.ts';
import { keepAllHere } from '../people/who-went.ts';
import { readReference } from '../references.ts';
import { checkContent } from './check-content.ts';
import { holdMailing } from './existing.ts';
import { type InputContext, readList, readStrings } from './input/context.ts';
import { resolveUsers } from './input/users.ts';
import { takeProofsBack, writeProofJob } from './proof-job.ts';

export interface ProofsBody {
  proofs?: unknown;
  reviewers?: unknown;
  proof_users?: unknown;
  date?: unknown;
}

interface ProofRequest {
  proofs: number;
  /** Null: whoever had the last ones. */
  reviewers: string[] | null;
  /** Null: those of the mailing. */
  proofUsers: number[] | null;
  /** Whoever asks may not see members: the proofs are for made-up people, or for the asker's own user. */
  membersHidden: boolean;
  date: string | null;
}

/** Who asks for proofs, and what for. */
export interface ProofsWish {
  mailingId: number;
  accountId: number;
  body: ProofsBody;
  /** What is known of the asker, inside the transaction given. */
  asker: (sql: Sql) => InputContext;
  /** Of a button that may be pressed twice: reviewers get what it asks for once. */
  press?: Repeatable;
}

/**
 * Has proofs sent.
 * @returns the id of the job
 * @throws NotFoundError; PermissionError; InputError with everything that is wrong; UnavailableError, and then nothing has changed, unless it is UncertainError: then what was asked for may be under way
 */
export async function requestProofs(
  deps: Asking<{ mailingId: number; jobId: number }>,
  { mailingId, accountId, body, asker, press }: ProofsWish,
): Promise<number> {
  const write = async (sql: Sql) => {
    const asked = asker(sql);
    const own = asked.can('user:read') ? null : await ownUser(sql, accountId);
    return writeJob(sql, mailingId, accountId, await readProofRequest(body, asked, own));
  };
  return askForOnce(deps, press, {
    write,
    idOf: (jobId) => jobId,
    start: (jobId) => deps.start({ mailingId, jobId }),
    takeBack: (jobId, sql) => takeProofsBack(sql, jobId),
  });
}

/** Said where nobody is named, and was not before. */
export const NO_REVIEWERS = 'The first request for proofs needs reviewers, or the mailing a submitter with an email address.';

interface OwnUser {
  id: number;
  email: string;
}

/** The user with the email of an account. */
async function ownUser(sql: Sql, accountId: number): Promise<OwnUser | null> {
  const [own] = await sql<OwnUser>(
    `select u.id, lower(u.email) as email from core_user u join auth_user a on lower(a.email) = lower(u.email) where a.id = $1`,
    [accountId],
  );
  return own ?? null;
}

/** Nobody is looked up: that somebody is a member is not for this caller to learn. @throws PermissionError, Error */
function onlyOwn(value: unknown, context: InputContext, own: OwnUser | null): number[] {
  for (const member of readList(value)) {
    const isOwn =
      typeof member === 'string' && member.includes('@')
        ? addressKey(member) === own?.email
        : readReference(context, 'user', member) === own?.id;
    if (!isOwn) throw new PermissionError('user:read');
  }
  return own && (value as unknown[]).length > 0 ? [own.id] : [];
}

/**
 * @param own user of a caller who may see no other
 * @throws InputError with everything that is wrong, PermissionError
 */
async function readProofRequest(body: ProofsBody, context: InputContext, own: OwnUser | null): Promise<ProofRequest> {
  const errors: Record<string, string> = {};
  const attempt = async <Value>(name: keyof ProofsBody, read: (value: unknown) => Value | Promise<Value>): Promise<Value | null> => {
    if (body[name] === undefined || body[name] === null) return null;
    try {
      return await read(body[name]);
    } catch (error) {
      if ((error as Error).constructor !== Error) throw error;
      errors[name] = `${name} ${(error as Error).message}.`;
      return null;
    }
  };
  const proofs = await attempt('proofs', readProofCount);
  const reviewers = await attempt('reviewers', readAddresses);
  const membersHidden = !context.can('user:read');
  const proofUsers = await attempt('proof_users', (value) => (membersHidden ? onlyOwn(value, context, own) : resolveUsers(value, context)));
  const date = await attempt('date', readDate);
  if (proofs === null) errors['proofs'] ??= 'This field is required.';
  if (Object.keys(errors).length) throw new InputError(errors);
  return {
    proofs: proofs ?? 0,
    reviewers: reviewers?.length ? reviewers : null,
    proofUsers: proofUsers?.length ? proofUsers : null,
    membersHidden,
    date,
  };
}

/** Samples per reviewer. @throws Error */
export function readProofCount(value: unknown): number {
  const count = readInteger(value);
  if (count < 1 || count > 100) throw new Error('must be from 1 to 100');
  return count;
}

/** Email addresses, each once. @throws Error */
export function readAddresses(value: unknown): string[] {
  const addresses = readStrings(value).map((text) => text.trim());
  if (addresses.length > 100) throw new Error('must not have more than 100 members');
  if (addresses.some((text) => usableAddress(text) === null)) throw new Error('must hold email addresses');
  return [...new Set(addresses)];
}

async function writeJob(
  sql: Sql,
  mailingId: number,
  accountId: number,
  { proofs, reviewers, proofUsers, membersHidden, date }: ProofRequest,
): Promise<number> {
  // Before the mailing, which an erasure wants next: whose address is taken from the mailing, or from the request before, is nobody who is being erased.
  if (reviewers === null) await keepAllHere(sql);
  await holdAccount(sql, accountId);
  await holdMailing(sql, mailingId);
  const [mailing] = await sql<{
    status: MailingStatus;
    queryStatus: QueryStatus;
    savedCount: number | null;
    defaults: string[] | null;
    submitter: string[] | null;
    submitterReads: boolean;
    proofUsers: number[];
  }>(
    `select status, query_status as "queryStatus", saved_count as "savedCount", proof_users as "proofUsers", coalesce(
       (select reviewers - ''::text from core_mailingproof p where p.mailing_id = m.id and ($2 or not members_hidden) order by p.id desc limit 1),
       (select jsonb_agg(u.email order by u.id) from core_mailing_reviewers r join core_user u on u.id = r.user_id where r.mailing_id = m.id and not ${ERASED})
     ) as defaults, (select jsonb_build_array(a.email) from auth_user a where a.id = m.submitter_id and a.email <> '') as submitter,
       coalesce((select ${readsUsers('a')} from auth_user a where a.id = m.submitter_id), false) as "submitterReads"
     from core_mailing m where id = $1`,
    [mailingId, membersHidden],
  );
  if (!mailing) throw new NotFoundError();
  checkProofs(mailing);
  await checkContent(sql, mailingId);
  const named = reviewers ?? mailing.defaults;
  const to = named ?? mailing.submitter;
  if (!to?.length) {
    throw new InputError({ reviewers: NO_REVIEWERS });
  }
  // The submitter is whoever somebody wrote there: to one who may not read users nobody is shown, whoever asks.
  const toStranger = !named && !mailing.submitterReads;
  const people = toStranger ? [] : (proofUsers ?? (membersHidden ? [] : mailing.proofUsers));
  const hidden = membersHidden || toStranger;
  const madeUp = hidden && people.length === 0;
  return writeProofJob(sql, mailingId, { proofs, reviewers: to, proofUsers: people, date, madeUp, membersHidden: hidden, accountId });
}
