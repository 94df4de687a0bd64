// Statements in MySQL's dialect with parameters, over the same data: with the rows MySQL gives where their values stand in their places.

import type { Answer } from './mysql-statements.ts';

export const WITH_PARAMETERS: Answer[] = [
  [
    "select id from core_action where created_at between '{{ from }} 00:00:00' and '{{ to }} 23:59:59' order by id",
    [[2], [3], [4]],
    { from: '2026-03-02', to: '2026-04-10' },
  ],
  ["select 'B' between lower('{{ x }}') and upper('c'), 'b' not between concat({{ x }}) and 'c'", [[1, 0]], { x: 'A' }],
];
