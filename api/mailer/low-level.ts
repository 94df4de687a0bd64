import { archiveMailing } from '../../core/mailings/archive.ts';
import { copySide } from '../../core/mailings/copy-mailing.ts';
import { readString } from '../../core/mailings/input/context.ts';
import { INPUT_FIELDS } from '../../core/mailings/input/fields.ts';
import { LONGEST_LINE } from '../../core/mailings/input/fromline.ts';
import { markModel } from '../../core/mailings/model.ts';
import { subjectsSql } from '../../core/mailings/shown.ts';
import { updateMailing } from '../../core/mailings/write-mailing.ts';
import { InputError, UnknownListError } from '../../domain/errors.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import { readBody } from '../../domain/values.ts';
import { Mailing } from '../../entities/mailings/mailing.ts';
import { BOUND } from '../../template/budget.ts';
import { type Change, type FieldOverride, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { inputContext } from './input-context.ts';
import { mailer } from './mailing.ts';
import { readSideUri, sideUriSql } from './mailing-targeting.ts';

const SUBJECT = { id: { type: 'integer' }, text: { type: 'string' }, preview_text: { type: 'string' } };
const SUBJECTS = { type: 'array', items: { type: 'object', required: Object.keys(SUBJECT), properties: SUBJECT } };
const SUBJECTS_TAKEN = { type: ['array', 'null'], items: { anyOf: [{ type: 'string' }, { type: 'object', properties: SUBJECT }] } };

const URIS = { type: 'array', items: { type: 'string', format: 'uri-reference' } };

/** A text: the mailer API says what is wrong with one. */
const ruled = (name: 'html' | 'text' | 'custom_fromline' | 'reply_to', maxLength: number): FieldOverride => ({
  kind: 'string',
  readonly: false,
  maxLength,
  read: readString,
  sql: `t.${name}`,
  show: (row) => row[name],
});

const side = (name: Side, help: string): FieldOverride => ({
  kind: 'string',
  readonly: true,
  nullable: false,
  help: `${help} The URI of its targeting fields. A new mailing takes these themselves, or the URI of another's, which it then has as that one has them now.`,
  sql: sideUriSql(name),
  show: (row) => row[name],
  schema: { type: 'string', format: 'uri-reference' },
});

/** What a mail says and who it is from: written by the rules of the mailer API, whoever changes it here. */
const CONTENT = ['html', 'text', 'custom_fromline', 'reply_to', 'subjects'];

/** These have no rules. Whatever else the mailer API writes by its own is read here. */
const WRITABLE = ['notes', 'hidden', 'web_viewable', 'test_group', 'is_model'];

/** Shown as URIs; taken as URIs of other mailings' sides, or as the fields of targeting. */
const SIDES: readonly Side[] = ['includes', 'excludes'];
const isSide = (name: string): name is Side => SIDES.includes(name as Side);

const COLUMNS = [
  'fromline',
  'track_opens',
  'track_clicks',
  'emailwrapper',
  'lang',
  'landing_page',
  'mergefile',
  'fields',
  'limit',
  'sort_by',
  'mails_per_second',
  'target_group_from_landing_page',
  'target_mergefile',
  'rebuild_query_at_send',
  'targeting_version',
  'targeting_version_saved',
  'query_status',
  'query_queued_at',
  'query_started_at',
  'query_completed_at',
  'query_previous_runtime',
  'reviewers',
  'proof_users',
  'requested_proofs',
  'submitter',
  'status',
  'scheduled_for',
  'scheduled_by',
  'queued_at',
  'queued_by',
  'started_at',
  'finished_at',
  'expected_send_count',
  'recurring_source_mailing',
];

const RELATED: Record<string, FieldOverride> = {
  fromline: { to: 'fromline' },
  emailwrapper: { to: 'emailwrapper' },
  lang: { to: 'language' },
  landing_page: { to: 'page' },
  mergefile: { to: 'mergefile' },
  submitter: { to: 'authuser' },
  scheduled_by: { to: 'authuser' },
  queued_by: { to: 'authuser' },
  reviewers: { to: 'user' },
  recurring_source_mailing: { to: 'mailing' },
};

/** Mailings as their rows are: references as URIs, subjects as objects. What has rules is changed by those of the mailer API. */
export const mailing = resource({
  name: 'mailing',
  about: 'a mailing as it is stored; the mailer API is where it is made, changed and sent',
  area: 'Mailer',
  permission: 'mailer',
  entity: Mailing,
  inside: ['errors', 'savedCount', 'stopRequested', 'html', 'text', 'customFromline', 'replyTo'],
  methods: ['list', 'get', 'create', 'update'],
  fields: {
    ...Object.fromEntries(COLUMNS.map((name) => [name, { readonly: true, ...RELATED[name] }])),
    html: ruled('html', BOUND.source),
    text: ruled('text', BOUND.source),
    custom_fromline: ruled('custom_fromline', LONGEST_LINE),
    reply_to: ruled('reply_to', LONGEST_LINE),
    subjects: {
      kind: 'list',
      readonly: false,
      nullIsAbsent: true,
      help: 'With the ids the results go by. Texts alone are taken, too.',
      sql: subjectsSql('t.id'),
      show: (row) => row['subjects'],
      schema: SUBJECTS,
      taken: SUBJECTS_TAKEN,
    },
    tags: {
      kind: 'list',
      readonly: true,
      sql: 'array(select p.tag_id from core_mailing_tags p where p.mailing_id = t.id order by p.tag_id)',
      show: (row) => (row['tags'] as number[]).map((id) => `/rest/v1/tag/${id}/`),
      schema: URIS,
    },
    includes: side('includes', 'Whom it is for.'),
    excludes: side('excludes', 'Whom it is not for.'),
    test_group: { to: 'mailingtestgroup', help: 'Mailings that are held against each other; a copy stays in it with keep_test_group.' },
    is_model: {
      kind: 'boolean',
      readonly: false,
      help: 'true makes a draft a model, which is copied and never sent; false makes it a draft again.',
      sql: `t.status = 'model'`,
      show: (row) => row['is_model'],
    },
    mailer: {
      help: 'The same mailing in the mailer API.',
      show: (row) => `/rest/v1/mailer/${row['id']}/`,
      schema: { type: 'string', format: 'uri-reference' },
    },
    notes: { help: `Of a mailing that is there only ${[...CONTENT, ...WRITABLE].join(', ')} are taken here.` },
  },
  filtering: { ...mailer.filtering, test_group: EXACT, recurring_source_mailing: EXACT, fromline: EXACT, expected_send_count: SINCE },
  ordering: mailer.ordering ?? [],
  hooks: { afterCreate: writeRest, beforeUpdate: writeOwn },
});

/** What the mailer API has rules for goes by them, also here; what neither knows is ignored, as on every plain resource. */
async function writeRest(change: Change): Promise<void> {
  const { subjects, ...given } = readBody(change.request.body);
  const copied = await copySides(change, given);
  const ruled = Object.fromEntries(
    Object.entries(given)
      .filter(([name, value]) => (isSide(name) ? value !== '' && !copied.has(name) : !WRITABLE.includes(name) && name in INPUT_FIELDS))
      .filter(([, value]) => value !== null),
  );
  await writeByRules(change, { ...ruled, ...readSubjects(subjects) });
  await writeModel(change);
}

async function writeByRules({ sql, id, request, context }: Change, body: object): Promise<void> {
  if (Object.keys(body).length > 0) await updateMailing(id, body, inputContext(context, sql, request)).catch(namingLists);
}

/** Subjects as they are shown, or their texts alone. */
function readSubjects(given: unknown): { subjects?: unknown[]; preview_text?: unknown[] } {
  if (!Array.isArray(given) || given.length === 0) return {};
  const subjects = given.map((each) => each?.text ?? each);
  if (given.every((each) => each?.preview_text === undefined)) return { subjects };
  return { subjects, preview_text: given.map((each) => each?.preview_text ?? '') };
}

/**
 * A document that was read from another mailing has the URIs of its sides: those are whom the new one is for.
 * @returns the sides that were given so
 * @throws InputError for a mailing that is not there
 */
async function copySides({ sql, id, context }: Change, given: Record<string, unknown>): Promise<ReadonlySet<Side>> {
  const copied = new Set<Side>();
  for (const side of SIDES) {
    const from = readSideUri(given[side], context.env.BASE_URL);
    if (!from) continue;
    if (from.mailingId === id || !(await copySide(sql, { id, side }, from)))
      throw new InputError({ [side]: `${side} refers to nothing: there is no mailing ${from.mailingId}.` });
    copied.add(side);
  }
  return copied;
}

/** The one sentence of the mailer API stands under a field here, like everything else that is refused. */
function namingLists(error: Error): never {
  throw error instanceof UnknownListError ? new InputError({ lists: error.message }) : error;
}

/** @throws InputError for people meant who would not be: ignored, it would be taken for done; and where it cannot be hidden, or made a model */
async function writeOwn(change: Change): Promise<void> {
  const given = readBody(change.request.body);
  const sides = SIDES.filter((side) => saysOther(change, side, given[side]));
  const told = `is changed through the mailer API: PATCH /rest/v1/mailer/${change.id}/.`;
  if (sides.length > 0) throw new InputError(Object.fromEntries(sides.map((side) => [side, `${side} ${told}`])));
  await writeContent(change);
  if (change.values['hidden'] === true) await archiveMailing(change.sql, change.id, true);
  await writeModel(change);
}

/** Clients change here what they made here. What is empty says nothing, and what is as it stands changes nothing, in whatever status. */
async function writeContent(change: Change): Promise<void> {
  const { subjects, ...texts } = change.extra;
  const given = CONTENT.filter((name) => texts[name]).map((name) => [name, texts[name]]);
  await writeByRules(change, { ...Object.fromEntries(given), ...readSubjects(subjects) });
}

/** Targeting fields, or the URI of another side than the mailing itself shows there. What is neither says nothing, as of every field that is only shown. */
function saysOther({ id, context }: Change, side: Side, given: unknown): boolean {
  if (typeof given === 'object' && given !== null) return Object.keys(given).length > 0;
  const named = readSideUri(given, context.env.BASE_URL);
  return named !== null && (named.mailingId !== id || named.side !== side);
}

/** Who sends back what was read changes nothing. */
async function writeModel({ sql, id, extra }: Change): Promise<void> {
  const wanted = extra['is_model'];
  if (typeof wanted === 'boolean') await markModel(sql, id, wanted);
}
