import type { Sql } from '../../db/sql.ts';
import { InputError, PermissionError } from '../../domain/errors.ts';
import { checkTemplates } from '../../mail/compile.ts';
import { plainTextOf } from '../../mail/plain-text.ts';
import { inReach } from '../../template/budget.ts';
import { Problem } from '../../template/errors.ts';
import { hasTag } from '../../template/mentions.ts';
import { type Queryable, readContent } from '../sending/content.ts';
import { readTracked, type TrackingSettings } from '../sending/tracked.ts';

/** A transaction as the mail's readers want it. */
export const queryable = (sql: Sql): Queryable => ({ query: async (text, values) => ({ rows: await sql(text, values) }) });

/**
 * Looks whether the mails of a mailing can be made: templates, snippets, reports, addresses, and what they show that is not there.
 * @param about names of fields; what is wrong with others is let pass. All of them where it is left out
 * @throws InputError by field with everything that is wrong
 */
export async function checkContent(sql: Sql, mailingId: number, about?: readonly string[]): Promise<void> {
  const { content } = await readContent(queryable(sql), mailingId, '');
  const { from, mergefile, ...rest } = content;
  // A file may come later, or a better one: which columns it has counts when mails are made.
  const looksAtFile = !about || about.includes('mergefile');
  // So may subjects, where the low-level mailing was made without.
  if (about && rest.subjects.length === 0) rest.subjects = [''];
  const found = Object.entries(checkTemplates({ ...rest, ...(from && { from }), ...(looksAtFile && { mergefile }) })).filter(
    ([field]) => !about || about.includes(field),
  );
  if (found.length) throw new InputError(Object.fromEntries(found));
}

/** The same of a mailing that is to go out. @throws InputError by field */
export async function checkToGoOut(sql: Sql, mailingId: number, settings: TrackingSettings): Promise<void> {
  await checkContent(sql, mailingId);
  await checkTracked(sql, mailingId, settings);
}

/**
 * Looks whether they can be made once links are tracked, which makes templates longer: at its time nobody would be there to shorten them.
 * @throws InputError by field
 */
export async function checkTracked(sql: Sql, mailingId: number, settings: TrackingSettings): Promise<void> {
  const { content } = await readTracked(queryable(sql), await readContent(queryable(sql), mailingId, ''), settings);
  const { from, ...rest } = content;
  const found = Object.entries(checkTemplates({ ...rest, ...(from && { from }) }));
  const said = (problem: string) => `Once its links are tracked: ${problem}. With fewer links, or track_clicks false, it can go out.`;
  if (found.length) throw new InputError(Object.fromEntries(found.map(([field, problems]) => [field, problems.map(said)])));
}

/**
 * From here to the end of the transaction nobody takes away what mails are made of (wrappers, snippets, reports): what is found there is there when it is committed that
 * a mailing goes out with it. Who takes something away (still-needed.ts) is waited for.
 */
export const keepParts = (sql: Sql): Promise<unknown> => sql(`select pg_advisory_xact_lock_shared(${PARTS_LOCK})`);
export const PARTS_LOCK = `hashtext('parts of mailings')`;

/** A report in a template shows what it gives to whoever reads a proof: that takes the right to run it. @throws PermissionError */
export function checkMayShow(sources: readonly unknown[], can: (permission: string) => boolean): void {
  if (can('report:read')) return;
  const templates = sources.flat().filter((source) => typeof source === 'string');
  if (templates.map(inReach).some((source) => hasTag('report', source) || hasTag('report', textMadeOf(source))))
    throw new PermissionError('report:read');
}

/**
 * The text version of HTML is a template of its own: `&#123;% report "people" %}` is a tag only there.
 * Of what it cannot be made from none is compiled.
 */
function textMadeOf(html: string): string {
  try {
    return plainTextOf(html);
  } catch (error) {
    if (error instanceof RangeError || error instanceof Problem) return '';
    throw error;
  }
}
