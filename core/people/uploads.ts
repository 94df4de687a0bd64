import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import type { UploadStatus } from '../../domain/words.ts';
import type { Before } from './person-record.ts';

/** A file that is being imported, or was. */
export interface UploadSummary {
  id: number;
  filename: string;
  page: string;
  list: string | null;
  list_id: number | null;
  status: UploadStatus;
  stopping: boolean;
  line_count: number;
  progress: number;
  error_count: number;
  /** What there is to say of its lines: of each that could not be imported, and where it died. */
  problem_count: number;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

const COLUMNS = `u.id, u.filename, coalesce(nullif(p.title, ''), p.name) as page, l.name as list, l.id as list_id, u.status, u.stop_requested as stopping,
  coalesce(u.line_count, 0) as line_count, u.progress, u.error_count,
  u.error_count + (u.status = 'died')::int as problem_count,
  ${['created_at', 'started_at', 'finished_at'].map((stamp) => `${timestampSql(`u.${stamp}`)} as ${stamp}`).join(', ')}`;
const FROM = 'core_upload u join core_page p on p.id = u.page_id left join core_list l on l.id = p.list_id';

/** The newest first. */
export const uploads = (sql: Sql, { before, limit }: Before): Promise<UploadSummary[]> =>
  sql<UploadSummary>(`select ${COLUMNS} from ${FROM} where $1::bigint is null or u.id < $1 order by u.id desc limit $2`, [before, limit]);

/** How many wait, or are being imported. */
export async function countUnderWay(sql: Sql): Promise<number> {
  const [row] = await sql<{ many: number }>(`select count(*)::int as many from core_upload where status in ('new', 'importing')`);
  return row!.many;
}

/** Null where there is none. */
export async function uploadSummary(sql: Sql, id: number): Promise<UploadSummary | null> {
  const [row] = await sql<UploadSummary>(`select ${COLUMNS} from ${FROM} where u.id = $1`, [id]);
  return row ?? null;
}

/** A page people are imported to, and the list it puts them on. */
export interface ImportPage {
  id: number;
  name: string;
  list: string | null;
  list_id: number | null;
}

const IMPORT_PAGES = `select p.id, coalesce(nullif(p.title, ''), p.name) as name, l.name as list, l.id as list_id
  from core_page p left join core_list l on l.id = p.list_id where p.type = 'import'`;

/** So many are offered. */
export const MOST_IMPORT_PAGES = 200;

/** Those that are offered, the newest first. */
export const importPages = (sql: Sql): Promise<ImportPage[]> =>
  sql<ImportPage>(`${IMPORT_PAGES} and not p.hidden order by p.id desc limit ${MOST_IMPORT_PAGES}`);

/** One of them, whether it is offered or not; null where there is none. */
export async function importPage(sql: Sql, id: number): Promise<ImportPage | null> {
  const [found] = await sql<ImportPage>(`${IMPORT_PAGES} and p.id = $1`, [id]);
  return found ?? null;
}
