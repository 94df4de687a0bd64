import { textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { likeWords } from '../../domain/like.ts';

// What a relay, a CRM, a partner system or a file said about somebody, in columns that belong to nobody in particular. Texts that hang on a user are in belongings.ts; a test
// asks of every text column there is which of the two it is, or why neither.

/** Stands in rows whose last words are yet to come when their user is erased. Whoever writes these rows leaves it there. */
export const NOT_KEPT = 'not kept: this user was erased';

/** Columns others write into, whose texts may name anybody. */
export const FREE_TEXTS: readonly { table: string; column: string; json?: true }[] = [
  { table: 'core_mailing', column: 'errors', json: true },
  { table: 'core_mailingnotice', column: 'reasons', json: true },
  { table: 'core_mailingnotice', column: 'detail' },
  { table: 'core_mailingproof', column: 'errors', json: true },
  { table: 'core_mailingproof', column: 'waits_for' },
  { table: 'core_mailingrebuild', column: 'errors', json: true },
  { table: 'core_backgroundtask', column: 'errors', json: true },
  { table: 'core_upload', column: 'filename' },
  { table: 'core_uploaderror', column: 'message' },
  { table: 'core_mergefile', column: 'filename' },
  { table: 'core_mergefile', column: 'error' },
  { table: 'core_bounce', column: 'diagnostic' },
  { table: 'core_transactionalmailing', column: 'detail' },
  { table: 'core_crmmap', column: 'last_error' },
  { table: 'partner_intent', column: 'error' },
  { table: 'sender_check', column: 'items', json: true },
];

/** What JSON writes for a sign, as an expression of PostgreSQL and of JavaScript. */
const SIGN = String.raw`\\(?:u[0-9a-f]{4}|.)`;
/** JSON writes no such sign as it is. */
const APART = '\u0001';

/** Takes addresses out of what others said, wherever they stand there: of somebody else's mail, say, that was forwarded to one. The rest of the text stays. */
export async function forgetInTexts(sql: Sql, emails: string[]): Promise<void> {
  for (const { table, column, json } of FREE_TEXTS) {
    // Of most mails and mappings nothing is said: indexes have the others.
    const said = json ? '' : `x.${column} <> '' and `;
    const written = json ? emails.map((email) => JSON.stringify(email).slice(1, -1)) : emails;
    const pattern = written.map((email) => literally(json ? signsApart(email) : email)).join('|');
    const without = (text: string) => `regexp_replace(${text}, $1, '…', 'gi')`;
    const text = `x.${column}::text`;
    // Not within a sign: what is left of the `\n` before `@example.org` would be no JSON, and `n@example.org` does not stand there.
    const apart = `regexp_replace(${text}, '${SIGN}', '\\&' || chr(1), 'g')`;
    await sql(
      `update ${table} x set ${column} = ${json ? `replace(${without(apart)}, chr(1), '')::jsonb` : without(text)} where ${said}lower(${text}) like any($2::text[])`,
      [pattern, textArray(written.map(likeWords))],
    );
  }
}

const signsApart = (text: string): string => text.replace(new RegExp(SIGN, 'g'), `$&${APART}`);

/** A text as an expression that is this text and no other. */
const literally = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '\\$&');
