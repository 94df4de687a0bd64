// JSON schemas of the answers that many routes share, for the OpenAPI document.

const messages = { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } };

/** Of the answer to what cannot be used. */
const ERRORS = { description: 'Sentences for people, by what they are about: a field, or one of the keys of /docs/errors/.', ...messages };

const underErrors = (description: string, errors: object) => ({
  description,
  content: { 'application/json': { schema: { type: 'object', required: ['errors'], properties: { errors } } } },
});

/** Error body under `errors`: messages by field. */
export const errorsBody = (description: string) => underErrors(description, ERRORS);

/** The same where one text may stand in place of the messages. It has no type: several generators of clients make code of a choice of the two that does not compile. */
export const errorsOrText = (description: string) =>
  underErrors(description, { description: `${ERRORS.description} Where a list is named that does not exist, one text.` });

/** 400 of a plain resource: messages by field under the resource's name, or under `errors` for what is wrong with the request itself. */
export const validationBody = (resource: string) => ({
  description: 'Input that cannot be used.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          [resource]: { description: 'Sentences for people, by field.', ...messages },
          errors: { description: 'Sentences about the request as such, by what they are about.', ...messages },
        },
        additionalProperties: false,
      },
    },
  },
});

/** What an open route answers once OPEN_RATE_LIMIT_PER_MINUTE or the bound on wrong akids is passed. */
export const TOO_MANY = {
  429: errorsBody('Too many requests, or wrong akids, from this address; Retry-After says how long to wait.'),
} as const;

export const empty = (description: string) => ({ description, type: 'null' });

export const withLocation = (description: string) => ({
  description,
  type: 'null',
  headers: { Location: { type: 'string', description: 'URL of the object.' } },
});

/** What any route that writes may answer. */
export const UNAVAILABLE = {
  503: errorsBody(
    'The database or the workflow service is away, or a disk is full; the text says whether nothing was changed or it may have been.',
  ),
} as const;

/** What any route with credentials may answer. */
export const COMMON = {
  401: { description: 'No or wrong credentials.', type: 'null', headers: { 'WWW-Authenticate': { type: 'string' } } },
  403: errorsBody('A grant is missing.'),
  ...UNAVAILABLE,
} as const;
