import type { Answer } from './mysql-statements.ts';

/** A join may do without a condition, whichever word it is written with, and one that is written CROSS may have one. */
export const JOIN_ANSWERS: Answer[] = [
  ['select count(*) from core_page p join core_page q', [[9]]],
  ['select count(*) from core_page p inner join core_page q where p.id < q.id', [[3]]],
  ['select count(*) from core_page p straight_join core_page q', [[9]]],
  ['select count(*) from core_page p cross join core_page q on p.id = q.id', [[3]]],
  ['select count(*) from core_page p cross join core_page q using (id) join core_page r', [[9]]],
  ['select count(*) from core_page p join core_page q join core_page r on r.id = p.id and q.id = r.id', [[3]]],
  ['select count(*) from core_page p join core_page q join core_page r on r.id = q.id on q.id = p.id', [[3]]],
  ['select count(*) from core_page p join core_page q left join core_page r on r.id = q.id and r.id = 1', [[9]]],
  ['select count(*) from core_page p left join core_page q on q.id = 1 join core_page r, core_page s', [[27]]],
  ['select count(*) from core_page r natural left join core_page s join core_page t', [[9]]],
  ['select (select count(*) from core_page p join core_page q) n from core_page r join core_page s limit 1', [[9]]],
  ['select count(*) from (core_page p join core_page q) join core_page r on r.id = p.id', [[9]]],
  ['select count(*) from core_page p join (select id from core_page union select id from core_user) q', [[12]]],
];
