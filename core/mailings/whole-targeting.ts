import { InputError } from '../../domain/errors.ts';
import type { TargetingState } from '../../domain/targeting/change.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import type { Targeting } from '../../domain/targeting/fields.ts';
import { isSomewhere } from '../geo/zips-around.ts';
import { several } from './input/context.ts';

/**
 * What no field can tell alone: a place without a centre to measure from, a narrowing by a page or file that is not there.
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
  const wrong = (['includes', 'excludes'] as const).flatMap((side) => {
    const nowhere = placesNowhere(targeting[side]);
    return nowhere.length ? [`${side}: zip_radius cannot be measured from ${several(nowhere)}.`] : [];
  });
  return wrong.length ? { zip_radius: wrong } : {};
}

const placesNowhere = ({ zips = [], zip_radius }: Targeting): string[] =>
  zip_radius === undefined ? [] : zips.filter((place) => !isSomewhere(place));
