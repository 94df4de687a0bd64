import type { InputError } from '../domain/errors.ts';
import { SET_REFUSALS } from '../domain/mailing-status.ts';

/** What the API says of the saved set of users: here it is the audience, which is built, and nobody has heard of `rebuild_query_at_send`. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  [SET_REFUSALS.beingRebuilt, 'The audience is being built just now: wait until it is.'],
  [SET_REFUSALS.none, 'The audience is not built yet: build it, or have that done right before sending, under “Time and speed”.'],
  [
    SET_REFUSALS.changed,
    'The audience was changed after it was built: build it anew, or have that done right before sending, under “Time and speed”.',
  ],
  [SET_REFUSALS.empty, 'Nobody is in the audience.'],
  [SET_REFUSALS.notCurrent, 'The audience is not built as it is chosen now: build it first.'],
]);

/** All that is wrong, in words of the console. */
export const messagesIn = ({ fields }: InputError): string[] =>
  Object.values(fields)
    .flat()
    .map((message) => PLAIN.get(message) ?? message);
