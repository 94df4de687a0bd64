// Statements in MySQL's dialect with parameters, over the same data: with the rows MySQL gives where their values stand in their places.

import type { Answer } from './mysql-statements.ts';

export const WITH_PARAMETERS: Answer[] = [
  [
    "select id from core_action where created_at between '{{ from }} 00:00:00' and '{{ to }} 23:59:59' order by id",
    [[2], [3], [4]],
    { from: '2026-03-02', to: '2026-04-10' },
  ],
  ["select 'B' between lower('{{ x }}') and upper('c'), 'b' not between concat({{ x }}) and 'c'", [[1, 0]], { x: 'A' }],
  // A number beside texts, in quotes a text.
  ["select parent_id from core_actionfield where name = 'age' and value > {{ n }} order by 1", [[1], [3]], { n: 30 }],
  ["select parent_id from core_actionfield where name = 'age' and value > '{{ n }}' order by 1", [[1], [2], [4]], { n: 30 }],
  ["select parent_id from core_actionfield where name = 'age' and value between {{ n }} and 40 order by 1", [[1], [2]], { n: 9 }],
  ["select count(*) from core_user where {{ n }} = '' or id > {{ n }}", [[2]], { n: 2.5 }],
];
