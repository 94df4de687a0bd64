import type pg from 'pg';

interface Durability {
  fsync: string;
  synchronous_commit: string;
  synchronous_standby_names: string;
  /** Those who read its log as it is written, whatever they are. */
  standbys: number;
}

/**
 * Why what a database has confirmed may be lost all the same, as far as it can be asked: what a send has committed and a promoted standby does not have is mailed
 * a second time.
 * @returns a sentence; null when nothing speaks for it
 */
export async function whyNotDurable(connection: pg.Pool | pg.ClientBase): Promise<string | null> {
  const { rows } = await connection.query<Durability>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
       current_setting('synchronous_standby_names') as synchronous_standby_names, (select count(*)::int from pg_stat_replication) as standbys`,
  );
  const { fsync, synchronous_commit: commit, synchronous_standby_names: names, standbys } = rows[0]!;
  if (fsync === 'off') return 'the database does not write to its disk what it confirms (fsync=off)';
  if (commit === 'off') return 'the database confirms commits before they are on its disk (synchronous_commit=off)';
  if (standbys === 0) return null;
  if (names === '') return 'the database has a standby and does not wait for it (synchronous_standby_names is empty)';
  return commit === 'local' ? 'the database has a standby and does not wait for it (synchronous_commit=local)' : null;
}
