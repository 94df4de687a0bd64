import { isUnitedStates } from '../../domain/people/address.ts';
import { centroidOf, stateCode } from '../geo/zip-centroids.ts';

/** What tells the state an event is in. */
interface Stated {
  /** Five digits; empty where there is none in the United States. */
  zip: string;
  country: unknown;
  state: unknown;
}

/** The state of an event as that of a person is kept, by which mailings hold one against the other: two letters in the United States, and the zip's where nobody has said one. */
export function stateOf({ zip, country, state }: Stated): string {
  const said = typeof state === 'string' ? state.trim() : '';
  if (!isUnitedStates({ country: typeof country === 'string' ? country : '', zip })) return said;
  if (said === '') return centroidOf(zip)?.state ?? '';
  return /^[a-z]{2}$/i.test(said) ? said.toUpperCase() : (stateCode(said) ?? said);
}

/** The same after a change: a state that was no more than that of the zip goes where the zip goes, and what is sent back as it was read says nothing. */
export function stateAfter(before: Stated, { state, ...place }: Stated): string {
  const moved = place.zip !== before.zip;
  const said = state !== undefined && !(moved && state === before.state);
  const kept = moved && before.state === stateOf({ ...before, state: '' }) ? '' : before.state;
  return stateOf({ ...place, state: said ? state : kept });
}
