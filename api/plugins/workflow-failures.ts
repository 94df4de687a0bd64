import { isGrpcDeadlineError, isGrpcServiceError, NamespaceNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { InputError, NotFoundError, UnavailableError, UncertainError } from '../../domain/errors.ts';

/** Codes of gRPC for a service that is there and will not do it: what was asked, by us, as often as that, in this state, or not by any. */
const REFUSALS = new Set([3, 7, 8, 9, 12, 16]);

/**
 * Why the workflow service will not do what it is asked, in its words: the namespace is gone or lacks our search attributes, our key was taken back, it limits what it is asked. Null for
 * everything else.
 */
export function refusalOf(error: unknown): string | null {
  if (error instanceof NamespaceNotFoundError) return `there is no namespace ${error.namespace}`;
  const cause = causeOf(error);
  return isGrpcServiceError(cause) && REFUSALS.has(cause.code) ? cause.message : null;
}

/** What a failure of Temporal's client means to whoever calls us. */
export function translated(error: unknown): unknown {
  // Its tables of time zones are not ours, and ask for capitals.
  if (/unknown time zone/i.test(String((error as Error).message))) {
    return new InputError({ timezone: 'The workflow service knows no time zone of that name; America/New_York is one.' });
  }
  if (error instanceof WorkflowNotFoundError) return new NotFoundError(error.message);
  if (refusalOf(error) !== null)
    return new UnavailableError('The workflow service refuses what it is asked; nothing was changed.', { cause: error });
  const cause = causeOf(error);
  const away = isGrpcDeadlineError(cause) || isGrpcServiceError(cause) || /connect/i.test(String((error as Error).message));
  if (!away) return error;
  // Only what never left us has certainly changed nothing.
  const unsent = NEVER_SENT.test(String((cause as { details?: unknown }).details ?? (cause as Error).message));
  if (unsent) return new UnavailableError('The workflow service cannot be reached; nothing was changed.');
  return new UncertainError('The workflow service did not answer in time; what was asked for may have been started.');
}

/** The client wraps what gRPC says. */
const causeOf = (error: unknown): unknown => (error as { cause?: unknown }).cause ?? error;

/** As the client's transport says that it had no connection to send anything over. */
const NEVER_SENT = /no connection established|ECONNREFUSED|ENOTFOUND|name resolution failed|waiting for LB pick|failed to connect/i;
