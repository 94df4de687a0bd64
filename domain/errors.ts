// What can be wrong with a request, said without HTTP: api/errors.ts alone knows the status and the body of each.

/** Input that cannot be used: messages by field name as the caller spelled it. */
export class InputError extends Error {
  readonly fields: Record<string, string[]>;
  constructor(fields: Record<string, string | string[]>) {
    const lists = Object.fromEntries(Object.entries(fields).map(([name, messages]) => [name, [messages].flat()]));
    super(
      Object.entries(lists)
        .map(([name, messages]) => `${name}: ${messages.join(' ')}`)
        .join('; '),
    );
    this.fields = lists;
  }
}

/** What is to be deleted is named by something that may not go with it. */
export class StillNamedError extends InputError {
  /** @param resource what names it */
  constructor(resource: string) {
    super({ id: `It cannot be deleted: there is at least one ${resource} that refers to it.` });
  }
}

/** Input of a push that cannot be used. `body` is the whole answer: messages by field, or by input object and then by field. */
export class PushError extends Error {
  readonly body: Record<string, string | string[] | Record<string, string[]>>;
  constructor(body: PushError['body']) {
    super(Object.keys(body).join(', '));
    this.body = body;
  }
}

/** A list that does not exist, which the mailer API answers with a single string instead of messages by field. */
export class UnknownListError extends Error {}

export class NotFoundError extends Error {}

/** A unique key that is taken: by which object, as a path relative to the base URL (`/rest/v1/user/5/`). */
export class ConflictError extends Error {
  readonly field: string;
  readonly holder: string | null;
  constructor(field: string, value: string, holder: string | null) {
    super(`Conflict on unique key '${field}' for value '${value}'`);
    this.field = field;
    this.holder = holder;
  }
}

/** `targeting_version` of a PATCH is not the stored one. */
export class StaleVersionError extends Error {}

export class PermissionError extends Error {}

/** A file or folder that is not what it should be: said to whoever called the command that reads it. */
export class FileError extends Error {}

/** The database or the workflow service cannot be reached; nothing was changed. */
export class UnavailableError extends Error {}

/** A parameter of the address or the body as a whole cannot be used: answered under `errors` on every route. */
export class RequestError extends InputError {}

/** A submission on a page that is not there: the one error that stands at the top of its body. */
export class UnknownPageError extends Error {}

/** What the CRM sync cannot do: one text under `crmmap`. With `holder`, the relative URI of the mapping that is there already. */
export class CrmMapError extends Error {
  readonly holder: string | null;
  constructor(message: string, holder: string | null = null) {
    super(message);
    this.holder = holder;
  }
}

/** No or wrong credentials. */
export class CredentialsError extends Error {}

/** Too much of something from one caller: logins that failed, requests. */
export class ThrottledError extends Error {
  readonly field: string;
  /** Until it may be tried again. */
  readonly seconds: number;
  constructor(field: string, message: string, seconds: number) {
    super(message);
    this.field = field;
    this.seconds = seconds;
  }
}
/** A service did not answer in time, and whether it did what it was asked nobody could find out. */
export class UncertainError extends UnavailableError {}
