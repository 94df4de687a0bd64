import { InputError } from '../../domain/errors.ts';
import { run, tables } from '../../entities/tables.ts';
import { holdMailing } from './existing.ts';
import type { InputContext } from './input/context.ts';
import { updateMailing } from './write-mailing.ts';

/**
 * Gives a mailing one subject more, behind those it has, by the rules of a change of all of them.
 * @returns its id
 * @throws InputError by field, and whatever else `updateMailing` throws
 */
export async function addSubject(
  mailingId: number,
  { text, previewText }: { text: string; previewText: string },
  context: InputContext,
): Promise<number> {
  const { sql } = context;
  await holdMailing(sql, mailingId);
  const ofMailing = tables.selectFrom('core_mailingsubject').where('mailing_id', '=', mailingId).orderBy('position');
  const there = await run(sql, ofMailing.select(['text', 'preview_text']));
  const body = {
    subjects: [...there.map((each) => each.text), text],
    preview_text: [...there.map((each) => each.preview_text), previewText],
  };
  await updateMailing(mailingId, body, context).catch(underItsName);
  const [added] = await run(sql, ofMailing.where('position', '=', there.length).select('id'));
  return added!.id;
}

/** What is wrong with all subjects is wrong with the one that is added. */
function underItsName(error: Error): never {
  if (!(error instanceof InputError)) throw error;
  const { subjects, ...others } = error.fields;
  throw new InputError({ ...others, ...(subjects && { text: subjects }) });
}
