import type { FastifyRequest } from 'fastify';
import type { Account } from '../core/accounts/account.ts';
import type { Join } from './resource/joins.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Plain resource whose name the validation messages stand under. */
    resource?: string;
    /** Grant a caller needs, such as `user:read` or `mailer:send`. Every route has this or `open`. */
    permission?: string;
    /** Another grant it takes: a page that changes something shows it, too. */
    beside?: string;
    /** Filters of a collection that take a further grant. */
    joins?: readonly Join[];
    /** Answers without credentials, and to wrong ones as to none. */
    open?: boolean;
    /** An open route that goes by who calls: credentials that are sent must be right, or their sender would never hear that they are not. */
    byCaller?: boolean;
    /** An open route that answers everybody alike: credentials that are sent are not looked at, which takes the database, and wrong ones are no guess. */
    alike?: boolean;
    /** Not counted by OPEN_RATE_LIMIT_PER_MINUTE: few addresses ask for many people here, or what is answered costs nothing. */
    uncounted?: boolean;
    /** Answers while the database is away, too, to accounts as they were read last: for what tells how things stand, and nothing of anybody. */
    whileAway?: boolean;
    /** A page of the console: its callers are known by a session's cookie, never by an Authorization header. */
    session?: boolean;
    /** A POST that changes nothing, for what does not fit into an address: it stands in no audit log. */
    reads?: boolean;
    /** Takes form-encoded bodies beside JSON. */
    forms?: boolean;
    /** A page whose form has a file: it looks by itself, once the form has arrived, whether the form is ours. */
    fileForm?: boolean;
    /** A page that looks by itself whether its form is ours. */
    ownForm?: boolean;
    /** Takes multipart forms without files, too. */
    multipart?: boolean;
    /** Takes bodies of every type and looks at none. */
    anyBody?: boolean;
  }
  interface FastifyRequest {
    /** Who calls; null on an open route without credentials. */
    account: Account | null;
  }
}

/** The grant every account has. */
export const AUTHENTICATED = 'authenticated';

/** Part of the options of a route that needs a grant: `app.post(url, { ...requires('mailer:send'), schema }, handler)`. */
export function requires(permission: string, more: { resource?: string; forms?: boolean; whileAway?: boolean } = {}) {
  return { config: { permission, ...more } };
}

/** Part of the options of a route that answers without credentials. */
export function open(
  more: { forms?: boolean; multipart?: boolean; anyBody?: boolean; uncounted?: boolean; byCaller?: boolean; alike?: boolean } = {},
) {
  return { config: { open: true, ...more } };
}

/** Whether the caller has a grant; false without credentials. */
export function can(request: FastifyRequest, permission: string): boolean {
  const { account } = request;
  return (
    account !== null && (permission === AUTHENTICATED || account.isSuperuser || account.grants.has('*') || account.grants.has(permission))
  );
}
