import type { Sql } from '../../db/sql.ts';
import { ConflictError, InputError, NotFoundError, PermissionError, StaleVersionError } from '../../domain/errors.ts';
import { checkEditable, STOPPABLE } from '../../domain/mailing-status.ts';
import {
  checkModifiers,
  mergeTargeting,
  sameTargeting,
  TARGETING_STATE_FIELDS,
  type TargetingState,
} from '../../domain/targeting/change.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import type { MailingStatus } from '../../domain/words.ts';
import type { Narrowing } from '../targeting/explain-audience.ts';
import { invalidateAudiencesOf } from '../targeting/rebuild-job.ts';
import { checkContent, checkMayShow, checkTracked } from './check-content.ts';
import { holdForChange } from './hold-for-change.ts';
import type { InputContext } from './input/context.ts';
import { checkSubjects, kindOf, type MailingInput, readMailing } from './input/mailing-input.ts';
import { columnsOf, writeColumns, writeRelations } from './mailing-rows.ts';
import { checkMayPick, checkMayShowRows } from './may-pick.ts';
import { subjectTextsSql } from './shown.ts';
import { checkWhole } from './whole-targeting.ts';

interface StoredMailing extends TargetingState {
  [column: string]: unknown;
  id: number;
  status: MailingStatus;
  targeting_version: number;
  subjects: string[];
  preview_text: string[];
  landing_page: number | null;
  mergefile: number | null;
  tags: number[];
  reviewers: number[];
  proof_users: number[];
}

/** What changed, for what has to happen after the commit. */
export interface Written {
  status: MailingStatus;
  changed: ReadonlySet<string>;
}

const NO_TARGETING: TargetingState = {
  includes: {},
  excludes: {},
  limit: null,
  sort_by: null,
  target_group_from_landing_page: false,
  target_mergefile: false,
  mails_per_second: null,
};

/** A number that no other mailing gets, for one that is made later: however often that is asked for, it is one. */
export async function reserveMailing(sql: Sql): Promise<number> {
  const [made] = await sql<{ id: number }>(`select nextval('core_mailing_id_seq')::int as id`);
  return made!.id;
}

/**
 * Creates a mailing from a request body, in the caller's transaction.
 * @param reserved the number it gets, of `reserveMailing`
 * @returns its id
 * @throws InputError, PermissionError and whatever else `readMailing` throws; ConflictError where the mailing of that number is made already
 */
export async function createMailing(body: unknown, context: InputContext, reserved: number | null = null): Promise<number> {
  const input = await readMailing(body, NO_TARGETING, context);
  if (!input.values['subjects']) throw new InputError({ subjects: 'This field is required.' });
  checkSubjects(input);
  checkMayShowRows(null, input.values['mergefile'], context.can);
  const id = await insertMailing(context.sql, reserved);
  const targeting = targetingAfter(NO_TARGETING, input);
  checkWhole(targeting, input.values);
  checkMayPick({ ...NO_TARGETING, mergefile: null }, { ...targeting, mergefile: input.values['mergefile'] }, context.can);
  await writeColumns(context.sql, id, { ...columnsOf(input), includes: targeting.includes, excludes: targeting.excludes });
  await writeRelations(context.sql, id, input.values);
  await checkWritten(id, input, context);
  return id;
}

async function insertMailing(sql: Sql, reserved: number | null): Promise<number> {
  const [made] =
    reserved === null
      ? await sql<{ id: number }>('insert into core_mailing default values returning id')
      : await sql<{ id: number }>('insert into core_mailing (id) values ($1) on conflict (id) do nothing returning id', [reserved]);
  if (!made) throw new ConflictError('id', String(reserved), null);
  return made.id;
}

/**
 * Changes what a request body holds, in the caller's transaction. A change of targeting raises the version once and makes the saved set
 * invalid, also of mailings that include or exclude this one; what is sent and is the same already changes nothing.
 * @throws NotFoundError, StaleVersionError, InputError and whatever else `readMailing` throws
 */
export async function updateMailing(id: number, body: unknown, context: InputContext): Promise<Written> {
  const { sql } = context;
  await holdForChange(id, body, context);
  const stored = await storedMailing(sql, id);
  const input = await readMailing(body, stored, context);
  if (input.targetingVersion !== null && input.targetingVersion !== stored.targeting_version) {
    throw new StaleVersionError(`The targeting is at version ${stored.targeting_version}, not ${input.targetingVersion}`);
  }
  if (!Object.keys(input.values).length && !input.includes && !input.excludes) {
    throw new InputError({ body: 'At least one field is required.' });
  }
  const targeting = targetingAfter(stored, input);
  const changed = new Set(Object.keys(input.values).filter((name) => differs(name, input.values[name], stored)));
  if (changed.has('subjects')) checkSubjects(input);
  checkMayShowRows(stored.mergefile, input.values['mergefile'], context.can);
  for (const side of ['includes', 'excludes'] as const) {
    if (!sameTargeting(stored, { ...stored, [side]: targeting[side] })) changed.add(side);
  }
  const moves = stored.status === 'scheduled' && changed.has('scheduled_for');
  // Moved to now it is sent, moved to long ago it is not: whoever does either needs what queue and stop need.
  if (moves && !context.can('mailer:send')) throw new PermissionError('mailer:send');
  if (moves && input.values['scheduled_for'] === null) {
    throw new InputError({ scheduled_for: 'The mailing is scheduled: move its time, or stop it first.' });
  }
  // The page and the file are part of who is meant where the targeting asks for them.
  const narrowedBy = { landing_page: targeting.target_group_from_landing_page, mergefile: targeting.target_mergefile };
  const targetingChanged =
    !sameTargeting(stored, targeting) || Object.entries(narrowedBy).some(([name, narrows]) => narrows && changed.has(name));
  if (targetingChanged) {
    const after = { landing_page: stored.landing_page, mergefile: stored.mergefile, ...input.values };
    checkWhole(targeting, after);
    checkMayPick(stored, { ...targeting, mergefile: after.mergefile }, context.can);
  }
  checkEditable(
    stored.status,
    Object.fromEntries(
      [...changed].map((name) => [name, targetingChanged && Object.hasOwn(narrowedBy, name) ? 'narrowing' : kindOf(name)]),
    ),
  );
  const subjects = input.values['subjects'] as unknown[] | undefined;
  if (changed.has('subjects') && subjects?.length !== stored.subjects.length) await checkSentOfNone(sql, id);
  if (changed.size) {
    await writeColumns(sql, id, { ...columnsOf(input), includes: targeting.includes, excludes: targeting.excludes });
    await writeRelations(sql, id, input.values);
    await checkWritten(id, input, context);
    if (STOPPABLE.includes(stored.status) && TRACKED.some((name) => changed.has(name))) await checkTracked(sql, id, context.env);
  }
  if (targetingChanged) await invalidateAudiencesOf(sql, id);
  return { status: stored.status, changed };
}

/** Who had which subject is known by how many there were. @throws InputError where somebody has had one */
async function checkSentOfNone(sql: Sql, id: number): Promise<void> {
  const rows = await sql('select from send_shard where mailing_id = $1 and accepted + failed + skipped + uncertain > 0 limit 1', [id]);
  if (rows.length) {
    throw new InputError({
      subjects: 'Part of the mailing was sent: the subjects can be changed, but there have to be as many as before.',
    });
  }
}

/** The row as it is, which the caller holds. */
async function storedMailing(sql: Sql, id: number): Promise<StoredMailing> {
  const [row] = await sql<StoredMailing>(
    `select t.*, t.fromline_id as fromline, t.emailwrapper_id as emailwrapper, t.lang_id as lang, t.landing_page_id as landing_page, t.mergefile_id as mergefile,
       t.submitter_id as submitter, t.scheduled_by_id as scheduled_by,
       ${subjectTextsSql('text', 't.id')} as subjects, ${subjectTextsSql('preview_text', 't.id')} as preview_text,
       array(select tag_id from core_mailing_tags where mailing_id = t.id) as tags,
       array(select user_id from core_mailing_reviewers where mailing_id = t.id) as reviewers
     from core_mailing t where t.id = $1`,
    [id],
  );
  if (!row) throw new NotFoundError();
  return row;
}

function targetingAfter(stored: TargetingState, { values, includes = {}, excludes = {} }: MailingInput): TargetingState {
  const plain = TARGETING_STATE_FIELDS.filter((name) => name in values).map((name) => [name, values[name]]);
  return {
    ...stored,
    ...Object.fromEntries(plain),
    includes: mergeTargeting(stored.includes, includes),
    excludes: mergeTargeting(stored.excludes, excludes),
  };
}

/** What is counted beside the two sides: what a change calls it, and the column. */
const AS_COUNTED = {
  limit: 'limit',
  target_group_from_landing_page: 'target_group_from_landing_page',
  target_mergefile: 'target_mergefile',
  landing_page: 'landing_page_id',
  mergefile: 'mergefile_id',
};

/**
 * The targeting there would be after a change, checked as it is when it is written and when its audience is asked for. Nothing is written.
 * @param body what says whom a mailing is for, as a change of a mailing takes it
 * @throws InputError and whatever else `readMailing` throws
 */
export async function targetingWith<Stored extends Pick<TargetingState, Side | 'limit'> & Narrowing>(
  stored: Stored,
  body: unknown,
  context: InputContext,
): Promise<Stored> {
  const { values, includes = {}, excludes = {} } = await readMailing(body, stored, context);
  const asked = Object.entries(AS_COUNTED).filter(([name]) => name in values);
  const targeting = {
    ...stored,
    ...Object.fromEntries(asked.map(([name, column]) => [column, values[name]])),
    includes: mergeTargeting(stored.includes, includes),
    excludes: mergeTargeting(stored.excludes, excludes),
  };
  checkWhole(targeting, { landing_page: targeting.landing_page_id, mergefile: targeting.mergefile_id });
  checkMayPick({ ...stored, mergefile: stored.mergefile_id }, { ...targeting, mergefile: targeting.mergefile_id }, context.can);
  checkModifiers(targeting);
  return targeting;
}

const UNORDERED = new Set(['tags', 'reviewers', 'proof_users']);

function differs(name: string, value: unknown, stored: StoredMailing): boolean {
  return canonical(name, value) !== canonical(name, stored[name]);
}

function canonical(name: string, value: unknown): string {
  if (name === 'preview_text') return JSON.stringify(trimmed(value as string[]));
  if (UNORDERED.has(name)) return JSON.stringify([...(value as number[])].sort((a, b) => a - b));
  // Times are shown to the second: who sends one back as it was read changes nothing. Stored ones come as text.
  if (name === 'scheduled_for' && value !== null) return String(Math.floor(new Date(value as Date | string).getTime() / 1000));
  return JSON.stringify(value);
}

/** Preview texts without the empty ones at the end, which stand for those not given. */
const trimmed = (texts: string[]): string[] => texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);

const TEMPLATES = ['html', 'text', 'subjects', 'preview_text'];
const SHOWN = [...TEMPLATES, 'emailwrapper', 'landing_page', 'mergefile'];
const SAVED = SHOWN.filter((name) => name !== 'mergefile');
const TRACKED = [...SHOWN, 'fields', 'track_opens', 'track_clicks'];

/** Templates are refused when they are saved, with the line: at sending it would be too late. Looks at the mailing as it has been written. */
async function checkWritten(id: number, { values }: MailingInput, { sql, can }: InputContext): Promise<void> {
  if (!SHOWN.some((name) => name in values)) return;
  checkMayShow(
    TEMPLATES.map((name) => values[name]),
    can,
  );
  await checkContent(sql, id, SAVED);
}
