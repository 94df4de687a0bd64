import type { Sql } from '../../db/sql.ts';
import { MovedMeanwhileError } from '../../db/transaction.ts';
import { InputError } from '../../domain/errors.ts';
import { NO_FIELD } from '../../domain/people/field-room.ts';
import { withoutNulls } from '../../domain/values.ts';
import { bothInOrder, holdPerson } from '../people/hold-person.ts';

// Custom fields of events, one by one. They stand in the event; their numbers follow them by a trigger.

const MOST = 1_000;
const LONGEST_NAME = 255;
/** Characters of all of them as JSON, as many as may be written at once: a page of events has those of a hundred. */
const LONGEST_TOGETHER = 1_000_000;

/** All fields an event is given at once; null is none. @throws InputError for more of them than an event has, or a name that is too long */
export function fieldsGiven(fields: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(fields);
  if (names.length > MOST) throw new InputError({ fields: `fields must not have more than ${MOST} names.` });
  if (names.some((name) => name.length > LONGEST_NAME))
    throw new InputError({ fields: `fields must not have a name of more than ${LONGEST_NAME} characters.` });
  if (names.includes(NO_FIELD)) throw new InputError({ fields: `fields must not have a name ${NO_FIELD}.` });
  return withoutNulls(fields);
}

export interface EventFieldValue {
  event: number;
  name: string;
  value: string;
}

/** Its creator before it. @returns false when there is no such event */
async function holdEvent(sql: Sql, id: number): Promise<boolean> {
  await holdPerson(sql, 'events_event', id);
  return (await sql('select from events_event where id = $1 for update', [id])).length > 0;
}

/**
 * Before a field is held that is changed or deleted by itself: its event, as whoever changes all of them does.
 * @param next the event it is given to, which is held as well
 */
export async function holdEventOf(sql: Sql, id: number, next?: number): Promise<void> {
  const eventOf = async () =>
    (await sql<{ event: number }>('select event_id as event from events_eventfield where id = $1', [id]))[0]?.event;
  const before = await eventOf();
  if (before === undefined) return;
  const held = bothInOrder(before, next);
  for (const event of held) await holdEvent(sql, event);
  const now = await eventOf();
  // Held after these it might be out of order.
  if (now !== undefined && !held.includes(now)) throw new MovedMeanwhileError();
}

/** @returns its id. @throws InputError */
export async function addEventField(sql: Sql, { event, name, value }: EventFieldValue): Promise<number> {
  // It went since it was looked for.
  if (!(await holdEvent(sql, event))) throw new InputError({ event: 'event refers to nothing.' });
  // Once the event is held: a field it was given while it was waited for is one it has.
  const there = await sql('select from events_eventfield where event_id = $1 and name = $2', [event, name]);
  // The key that is taken is told as one.
  if (there.length > 0) await sql('insert into events_eventfield (event_id, name) values ($1, $2)', [event, name]);
  await write(sql, { event, name, value });
  const [made] = await sql<{ id: number }>('select id from events_eventfield where event_id = $1 and name = $2', [event, name]);
  return made!.id;
}

/** What is left out stays as it was, and so does a value that is sent back as it is shown. */
export async function changeEventField(sql: Sql, id: number, change: Partial<EventFieldValue>): Promise<void> {
  const [before] = await sql<{ event: number; name: string; value: unknown; shown: string | null }>(
    `select f.event_id as event, f.name, e.fields -> f.name as value, e.fields #>> array[f.name] as shown from events_eventfield f join events_event e on e.id = f.event_id
     where f.id = $1 for update of e`,
    [id],
  );
  if (!before) return;
  const { value: given = before.shown, ...moved } = change;
  const { event, name } = { ...before, ...moved };
  const value = given === before.shown ? before.value : given;
  if (event !== before.event || name !== before.name) {
    // Before the fields are written, after which a number without one would be taken away.
    await sql('update events_eventfield set event_id = $2, name = $3 where id = $1', [id, event, name]);
    if (event === before.event) return write(sql, { event, name, value }, before.name);
    await write(sql, { event, name, value });
    await removeField(sql, before);
  } else if (value !== before.value) await write(sql, { event, name, value });
}

/** It goes, and its number with it. */
export async function removeEventField(sql: Sql, id: number): Promise<void> {
  const [held] = await sql<{ event: number; name: string }>('select event_id as event, name from events_eventfield where id = $1', [id]);
  if (held) await removeField(sql, held);
}

/**
 * @param former what it was called: an event that is written twice in a transaction takes its campaign again, which whoever deletes that holds before it
 * @throws InputError for more than an event has, unless there is no more than before
 */
async function write(
  sql: Sql,
  { event, name, value }: { event: number; name: string; value: unknown },
  former: string = name,
): Promise<void> {
  const [held] = await sql<{ many: boolean; much: boolean }>(
    `update events_event e set fields = before.fields - $4::text || jsonb_build_object($2::text, $3::jsonb), updated_at = now()
     from (select id, fields from events_event where id = $1 for update) before where e.id = before.id
     returning not before.fields ? $2 and (select count(*) from jsonb_object_keys(e.fields)) > ${MOST} as many,
       length(e.fields::text) > greatest(${LONGEST_TOGETHER}, length(before.fields::text)) as much`,
    [event, name, JSON.stringify(value), former],
  );
  if (held?.many) throw new InputError({ event: `An event has at most ${MOST} fields.` });
  if (held?.much) throw new InputError({ value: `The fields of an event have at most ${LONGEST_TOGETHER} characters together, as JSON.` });
}

const removeField = (sql: Sql, { event, name }: { event: number; name: string }): Promise<unknown> =>
  sql('update events_event set fields = fields - $2::text, updated_at = now() where id = $1', [event, name]);
