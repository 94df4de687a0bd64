/** What an answer says, what it means, what to do about it. */
export interface ErrorEntry {
  /** The key its words stand under, or what else it is told by. Here and below code is between backticks. */
  key: string;
  means: string;
  todo: string;
}

/** All answers of one status. */
export interface ErrorGroup {
  status: number;
  name: string;
  /** Of the status as such. */
  about: string;
  entries: readonly ErrorEntry[];
}

const FIELD: ErrorEntry = {
  key: '`<field>`',
  means:
    'The value of this field cannot be used. Plain resources say it under their own name, `{"user": {"email": […]}}`, mailer and actions under `errors`, pushes under the object the field is in.',
  todo: 'Read the sentence; `…/schema/` and the API reference say what the field takes.',
};

/** Every error the API answers with, by status; the page of errors and docs/errors.md are made of it. */
export const ERROR_GUIDE: readonly ErrorGroup[] = [
  {
    status: 400,
    name: 'Bad request',
    about: 'Something that was sent cannot be used. Nothing was changed.',
    entries: [
      FIELD,
      {
        key: '`body`',
        means: 'The body as a whole: not JSON, not UTF-8, too deep, too many values, a field too much.',
        todo: 'Mend what the sentence names.',
      },
      {
        key: '`<field>:<code>`',
        means: 'A donation push could not be carried out: `amount:invalid`.',
        todo: 'Send amounts as text: `"10.00"`.',
      },
      {
        key: '`<filter>`, `order_by`, `_limit`, `_offset`',
        means: 'A parameter of a collection is not offered or cannot be read.',
        todo: '`…/schema/` lists filters, operators and orderings.',
      },
      {
        key: '`page`',
        means: 'There is no page of this name, or it takes no actions.',
        todo: 'Look at the name, its status and whether it is hidden.',
      },
      {
        key: '`akid`',
        means: 'It is not one of ours, and no address came with it.',
        todo: 'Send `email` too: links are mangled on their way.',
      },
      { key: '`mailing_id`', means: 'There is no such mailing.', todo: 'Leave it out, or send the id of the mailing the link stood in.' },
      {
        key: '`errors` is a text',
        means: 'A list that does not exist was named in the targeting.',
        todo: 'Create the list, or name another by name, id or URI.',
      },
      { key: '`crmmap`', means: 'The sync is off, or cannot do this to this mapping.', todo: 'Set `CRM_KIND`; see the words.' },
      { key: '`order_id`', means: 'The order is reversed already.', todo: 'Nothing: it is as was asked.' },
      { key: '`Idempotency-Key`', means: 'The key came with another body before.', todo: 'Use a key for one request only.' },
      {
        key: '`query`, `sql`, `report`',
        means: 'The statement cannot be read, asks for too much, or refers to what reports cannot see.',
        todo: 'The sentence names the place.',
      },
      { key: '`<placeholder>`', means: 'A parameter of the report was not given.', todo: 'Send it beside the others.' },
      {
        key: '`status`',
        means: 'The mailing cannot do this as it stands.',
        todo: 'Ask `status`; a stopped or died one is queued again to go on.',
      },
      { key: '`callback`', means: 'JSONP is not offered.', todo: 'Ask without `callback`; browsers get what `CORS_ORIGINS` allows.' },
      { key: '`x-http-method-override`', means: 'A POST can be a PUT, PATCH or DELETE only.', todo: 'Send one of these.' },
      { key: '`id`', means: 'What was to be deleted is referred to.', todo: 'Delete or change what refers to it first.' },
      { key: '`path`, `request`', means: 'The address cannot be decoded, or what came is not HTTP.', todo: 'Encode the address.' },
    ],
  },
  {
    status: 401,
    name: 'Unauthorized',
    about:
      'No credentials, or wrong ones, or the account is not active. No body, but with `API_ERROR_BODIES=full` (under `authentication`).',
    entries: [{ key: '`WWW-Authenticate`', means: 'HTTP Basic is asked for.', todo: 'Send user name and password of an active account.' }],
  },
  {
    status: 403,
    name: 'Forbidden',
    about: 'The account is known and may not do this.',
    entries: [
      {
        key: '`permission`',
        means: 'The grant that is missing.',
        todo: 'Have it added to a group of the account; filters through relations need that of the other resource, too.',
      },
    ],
  },
  {
    status: 404,
    name: 'Not found',
    about: 'No such object, or no such address. No body, but with `API_ERROR_BODIES=full` (under `path`).',
    entries: [{ key: 'no body', means: 'It was never there, or was deleted or merged.', todo: '`GET /rest/v1/` lists the resources.' }],
  },
  {
    status: 405,
    name: 'Method not allowed',
    about: 'The address is there and does not do this. No body, but with `API_ERROR_BODIES=full` (under `method`).',
    entries: [{ key: '`Allow`', means: 'What it does.', todo: 'Use one of these methods.' }],
  },
  {
    status: 408,
    name: 'Request timeout',
    about: 'The request did not arrive in time; the connection ends.',
    entries: [{ key: '`request`', means: '`REQUEST_TIMEOUT_SECONDS` were over, or a minute for the headers.', todo: 'Send it anew.' }],
  },
  {
    status: 409,
    name: 'Conflict',
    about: 'It would contradict what is there. Nothing was changed.',
    entries: [
      { key: '`<unique key>`', means: 'Another object has it; `Location` leads there.', todo: 'Change that one, or take another value.' },
      { key: '`donation_import_id`', means: 'This donation was pushed before; `Location` is its order.', todo: 'Nothing: it is there.' },
      {
        key: '`targeting_version`',
        means: 'Somebody changed the targeting since you read it.',
        todo: 'Read the mailing, look, send again with its version.',
      },
    ],
  },
  {
    status: 413,
    name: 'Content too large',
    about: 'The body is longer than is taken here.',
    entries: [
      {
        key: '`body`',
        means:
          '`API_BODY_LIMIT`, `UPLOAD_LIMIT`, `MERGEFILE_LIMIT`, 1 MB for forms, 256 KB where anybody may send (actions, whip counts), with credentials, too, 16 KB at the login and to unsubscribe.',
        todo: 'Send less, or in parts.',
      },
    ],
  },
  {
    status: 415,
    name: 'Unsupported media type',
    about: 'The content type is not taken here.',
    entries: [
      {
        key: '`body`',
        means: 'The sentence names those that are. A form, and a page of another site, may send JSON alone.',
        todo: 'Send `Content-Type: application/json`.',
      },
    ],
  },
  {
    status: 429,
    name: 'Too many requests',
    about: 'Wait for `Retry-After` seconds.',
    entries: [
      {
        key: '`rate`',
        means: '`RATE_LIMIT_PER_MINUTE`, or without credentials `OPEN_RATE_LIMIT_PER_MINUTE`, was reached by this address.',
        todo: 'Send with credentials where you send for many people.',
      },
      { key: '`authorization`', means: 'Too many wrong passwords.', todo: 'Mend the password first.' },
      { key: '`akid`', means: 'Too many akids from this address that are not valid.', todo: 'Wait a minute.' },
    ],
  },
  {
    status: 431,
    name: 'Request header fields too large',
    about: 'The address and the headers have more than 16 KB.',
    entries: [{ key: '`headers`', means: 'Mostly a filter with a long list of ids.', todo: 'Ask in parts.' }],
  },
  {
    status: 500,
    name: 'Internal server error',
    about: 'A defect of ours. It has been logged.',
    entries: [{ key: '`service`', means: 'Nobody foresaw it.', todo: 'Report it with the time and the request.' }],
  },
  {
    status: 503,
    name: 'Service unavailable',
    about: 'A part is away or full; wait for `Retry-After` seconds.',
    entries: [
      {
        key: '`service`',
        means:
          'Database or workflow service away, no connection to the database left or free, a time limit that ran out there, a disk that is full or takes nothing, no file or connection left that the server may open, all places for reports taken. The sentence says whether nothing was changed, or whether the change may have been made.',
        todo: 'Send it again, a POST with the same `Idempotency-Key`. Where it may have been made and had none, look first.',
      },
    ],
  },
];
