import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { run, tables } from '../../entities/tables.ts';
import { setModel } from './transitions.ts';

/** A draft becomes a model, or the other way round; what is so already stays. @throws InputError for a mailing that is neither */
export async function markModel(sql: Sql, mailingId: number, wanted: boolean): Promise<void> {
  const [mailing] = await run(sql, tables.selectFrom('core_mailing').where('id', '=', mailingId).select('status'));
  if (!mailing || (mailing.status === 'model') === wanted) return;
  if (wanted && mailing.status !== 'draft')
    throw new InputError({ is_model: `The mailing is ${mailing.status}; only a draft can become a model.` });
  await setModel(sql, mailingId, wanted);
}
