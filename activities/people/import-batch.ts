import { ADDRESS_COLUMNS, type Address, type AddressColumn, correctAddress, isUnitedStates } from '../../domain/people/address.ts';
import { IMPORT_COLUMNS, type ImportColumn, type ImportedLine, readLine } from '../../domain/people/import-line.ts';
import { locateMany } from '../../entities/geo/locate-many.ts';
import { centroidOf, stateCode } from '../../entities/geo/zip-centroids.ts';
import { subscribe } from '../../entities/people/subscribing.ts';
import type { Sql } from '../../entities/sql.ts';
import { usableAddress } from '../../mail/address.ts';

/** Lines in one transaction: enough for set-wise statements to pay, few enough that nobody waits long for a user's row. */
export const BATCH_LINES = 2_000;

interface Upload {
  id: number;
  page_id: number;
  columns: string[];
  status: string;
  stop_requested: boolean;
  list_id: number | null;
  language_id: number | null;
}

/**
 * Imports the next lines of an upload, in the transaction `sql` runs in: its lines leave the staging table in the same transaction that makes their
 * people and actions, so that none is imported twice whatever dies when.
 * @returns whether there is more to do
 */
export async function importBatch(sql: Sql, uploadId: number): Promise<boolean> {
  // Held to the end: of two attempts that are both alive, the second goes on where the first has committed.
  const [upload] = await sql<Upload>(
    `select u.id, u.page_id, u.columns, u.status, u.stop_requested, p.list_id, p.language_id
     from core_upload u join core_page p on p.id = u.page_id where u.id = $1 for update of u`,
    [uploadId],
  );
  if (!upload || !['new', 'importing'].includes(upload.status)) return false;
  if (upload.stop_requested) return finish(sql, uploadId, 'stopped');
  const rows = await sql<{ line: number; cells: string[] }>(
    `delete from core_uploadrow where upload_id = $1 and line in (
       select line from core_uploadrow where upload_id = $1 order by line limit ${BATCH_LINES}) returning line, cells`,
    [uploadId],
  );
  if (rows.length === 0) return finish(sql, uploadId, 'completed');
  rows.sort((a, b) => a.line - b.line);
  const read = rows.map(({ line, cells }) => ({
    line,
    read: readLine(upload.columns, cells, line, (text) => usableAddress(text) !== null),
  }));
  const good = read.flatMap(({ read: line }) => (typeof line === 'string' ? [] : [line]));
  const bad = read.flatMap(({ line, read: message }) => (typeof message === 'string' ? [{ line, message }] : []));
  if (bad.length > 0) {
    await sql(
      `insert into core_uploaderror (upload_id, line, message) select $1, line, message from unnest($2::int[], $3::text[]) x (line, message)`,
      [uploadId, bad.map(({ line }) => line), bad.map(({ message }) => message)],
    );
  }
  if (good.length > 0) await importLines(sql, upload, good);
  await sql(
    `update core_upload set status = 'importing', started_at = coalesce(started_at, now()), progress = progress + $2,
       error_count = error_count + $3, updated_at = now() where id = $1`,
    [uploadId, rows.length, bad.length],
  );
  return true;
}

async function finish(sql: Sql, uploadId: number, status: 'completed' | 'stopped'): Promise<boolean> {
  await sql('delete from core_uploadrow where upload_id = $1', [uploadId]);
  await sql(`update core_upload set status = $2, finished_at = now(), updated_at = now() where id = $1`, [uploadId, status]);
  return false;
}

/** A person of this batch: all of their lines together, a later line's cells over an earlier one's. */
interface Person {
  email: string;
  sent: Partial<Record<ImportColumn, string>>;
  stored: (Record<ImportColumn, string> & { id: number }) | null;
}

async function importLines(sql: Sql, upload: Upload, lines: ImportedLine[]): Promise<void> {
  const people = await peopleOf(sql, lines);
  const created = await savePeople(sql, upload, [...people.values()]);
  const ids = new Map(
    (
      await sql<{ id: number; email: string }>('select id, lower(email) as email from core_user where lower(email) = any($1::text[])', [
        [...people.keys()],
      ])
    ).map(({ id, email }) => [email, id]),
  );
  const done = lines.flatMap((line) => {
    const userId = ids.get(line.email.toLowerCase());
    return userId === undefined ? [] : [{ ...line, userId }];
  });
  const firsts = new Set<number>();
  const actions = await sql<{ id: number; nth: number }>(
    `with given as (select user_id, created, source, nth from unnest($1::int[], $2::boolean[], $3::text[]) with ordinality x (user_id, created, source, nth)),
       numbered as (select *, nextval('core_action_id_seq')::int as id from given order by nth),
       made as (insert into core_action (id, user_id, page_id, source, created_user) select id, user_id, $4::int, source, created from numbered)
     select id, nth::int from numbered order by nth`,
    [
      done.map(({ userId }) => userId),
      done.map(({ userId }) => created.has(userId) && !firsts.has(userId) && Boolean(firsts.add(userId))),
      done.map(({ person }) => person.source ?? 'import'),
      upload.page_id,
    ],
  );
  await saveFields(
    sql,
    done,
    actions.map(({ id }) => id),
  );
  if (upload.list_id !== null) {
    await subscribe(sql, { userIds: [...new Set(ids.values())], listIds: [upload.list_id], change: 'subscribe_import' });
  }
}

async function peopleOf(sql: Sql, lines: ImportedLine[]): Promise<Map<string, Person>> {
  const people = new Map<string, Person>();
  for (const { email, person } of lines) {
    const known = people.get(email.toLowerCase());
    if (known) Object.assign(known.sent, person);
    else people.set(email.toLowerCase(), { email, sent: { ...person }, stored: null });
  }
  const stored = await sql<Record<ImportColumn, string> & { id: number; email: string }>(
    `select id, lower(email) as email, ${IMPORT_COLUMNS.join(', ')} from core_user where lower(email) = any($1::text[]) order by id for no key update`,
    [[...people.keys()]],
  );
  for (const row of stored) people.get(row.email)!.stored = row;
  return people;
}

/**
 * Those who are new get their status right away: the subscription follows in the same transaction, and nine indexes are not written twice.
 * @returns ids of those who are new
 */
async function savePeople(sql: Sql, upload: Upload, people: Person[]): Promise<Set<number>> {
  const empty = Object.fromEntries(IMPORT_COLUMNS.map((column) => [column, ''])) as Record<ImportColumn, string>;
  const finals = people.map(({ email, sent, stored }) => {
    // The source is of the first action: somebody who is there has theirs.
    const { source, ...rest } = sent;
    const row = { ...empty, ...stored, ...rest, source: stored?.source || (source ?? 'import') };
    const parts = new Set(ADDRESS_COLUMNS.filter((column) => column in sent));
    const address: Address = parts.size > 0 ? correctAddress(row, parts, stored?.zip ?? '', centroidOf, stateCode) : row;
    const corrected = Object.fromEntries(ADDRESS_COLUMNS.map((column) => [column, address[column]])) as Record<AddressColumn, string>;
    return { email, stored, received: row, final: { ...row, ...corrected }, placed: parts.size > 0 };
  });
  const columnsOf = (rows: typeof finals) => IMPORT_COLUMNS.map((column) => rows.map(({ final }) => final[column]));
  const places = (first: number) => IMPORT_COLUMNS.map((_, index) => `$${index + first}::text[]`).join(', ');
  const news = finals.filter(({ stored }) => !stored);
  const made = await sql<{ id: number; email: string }>(
    `insert into core_user (email, lang_id, subscription_status, ${IMPORT_COLUMNS.join(', ')})
     select email, $1, $2, ${IMPORT_COLUMNS.map((column) => `x.${column}`).join(', ')} from unnest($3::text[], ${places(4)}) x (email, ${IMPORT_COLUMNS.join(', ')})
     on conflict (lower(email)) do nothing returning id, lower(email) as email`,
    [upload.language_id, upload.list_id === null ? 'never' : 'subscribed', news.map(({ email }) => email), ...columnsOf(news)],
  );
  const changed = finals.filter(({ stored, final }) => stored && IMPORT_COLUMNS.some((column) => stored[column] !== final[column]));
  if (changed.length > 0) {
    await sql(
      `update core_user u set ${IMPORT_COLUMNS.map((column) => `${column} = x.${column}`).join(', ')}, updated_at = now()
       from unnest($1::int[], ${places(2)}) x (id, ${IMPORT_COLUMNS.join(', ')}) where u.id = x.id`,
      [changed.map(({ stored }) => stored!.id), ...columnsOf(changed)],
    );
  }
  const idOf = new Map(made.map(({ id, email }) => [email, id]));
  const placed = finals.flatMap(({ email, stored, received, final, placed: wanted }) => {
    const userId = stored?.id ?? idOf.get(email.toLowerCase());
    return wanted && userId !== undefined ? [{ userId, received, address: final, american: isUnitedStates(received) }] : [];
  });
  await locateMany(sql, placed);
  return new Set(idOf.values());
}

async function saveFields(sql: Sql, done: (ImportedLine & { userId: number })[], actionIds: number[]): Promise<void> {
  const onUsers = new Map<string, { userId: number; name: string; value: string }>();
  for (const { userId, userFields } of done) {
    for (const [name, value] of Object.entries(userFields)) onUsers.set(`${userId} ${name}`, { userId, name, value });
  }
  const users = [...onUsers.values()];
  if (users.length > 0) {
    const given = [users.map(({ userId }) => userId), users.map(({ name }) => name)];
    await sql(
      `delete from core_userfield f using unnest($1::int[], $2::text[]) x (parent, name) where f.parent_id = x.parent and f.name = x.name`,
      given,
    );
    await sql(`insert into core_userfield (parent_id, name, value) select * from unnest($1::int[], $2::text[], $3::text[])`, [
      ...given,
      users.map(({ value }) => value),
    ]);
  }
  const onActions = done.flatMap(({ actionFields }, index) =>
    Object.entries(actionFields).map(([name, value]) => [actionIds[index], name, value] as const),
  );
  if (onActions.length > 0) {
    await sql(`insert into core_actionfield (parent_id, name, value) select * from unnest($1::int[], $2::text[], $3::text[])`, [
      onActions.map(([id]) => id),
      onActions.map(([, name]) => name),
      onActions.map(([, , value]) => value),
    ]);
  }
}
