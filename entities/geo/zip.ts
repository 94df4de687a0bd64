import { defineEntity, p } from '@mikro-orm/core';

/** A place a zip lies in (a district, a county), loaded by `npm run geo:load`. A zip that touches several has a row for each. */
export const ZipPlace = defineEntity({
  name: 'ZipPlace',
  tableName: 'geo_zipplace',
  properties: {
    zip: p.text().primary(),
    /** See GEO_KINDS: which column of a location it decides. */
    kind: p.text().primary(),
    place: p.text().primary(),
  },
});
