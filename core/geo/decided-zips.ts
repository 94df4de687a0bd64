/** SQL: each zip that lies in one place of the kind $1, and that place. One that lies in several decides none. */
export const DECIDED = 'select zip, min(place) as place from geo_zipplace where kind = $1 group by zip having count(*) = 1';
