import { INPUT_FIELDS, LONGEST_NOTE } from '../../core/mailings/input/fields.ts';
import { LONGEST_LINE } from '../../core/mailings/input/fromline.ts';
import { READ_ONLY } from '../../core/mailings/input/mailing-input.ts';
import { checkShape, type ShapeContext, TARGETING_FIELDS } from '../../core/mailings/input/targeting.ts';
import { InputError } from '../../domain/errors.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import type { TargetingField } from '../../domain/targeting/fields.ts';
import { readInteger } from '../../domain/values.ts';
import { SORT_ORDERS } from '../../domain/words.ts';
import type { ApiContext } from '../deps.ts';
import { booleanTaken, orNull, takes } from '../validation/takes.ts';
import { TARGETING_SCHEMA } from './targeting-schema.ts';

// What POST and PATCH of a mailing take. Of each field the shape is read here; what it refers to is looked up when it is written.

const text = (description: string, maxLength?: number) => ({
  'x-takes': 'string',
  type: ['string', 'null'],
  ...(maxLength && { maxLength }),
  description,
});
const flag = (description: string) => booleanTaken(description);
const texts = (description: string) => ({ 'x-takes': 'strings', type: 'array', items: { type: 'string' }, description });
const uri = (description: string) => ({
  'x-takes': 'reference',
  anyOf: [{ type: 'string', format: 'uri-reference' }, { type: 'integer' }, { type: 'null' }],
  description,
});
const uriOnly = (description: string) => ({ 'x-takes': 'reference', type: ['string', 'null'], format: 'uri-reference', description });
const uris = (description: string) => ({
  'x-takes': 'references',
  type: 'array',
  items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  description,
});

/** Each field of one side as taken: members by name, id or URI; null or an empty list takes the field away. */
const targeting = (side: Side, description: string, context: ShapeContext) => ({
  type: 'object',
  description,
  properties: Object.fromEntries(
    TARGETING_FIELDS.map((name) => {
      const read = (value: unknown) => inSide(side, name, () => checkShape(name, value, context));
      return [name, takes(kindOf(name), takenShape(name), read)];
    }),
  ),
  additionalProperties: false,
  'x-says': { type: `${side} must be an object.`, additionalProperties: `${side} has no field {field}.` },
});

/** What is wrong with a field of a side stands under the field. */
function inSide(side: Side, name: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    throw error instanceof InputError ? error : new InputError({ [name]: `${side}: ${(error as Error).message}.` });
  }
}

function takenShape(name: TargetingField): object {
  const shown = TARGETING_SCHEMA.properties[name];
  if (shown.type === 'boolean') return { anyOf: [...booleanTaken().anyOf, { type: 'null' }], description: shown.description };
  if (shown.type !== 'array') return { ...shown, type: [shown.type, 'null'] };
  const items = name === 'query_reports' ? (shown as { items: object }).items : {};
  return { type: ['array', 'null'], items, description: shown.description };
}

const kindOf = (name: TargetingField): string =>
  ({ boolean: 'boolean', number: 'number' })[TARGETING_SCHEMA.properties[name].type as string] ?? 'members';

const PROPERTIES = {
  subjects: texts('Assigned to the recipients evenly.'),
  preview_text: texts('One for each subject; the last stands for those missing.'),
  html: text('Template of the HTML version.'),
  text: text('Template of the text version; made from the HTML where empty.'),
  fromline: {
    'x-takes': 'reference',
    anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'object', properties: { from_line: { type: 'string' } } }, { type: 'null' }],
    description: 'URI of a from line, an object {from_line} to find or create, or the line itself: "Name" <name@example.org>.',
  },
  custom_fromline: text('A from line stored with this mailing alone.', LONGEST_LINE),
  reply_to: text('Reply-To address.', LONGEST_LINE),
  emailwrapper: uri('An email wrapper.'),
  lang: uri('A language.'),
  landing_page: uri('A page.'),
  fields: { 'x-takes': 'pairs', description: 'Custom fields: {name, value} or {key, value} in a list, pairs in a list, or one object.' },
  notes: text('Notes.', LONGEST_NOTE),
  tags: texts('Names of tags, found or created; URIs and ids are taken too.'),
  web_viewable: flag('Whether it can be read on the web.'),
  track_opens: flag('false leaves the open pixel out of this mailing.'),
  track_clicks: flag('false leaves the links of this mailing as they are.'),
  limit: { 'x-takes': 'integer', type: ['integer', 'null'], minimum: 1, description: 'Most users mailed.' },
  sort_by: { 'x-takes': 'string', enum: [...SORT_ORDERS, null], description: 'In which order.' },
  mails_per_second: {
    'x-takes': 'number',
    type: ['number', 'null'],
    exclusiveMinimum: 0,
    description: 'May be fractional. Frozen when sending begins.',
  },
  target_group_from_landing_page: flag('Only people whom a target of the landing page stands for.'),
  target_mergefile: flag('Only people with a row in the mergefile.'),
  mergefile: uri('A merge file, whose rows templates may show.'),
  rebuild_query_at_send: flag('Build the set of users anew right before sending.'),
  reviewers: uris('Users who get proofs, as URIs.'),
  proof_users: uris('Users whom proofs are made for: URIs, ids or emails.'),
  requested_proofs: { 'x-takes': 'integer', type: 'integer', minimum: 0, maximum: 100, description: 'Proofs sent per request.' },
  submitter: uriOnly('An admin user, as a URI.'),
  scheduled_by: uriOnly('An admin user, as a URI.'),
  scheduled_for: {
    'x-takes': 'datetime',
    type: ['string', 'null'],
    description: 'UTC; sending begins then, once the mailing has been queued.',
  },
};

const GUARD = takes(
  'integer',
  { type: 'integer', description: 'When it is not the stored one, the answer is 409 and nothing changes.' },
  orNull(readInteger),
);

/** @param complete on create */
export function mailingBody(context: ApiContext, complete: boolean): object {
  const fields = Object.entries(PROPERTIES).map(([name, schema]) => {
    const { shape } = INPUT_FIELDS[name]!;
    return [name, takes(schema['x-takes'], schema, (value) => shape(value, context))];
  });
  return {
    type: 'object',
    ...(complete ? { required: ['subjects'] } : { minProperties: 1 }),
    properties: {
      ...Object.fromEntries(fields),
      includes: targeting('includes', 'Whom the mailing is for: everyone who matches every field.', context),
      excludes: targeting('excludes', 'Whom it is not for: everyone who matches any field.', context),
      targeting_version: GUARD,
    },
    additionalProperties: false,
    // What was read may be sent back whole.
    'x-ignores': [...READ_ONLY],
    'x-says': { additionalProperties: 'This is not a field of a mailing.', minProperties: 'At least one field is required.' },
  };
}
