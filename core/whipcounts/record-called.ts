import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { MAX_INT, readText } from '../../domain/values.ts';
import type { RecordedAction } from '../actions/submission.ts';

const RESPONSE = /^response-(.*)$/;
const LONGEST = 10_000;
const MOST = 1_000;
/** Missing fields that are named: anybody may ask, and more tell nobody more. */
const MOST_SAID = 100;

/**
 * Keeps what a caller reports: `response-<target_id>` for each target they called. One response per page, target and caller; a later one takes
 * the place of the earlier.
 * @throws InputError under `response-<target_id>`, or under `<field>:missing` for a field named in `required` that is empty
 */
export async function recordCalled(sql: Sql, { submission, pageId, userId, actionId }: RecordedAction): Promise<void> {
  const { given, filled } = submission;
  checkRequired(given, filled);
  const responses = readResponses(given);
  if (responses.size === 0) return;
  await checkTargets(sql, pageId, [...responses.keys()]);
  // In the order of ids: two submissions of one caller at once wait for each other instead of locking each other out.
  await sql(
    `insert into core_whipcountactioncalled (whipcountaction_id, page_id, user_id, target_id, response)
     select $1, $2, $3, r.target_id, r.response from unnest($4::int[], $5::text[]) as r(target_id, response) order by r.target_id
     on conflict (page_id, target_id, user_id) do update
       set response = excluded.response, whipcountaction_id = excluded.whipcountaction_id, updated_at = now()`,
    [actionId, pageId, userId, [...responses.keys()], [...responses.values()]],
  );
}

/** The form's own say on what may not be left out: `required=<field>`, with the message in `error_<field>:missing`. */
function checkRequired(given: Record<string, unknown>, filled: Set<string>): void {
  const names = [given['required'] ?? []].flat().flatMap((each) => (typeof each === 'string' ? each.split(',') : []));
  const missing = new Set(names.map((each) => each.trim()).filter((each) => each && !filled.has(each)));
  const errors: Record<string, string> = {};
  for (const name of [...missing].slice(0, MOST_SAID)) {
    const message = Object.hasOwn(given, `error_${name}:missing`) ? given[`error_${name}:missing`] : null;
    errors[`${name}:missing`] = typeof message === 'string' && message ? message : `${name} is required.`;
  }
  if (Object.keys(errors).length > 0) throw new InputError(errors);
}

/** Target id → what it told the caller. Targets without an answer are left out. */
function readResponses(given: Record<string, unknown>): Map<number, string> {
  const responses = new Map<number, string>();
  const errors: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const named = RESPONSE.exec(name)?.[1];
    if (named === undefined || value === null || value === '') continue;
    const id = /^[1-9]\d{0,9}$/.test(named) ? Number(named) : 0;
    if (id === 0 || id > MAX_INT) {
      errors[name.slice(0, 100)] = 'The field must be response-<target id>.';
      continue;
    }
    try {
      const response = readText(value).trim();
      if (response.length > LONGEST) throw new Error(`must have at most ${LONGEST} characters`);
      if (response) responses.set(id, response);
    } catch (error) {
      errors[name] = `${name} ${(error as Error).message}.`;
    }
  }
  if (responses.size > MOST) errors['response'] = `More than ${MOST} responses.`;
  if (Object.keys(errors).length > 0) throw new InputError(errors);
  return responses;
}

/** A page with target groups takes responses about their targets alone. */
async function checkTargets(sql: Sql, pageId: number, ids: number[]): Promise<void> {
  const rows = await sql<{ id: number }>(
    `select t.id from core_target t where t.id = any($2::int[]) and (
       not exists (select from core_whipcountpage_target_groups m where m.page_id = $1)
       or exists (select from core_whipcountpage_target_groups m join core_targetgroup_targets g on g.targetgroup_id = m.targetgroup_id
                  where m.page_id = $1 and g.target_id = t.id))
     for key share of t`,
    [pageId, ids],
  );
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw new InputError(Object.fromEntries(unknown.map((id) => [`response-${id}`, `This page has no target ${id}.`])));
}
