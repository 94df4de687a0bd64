import { subjectTextsSql, tagNamesSql } from '../../core/mailings/shown.ts';
import { targetingSql } from '../../core/targeting/shown.ts';
import { RequestError } from '../../domain/errors.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import { Mailing } from '../../entities/mailings/mailing.ts';
import { type FieldOverride, type Row, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { WITHOUT_RATE } from './speed.ts';
import { TARGETING_SCHEMA } from './targeting-schema.ts';

const URI = { type: 'string', format: 'uri-reference' };
const TEXTS = { type: 'array', items: { type: 'string' } };

const readonly = (help: string, more: FieldOverride = {}): FieldOverride => ({ readonly: true, help, ...more });

/** The address of something to do with the mailing. */
const action = (name: string, help: string): FieldOverride =>
  readonly(help, { show: (row) => `/rest/v1/mailer/${row['id']}/${name}/`, schema: URI });

/** Preview texts as they were given: those that were not are stored empty, at the end. */
function givenPreviews(row: Row): string[] {
  const texts = row['preview_text'] as string[];
  return texts.slice(0, texts.findLastIndex((text) => text !== '') + 1);
}

/** Bytes of targeting that are read for one answer about several mailings: each may name a hundred thousand people, places and parameters in every field. */
const MOST_SHOWN = 50_000_000;
const TOO_MUCH = `count(*) over () > 1 and sum(octet_length(t.includes::text) + octet_length(t.excludes::text)) over () > ${MOST_SHOWN}`;

/** One side of the targeting. Reads throw a RequestError where an answer would hold too much of it. */
const side = (name: Side): FieldOverride => ({
  sql: `case when ${TOO_MUCH} then null else ${targetingSql(name)} end`,
  show: (row) => {
    if (row[name] === null)
      throw new RequestError({ _limit: 'The targeting of these mailings is more than one answer may hold: ask for fewer.' });
    return row[name];
  },
  schema: TARGETING_SCHEMA,
});

/** Mailings as the mailer API shows them; POST and PATCH are routes of their own (write-routes.ts). */
export const mailer = resource({
  name: 'mailer',
  about: 'a mailing: its content, whom it is for, and where it stands',
  area: 'Mailer',
  entity: Mailing,
  inside: ['errors', 'savedCount', 'stopRequested', 'testGroup'],
  methods: ['list', 'get'],
  fields: {
    html: { help: 'Template of the HTML version.' },
    text: { help: 'Template of the text version; made from the HTML where empty.' },
    fromline: {
      kind: 'string',
      nullable: false,
      help: 'The from line. Taken as a URI, as an object {from_line} to find or create, or as the line itself.',
      sql: `coalesce((select f.from_line from core_fromline f where f.id = t.fromline_id), '')`,
      show: (row) => row['fromline'],
    },
    custom_fromline: { help: 'A from line stored with this mailing alone; it goes before fromline.' },
    reply_to: { help: 'Reply-To address.' },
    emailwrapper: { to: 'emailwrapper' },
    lang: { to: 'language' },
    landing_page: { to: 'page' },
    track_opens: { help: 'false leaves the open pixel out of this mailing.' },
    track_clicks: { help: 'false leaves the links of this mailing as they are.' },
    hidden: readonly('Not shown in lists of the user interface.'),
    fields: {
      help: 'Custom fields of the mailing, as {name, value}. Taken also as {key, value}, as pairs, or as one object.',
      schema: {
        type: 'array',
        items: { type: 'object', required: ['name', 'value'], properties: { name: { type: 'string' }, value: { type: 'string' } } },
      },
    },
    tags: {
      help: 'Names of tags; found or created.',
      sql: tagNamesSql('t.id'),
      show: (row) => row['tags'],
      schema: TEXTS,
    },
    includes: { help: 'Whom the mailing is for: everyone who matches every field.', ...side('includes') },
    excludes: { help: 'Whom it is not for: everyone who matches any field.', ...side('excludes') },
    limit: { help: 'Most users mailed.' },
    sort_by: { help: 'In which order they are mailed, and who is left out beyond the limit.' },
    mails_per_second: {
      help: `May be fractional. Without it the instance's SEND_MAX_RATE; where that is not set, ${WITHOUT_RATE}. Frozen when sending begins.`,
    },
    targeting_version: readonly(
      'Goes up with each change of targeting. Sent with a PATCH it is a guard: 409 when it is not the stored one.',
    ),
    targeting_version_saved: readonly('Version of the saved set of users; when it is another, rebuild.'),
    query_status: readonly('Where the saved set of users stands.'),
    query_queued_at: readonly('When the last rebuild was asked for.'),
    query_started_at: readonly('When it began.'),
    query_completed_at: readonly('When it ended.'),
    query_previous_runtime: readonly('Seconds the last successful rebuild took.'),
    reviewers: { to: 'user', help: 'Users who get proofs, and a final one on send.' },
    proof_users: {
      kind: 'list',
      help: 'Users whom proofs are made for.',
      show: (row) => (row['proof_users'] as number[]).map((id) => `/rest/v1/user/${id}/`),
      schema: { type: 'array', items: URI },
    },
    submitter: { to: 'authuser', uriOnly: true },
    status: readonly('Where the mailing stands.'),
    scheduled_for: { help: 'UTC. Sending begins then, once the mailing has been queued.' },
    scheduled_by: { to: 'authuser', uriOnly: true },
    queued_at: readonly('When it was queued.'),
    queued_by: readonly('Who queued it.', { to: 'authuser' }),
    started_at: readonly('When sending began.'),
    finished_at: readonly('When sending ended.'),
    expected_send_count: readonly('Users in the set right before sending.'),
    recurring_source_mailing: readonly('The recurring mailing it was copied from.', { to: 'mailer' }),
    subjects: {
      kind: 'list',
      required: true,
      readonly: false,
      help: 'Assigned to the recipients evenly.',
      sql: subjectTextsSql('text', 't.id'),
      schema: TEXTS,
    },
    preview_text: {
      kind: 'list',
      readonly: false,
      help: 'One for each subject; the last stands for those missing.',
      sql: subjectTextsSql('preview_text', 't.id'),
      show: givenPreviews,
      schema: TEXTS,
    },
    mergefile: { to: 'mergefile', help: 'A file with a row of values for each of some people; templates show them as row.name.' },
    expected_sent_count: readonly('The same as expected_send_count.', {
      kind: 'integer',
      nullable: true,
      sql: 't.expected_send_count',
      schema: { type: ['integer', 'null'] },
    }),
    recurring_schedule: readonly('When it goes out again and again.', {
      nullable: true,
      sql: `(select '/rest/v1/recurringschedule/' || r.id || '/' from core_recurringschedule r where r.mailing_id = t.id)`,
      show: (row) => row['recurring_schedule'],
      schema: { type: ['string', 'null'], format: 'uri-reference' },
    }),
    mailing_uri: readonly('The low-level mailing.', { show: (row) => `/rest/v1/mailing/${row['id']}/`, schema: URI }),
    status_uri: action('status', 'Where it stands, in short.'),
    rebuild: action('rebuild', 'POST builds the set of users.'),
    proofs: action('proofs', 'POST sends proofs.'),
    queue: action('queue', 'POST sends or schedules it.'),
    progress: action('progress', 'How far sending is.'),
    stop: action('stop', 'POST stops it.'),
    results: action('results', 'What came of it.'),
    copy: action('copy', 'POST makes a copy.'),
  },
  filtering: {
    id: SINCE,
    status: ['exact', 'in'],
    query_status: ['exact', 'in'],
    tags: 'joins',
    notes: ['exact', 'icontains', 'contains', 'startswith'],
    fromline: EXACT,
    lang: EXACT,
    emailwrapper: EXACT,
    landing_page: EXACT,
    mergefile: EXACT,
    submitter: EXACT,
    queued_by: EXACT,
    scheduled_by: EXACT,
    hidden: EXACT,
    web_viewable: EXACT,
    created_at: SINCE,
    updated_at: SINCE,
    scheduled_for: [...SINCE, 'isnull'],
    queued_at: [...SINCE, 'isnull'],
    started_at: [...SINCE, 'isnull'],
    finished_at: [...SINCE, 'isnull'],
  },
  ordering: ['status', 'created_at', 'updated_at', 'scheduled_for', 'queued_at', 'started_at', 'finished_at'],
});
