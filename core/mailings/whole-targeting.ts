import { InputError } from '../../domain/errors.ts';
import { danglingModifiers, type TargetingState } from '../../domain/targeting/change.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import { MODIFIES, type Targeting } from '../../domain/targeting/fields.ts';
import { isSomewhere } from '../geo/zips-around.ts';
import { several } from './input/context.ts';

/**
 * What no field can tell alone: a radius without its places, a place without a centre to measure from, a narrowing by a page or file that is not there.
 * @param values landing_page and mergefile as they will be
 * @throws InputError
 */
export function checkWhole(
  targeting: Pick<TargetingState, Side | 'target_group_from_landing_page' | 'target_mergefile'>,
  values: Record<string, unknown>,
): void {
  const errors = wrongSides(targeting);
  if (targeting.target_group_from_landing_page && !values['landing_page']) {
    errors['target_group_from_landing_page'] = 'target_group_from_landing_page needs a landing_page.';
  }
  if (targeting.target_mergefile && !values['mergefile']) errors['target_mergefile'] = 'target_mergefile needs a mergefile.';
  if (Object.keys(errors).length) throw new InputError(errors);
}

/** What no field of a side can tell alone, by the field. */
function wrongSides(targeting: Record<Side, Targeting>): Record<string, string | string[]> {
  const errors: Record<string, string[]> = {};
  const wrong = (field: string, message: string) => {
    errors[field] = [...(errors[field] ?? []), message];
  };
  for (const side of ['includes', 'excludes'] as const) {
    for (const modifier of danglingModifiers(targeting[side])) {
      wrong(modifier, `${side}: ${modifier} says nothing without ${MODIFIES[modifier]}.`);
    }
    const nowhere = placesNowhere(targeting[side]);
    if (nowhere.length) wrong('zip_radius', `${side}: zip_radius cannot be measured from ${several(nowhere)}.`);
  }
  return errors;
}

const placesNowhere = ({ zips = [], zip_radius }: Targeting): string[] =>
  zip_radius === undefined ? [] : zips.filter((place) => !isSomewhere(place));
