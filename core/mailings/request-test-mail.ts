import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { mayChange } from '../../domain/mailing-status.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { holdAccount } from '../accounts/hold-account.ts';
import { askForOnce } from '../ask-for.ts';
import type { Asking } from '../deps.ts';
import type { Repeatable } from '../once.ts';
import { checkContent } from './check-content.ts';
import { takeProofsBack, writeProofJob } from './proof-job.ts';

/**
 * Sends a mailing that is being written to whoever writes it, as one proof: made for the user with the address of the account, else for somebody made up. Unlike proofs it
 * needs no audience, and nobody else gets it.
 * @throws NotFoundError; InputError where it cannot be made, or the account has no address; UnavailableError, as requestProofs
 */
export function requestTestMail(
  deps: Asking<{ mailingId: number; jobId: number }>,
  { mailingId, accountId, press }: { mailingId: number; accountId: number; press?: Repeatable },
): Promise<number> {
  return askForOnce(deps, press, {
    write: (sql) => writeJob(sql, mailingId, accountId),
    idOf: (jobId) => jobId,
    start: (jobId) => deps.start({ mailingId, jobId }),
    takeBack: (jobId, sql) => takeProofsBack(sql, jobId),
  });
}

async function writeJob(sql: Sql, mailingId: number, accountId: number): Promise<number> {
  await holdAccount(sql, accountId);
  const [mailing] = await sql<{ status: MailingStatus }>('select status from core_mailing where id = $1 for update', [mailingId]);
  if (!mailing) throw new NotFoundError();
  if (!mayChange(mailing.status, 'content'))
    throw new InputError({ status: `A mailing that is ${mailing.status} is not written any more.` });
  const [account] = await sql<{ email: string; user: number | null }>(
    `select a.email, (select u.id from core_user u where lower(u.email) = lower(a.email)) as "user" from auth_user a where a.id = $1`,
    [accountId],
  );
  if (!account?.email) throw new InputError({ email: 'Your account has no email address: whoever administers accounts can give it one.' });
  await checkContent(sql, mailingId);
  const people = account.user === null ? [] : [account.user];
  return writeProofJob(sql, mailingId, {
    proofs: 1,
    reviewers: [account.email],
    proofUsers: people,
    date: null,
    madeUp: people.length === 0,
    membersHidden: true,
    accountId,
  });
}
