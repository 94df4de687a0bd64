import type { Expression, SqlBool } from 'kysely';
import { fragment } from '../../entities/tables.ts';
import { centreOf } from '../geo/zips-around.ts';

const EARTH_MILES = 3958.8;

/**
 * A condition over the row `t` of an event: that it takes place within some miles of the centre of a place. An event without a place is near nothing.
 * @param place as core/geo/read-place.ts gives it
 * @throws Error when nobody knows where the place is
 */
export function isNear(place: string, miles: number): Expression<SqlBool> {
  const centre = centreOf(place);
  if (centre === null) throw new Error('is no place on the map');
  const { x, y, z } = centre;
  const reach = 2 * Math.sin(Math.min(miles / (2 * EARTH_MILES), Math.PI / 2));
  const away = (axis: Expression<unknown>, to: number) => fragment`(${axis} - ${to}::float8)^2`;
  const [latitude, longitude] = [fragment.ref('t.latitude'), fragment.ref('t.longitude')];
  return fragment`${away(fragment`cos(radians(${latitude})) * cos(radians(${longitude}))`, x)}
    + ${away(fragment`cos(radians(${latitude})) * sin(radians(${longitude}))`, y)}
    + ${away(fragment`sin(radians(${latitude}))`, z)} <= ${reach ** 2}::float8`;
}
