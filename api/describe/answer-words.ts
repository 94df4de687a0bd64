import { wordsOf } from '../resource/field-words.ts';

type Json = Record<string, unknown>;

/** Of values that stand in answers and bodies of routes written by hand. */
const WHAT: Record<string, string> = {
  errors: 'What went wrong, a sentence each.',
  error: 'What went wrong; null where nothing did.',
  reason: 'Why, in words.',
  until: 'When it goes on, in UTC.',
  pause: 'Why nothing happens just now.',
  totals: 'Of all subjects together.',
  subjects: 'The same by subject.',
  subject: 'Subject of the mail.',
  subject_id: 'Id of the subject.',
  preview_text: 'What mail programs show beside the subject.',
  failed: 'Mails the relay refused for good.',
  skipped: 'People who were passed over.',
  uncertain: 'Mails of which nobody can know whether they arrived.',
  opens: 'People who opened it.',
  raw_opens: 'People who opened it, machines among them.',
  total_opens: 'Times it was opened.',
  total_raw_opens: 'Times it was opened, by machines too.',
  clicks: 'People who clicked.',
  raw_clicks: 'People who clicked, machines among them.',
  total_clicks: 'Clicks.',
  total_raw_clicks: 'Clicks, those of machines among them.',
  actions: 'Actions that came of it.',
  new_users: 'People who are new by it.',
  unsubscribes: 'People who unsubscribed.',
  orders: 'Donations that came of it.',
  bounces: 'Hard bounces.',
  bounces_all: 'Bounces, hard and soft.',
  complaints: 'Complaints.',
  includes: 'Whom it is for.',
  excludes: 'Whom it is not for.',
  progress: 'How far it is.',
  token: 'The token.',
  user: 'URI of the user.',
  districts: 'Congressional districts the person may live in.',
  states: 'States the person may live in.',
  format: 'How rows are answered: json, csv or tsv.',
  file: 'The file, CSV in UTF-8; its first line names the columns.',
  crmmap: 'Why it cannot be done.',
  params: 'Values of its parameters, by name.',
  side: 'includes or excludes.',
  field: 'Name of the targeting field.',
  action_id: 'Id of the action.',
  redirect_url: 'Where to lead the person next.',
  orderdetails: 'Candidates and what each is given.',
  referring_akid: 'Of the person whose link led here.',
  mailing_id: 'Id of the mailing.',
  canceled_by: 'Who ended the profile.',
  recurring_period: 'How often it is charged.',
  skip_confirmation: 'Whether the person is sent no confirmation.',
  // In paths and queries.
  ids: 'Ids with semicolons between.',
  job: 'Id of the job, from its Location.',
  _offset: 'Objects to skip.',
  _limit: 'Objects on the page.',
  objects: 'The objects.',
};

/** What can stand in a path, so that samples made of the document can be sent. */
const IN_PATHS: Record<string, unknown> = { id: 1, job: 1, ids: '1;2', name: 'join', short_name: 'people_in' };

/** Says of every value of a schema that says nothing of itself what it is, as its name tells. Changes the schema. */
export function describeValues(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties = {}, items, anyOf = [] } = schema as { properties?: Record<string, Json>; items?: unknown; anyOf?: unknown[] };
  for (const [name, value] of Object.entries(properties)) {
    const words = value['description'] ?? WHAT[name] ?? wordsOf(name);
    if (words) value['description'] = words;
    describeValues(value);
  }
  describeValues(items);
  for (const each of anyOf) describeValues(each);
}

/** The same for the parameters of an operation, with something that can be sent where one has to be. */
export function describeParameters(parameters: readonly Json[]): void {
  for (const parameter of parameters) {
    const name = parameter['name'] as string;
    parameter['description'] ??= WHAT[name] ?? wordsOf(name);
    const own = 'example' in parameter || 'examples' in parameter;
    if (parameter['in'] === 'path' && name in IN_PATHS && !own) parameter['example'] = IN_PATHS[name];
  }
}
