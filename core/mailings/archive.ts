import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { STOPPABLE } from '../../domain/mailing-status.ts';

/** Puts a mailing among those that are not listed any more, or takes it back. @throws NotFoundError; InputError for one that is on its way or recurs */
export async function archiveMailing(sql: Sql, id: number, wanted: boolean): Promise<void> {
  const done = await sql(
    'update core_mailing set hidden = $2, updated_at = now() where id = $1 and (not $2 or hidden or status <> all ($3::text[])) returning id',
    [id, wanted, STOPPABLE],
  );
  if (done.length) return;
  const [there] = await sql('select from core_mailing where id = $1', [id]);
  if (!there) throw new NotFoundError();
  throw new InputError({ hidden: 'What is on its way, scheduled or recurring cannot be put into the archive: stop it first.' });
}
