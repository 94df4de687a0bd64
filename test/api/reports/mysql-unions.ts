import type { Answer } from './mysql-statements.ts';

/** A word among numbers or days, as lists of figures have one for their total, makes texts of the whole column. */
export const UNION_ANSWERS: Answer[] = [
  ["select id from core_page where id < 3 union all select 'total'", [['1'], ['2'], ['total']]],
  ["select '' as x union all select id from core_page where id = 1", [[''], ['1']]],
  [
    "select date(created_at) as day, count(*) from core_action group by day having count(*) > 1 union all select 'total', count(*) from core_action",
    [
      ['2026-03-02', 2],
      ['2026-05-31', 2],
      ['total', 7],
    ],
  ],
  [
    "select created_at, created_user from core_action where id = 1 union select 'all', '-'",
    [
      ['2026-03-01 08:00:00', '1'],
      ['all', '-'],
    ],
  ],
  [
    "select 'page', 'rate' union all select id, id / 3 from core_page where id = 1 union all select null, total from core_order where id = 1",
    [
      ['page', 'rate'],
      ['1', '0.3333'],
      [null, '25.50'],
    ],
  ],
  ["select x from (select id x from core_page union all select 'total') t where x > 2 or x = 'TOTAL' order by x", [['3'], ['total']]],
  ["select count(*) from (select source, id from core_action where id = 1 union select 'WEB', '-' union select 'web', '-') t", [[2]]],
  [
    "select state, count(*) from core_user group by state having state = 'ny' union all select 'Total', count(*) from core_user",
    [
      ['NY', 2],
      ['Total', 4],
    ],
  ],
  // What can be read as the other arm's kind stays that.
  ["select id from core_page where id = 1 union all select '10'", [[1], [10]]],
];
