import { plainArray, textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { MOST_HELD } from '../../domain/people/field-room.ts';
import { type ImportedLine, readLine } from '../../domain/people/import-line.ts';
import { IMPORT_SOURCE } from '../../domain/people/imported-person.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import { keptAddress } from '../../mail/address.ts';
import { ERASED_LINE, erasedAmong } from './erased.ts';
import { erasedSince } from './erased-since.ts';
import { addressLines, holdNamed } from './import-ids.ts';
import { type OfNewPeople, type SavedPerson, savePeople } from './import-people.ts';
import { withoutRoom } from './import-room.ts';
import { takePhones } from './phones.ts';
import { joinList, joinListNew } from './subscribing.ts';
import { countImported } from './upload-status.ts';

interface Upload extends OfNewPeople {
  id: number;
  page_id: number;
  columns: string[];
}

/**
 * Imports the next block of a lane, in the transaction `sql` runs in: the block leaves the staging table in the same transaction that makes its
 * people and actions, so that no line is imported twice whatever dies when.
 * @returns whether to go on in this lane
 */
export async function importBlock(sql: Sql, uploadId: number, lane: number, secret: string): Promise<boolean> {
  const [upload] = await sql<Upload>(
    `select u.id, u.page_id, u.columns, u.user_fields_only, p.language_id, case when not u.user_fields_only then p.list_id end as list_id
     from core_upload u join core_page p on p.id = u.page_id
     where u.id = $1 and u.status in ('new', 'importing') and not u.stop_requested`,
    [uploadId],
  );
  if (!upload) return false;
  // Of two attempts that are both alive the second waits here for the first, and then finds the block gone.
  const [block] = await sql<{ lines: string }>(
    `delete from core_uploadblock where upload_id = $1 and lane = $2
       and nth = (select min(nth) from core_uploadblock where upload_id = $1 and lane = $2) returning lines`,
    [uploadId, lane],
  );
  if (!block) return false;
  const lines = JSON.parse(block.lines) as [line: number, ...cells: string[]][];
  const read: ImportedLine[] = [];
  /** What is wrong, by the number of the line. */
  const bad = new Map<number, string>();
  for (const [line, ...cells] of lines) {
    const found = readLine(upload.columns, cells, line, keptAddress);
    if (typeof found === 'string') bad.set(line, found);
    else read.push(found);
  }
  const misnamed = addressLines(read, await holdNamed(sql, read), upload.columns);
  const erased = await erasedAmong(
    sql,
    read.map(({ email }) => email),
  );
  for (const { line, email } of read) {
    const wrong = erased.has(lowerCase(email)) ? ERASED_LINE : misnamed.get(line);
    if (wrong !== undefined) bad.set(line, wrong);
  }
  const isGood = ({ line }: ImportedLine) => !bad.has(line);
  for (const line of await withoutRoom(sql, read.filter(isGood))) bad.set(line, FULL);
  const good = read.filter(isGood);
  const people = await savePeople(sql, upload, good, () => erasedSince(sql, uploadId, secret));
  for (const [index, { line }] of good.entries()) if (people[index]!.refused) bad.set(line, ERASED_LINE);
  if (bad.size > 0) {
    await sql(
      `insert into core_uploaderror (upload_id, line, message) select $1, line, message from unnest($2::int[], $3::text[]) x (line, message)`,
      [uploadId, [...bad.keys()], [...bad.values()]],
    );
  }
  const there = people.filter(({ refused }) => !refused);
  if (there.length > 0) await importLines(sql, upload, good.filter(isGood), there);
  // Last, since other lanes wait for this row until the commit.
  await countImported(sql, uploadId, lines.length, bad.size);
  return true;
}

const FULL = `A person has at most ${MOST_HELD.bytes} bytes of custom fields in ${MOST_HELD.values} values.`;

/** @param people those of the lines */
async function importLines(sql: Sql, upload: Upload, lines: ImportedLine[], people: SavedPerson[]): Promise<void> {
  if (upload.user_fields_only) return saveUserFields(sql, lines, people);
  await takePhones(
    sql,
    lines.flatMap(({ phones }, index) => phones.map((phone) => ({ ...phone, userId: people[index]!.id }))),
  );
  const actions = await saveActions(sql, upload, lines, people);
  await saveUserFields(sql, lines, people);
  await saveActionFields(sql, lines, actions);
  if (upload.list_id === null) return;
  // Of several lines about one person the first puts them on the list.
  const firsts = new Map<number, { userId: number; made: boolean; actionId: number }>();
  for (const [index, { id, made }] of people.entries())
    if (!firsts.has(id)) firsts.set(id, { userId: id, made, actionId: actions[index]! });
  const joining = [...firsts.values()];
  const onto = { listId: upload.list_id, change: 'subscribe_import' } as const;
  await joinListNew(sql, { ...onto, joining: joining.filter(({ made }) => made) });
  await joinList(sql, { ...onto, joining: joining.filter(({ made }) => !made) });
}

/** @returns their ids, in the order of the lines */
async function saveActions(sql: Sql, upload: Upload, lines: ImportedLine[], people: SavedPerson[]): Promise<number[]> {
  const firsts = new Set<SavedPerson>();
  const created = people.map((person) => person.made && !firsts.has(person) && Boolean(firsts.add(person)));
  const rows = await sql<{ id: number }>(
    `with given as materialized (
       select nextval('core_action_id_seq')::int as id, x.* from unnest($1::int[], $2::boolean[], $3::text[]) with ordinality x (user_id, created, source, nth)
     ), made as (
       insert into core_action (id, user_id, page_id, source, created_user, subscribed_user)
       select id, user_id, $4::int, source, created, created and $5::boolean from given order by nth
     )
     select id from given order by nth`,
    [
      plainArray(people.map(({ id }) => id)),
      plainArray(created),
      textArray(lines.map(({ person }) => person.source ?? IMPORT_SOURCE)),
      upload.page_id,
      upload.list_id !== null,
    ],
  );
  return rows.map(({ id }) => id);
}

async function saveUserFields(sql: Sql, lines: ImportedLine[], people: SavedPerson[]): Promise<void> {
  const last = new Map<string, { userId: number; name: string; value: string }>();
  for (const [index, { userFields }] of lines.entries()) {
    const userId = people[index]!.id;
    for (const [name, value] of Object.entries(userFields)) last.set(`${userId} ${name}`, { userId, name, value });
  }
  const fields = [...last.values()];
  if (fields.length === 0) return;
  const given = [plainArray(fields.map(({ userId }) => userId)), textArray(fields.map(({ name }) => name))];
  // Whoever looks for people who changed looks at their row alone.
  await sql(
    `update core_user set updated_at = now() where updated_at <> now() and id in (
       select x.parent from unnest($1::int[], $2::text[], $3::text[]) x (parent, name, value)
       where array(select f.value from core_userfield f where f.parent_id = x.parent and f.name = x.name) is distinct from array[x.value])`,
    [...given, textArray(fields.map(({ value }) => value))],
  );
  await sql(
    `delete from core_userfield f using unnest($1::int[], $2::text[]) x (parent, name) where f.parent_id = x.parent and f.name = x.name`,
    given,
  );
  await sql(`insert into core_userfield (parent_id, name, value) select * from unnest($1::int[], $2::text[], $3::text[])`, [
    ...given,
    textArray(fields.map(({ value }) => value)),
  ]);
}

async function saveActionFields(sql: Sql, lines: ImportedLine[], actions: number[]): Promise<void> {
  const fields = lines.flatMap(({ actionFields }, index) =>
    Object.entries(actionFields).map(([name, value]) => ({ id: actions[index]!, name, value })),
  );
  if (fields.length === 0) return;
  await sql(`insert into core_actionfield (parent_id, name, value) select * from unnest($1::int[], $2::text[], $3::text[])`, [
    plainArray(fields.map(({ id }) => id)),
    textArray(fields.map(({ name }) => name)),
    textArray(fields.map(({ value }) => value)),
  ]);
}
