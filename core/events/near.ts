import { centreOf } from '../geo/zips-around.ts';

const EARTH_MILES = 3958.8;

/**
 * A condition over the row `t` of an event: that it takes place within some miles of the centre of a place. An event without a place is near nothing.
 * @param place as core/geo/read-place.ts gives it
 * @throws Error when nobody knows where the place is
 */
export function nearSql(place: string, miles: number): string {
  const centre = centreOf(place);
  if (centre === null) throw new Error('is no place on the map');
  const { x, y, z } = centre;
  const reach = 2 * Math.sin(Math.min(miles / (2 * EARTH_MILES), Math.PI / 2));
  // Numbers of ours alone.
  const away = (axis: string, to: number) => `(${axis} - (${to}))^2`;
  const [latitude, longitude] = ['radians(t.latitude)', 'radians(t.longitude)'];
  return `${away(`cos(${latitude}) * cos(${longitude})`, x)} + ${away(`cos(${latitude}) * sin(${longitude})`, y)}
    + ${away(`sin(${latitude})`, z)} <= ${reach ** 2}`;
}
