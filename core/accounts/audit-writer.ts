import { BatchWriter } from '../../db/batch-writer.ts';
import type { Pool } from '../../db/driver.ts';

export interface AuditEntry {
  accountId: number;
  username: string;
  method: string;
  /** Without its query. */
  path: string;
  location: string;
  fields: string[];
  status: number;
}

/** Writes the audit log in groups. */
export class AuditWriter extends BatchWriter<AuditEntry> {
  constructor(pool: Pool, onTrouble?: (error: Error, waiting: number) => void) {
    super((batchId, entries, ages) => save(pool, batchId, entries, ages), onTrouble);
  }
}

async function save(pool: Pool, batchId: string, entries: AuditEntry[], ages: number[]): Promise<void> {
  const rows = entries.map(({ accountId, ...entry }, nth) => ({ ...entry, account_id: accountId, age: ages[nth] }));
  await pool.query({
    name: 'audit',
    text: `
      with fresh as (insert into written_batch (id) values ($2) on conflict do nothing returning id)
      insert into core_auditlog (account_id, username, method, path, location, fields, status, created_at)
      select account_id, username, method, path, location, fields, status, statement_timestamp() - make_interval(secs => age)
      from fresh, jsonb_to_recordset($1) as e(account_id int, username text, method text, path text, location text, fields jsonb, status int2, age float8)`,
    values: [JSON.stringify(rows), batchId],
  });
}
