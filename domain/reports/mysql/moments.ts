import type { Node } from 'libpg-query';
import * as t from './nodes.ts';

// Days and times of the day beside texts. PostgreSQL would read a text as whatever stands beside it: of a day it would lose the time, and a time of the day is a text here, of
// which '9:30' comes after '10:00:00'. MySQL reads it as the moment it is.

const DAYS = new Set('date curdate last_day makedate from_days'.split(' '));
const CLOCKS = new Set('time curtime sec_to_time'.split(' '));
const PICKERS = new Set('min max any_value'.split(' '));

/** Whether it is the call of one of these functions, or the least, the most or any of its answers. */
function isCallOf(node: Node, names: ReadonlySet<string>): boolean {
  if ('CollateClause' in node) return isCallOf(node.CollateClause.arg!, names);
  if (!('FuncCall' in node)) return false;
  const { funcname, args = [] } = node.FuncCall;
  const name = t.nameOf(funcname) ?? [];
  return name[0] === 'mysql' ? names.has(name[1]!) : PICKERS.has(name[0] ?? '') && args.length === 1 && isCallOf(args[0]!, names);
}

/** What one is compared with, as what MySQL takes it for. @param no refuses what is no time */
export function besideMoment(other: Node, moment: Node, no: (what: string) => never): Node {
  const written = t.textOf(other);
  if (isCallOf(moment, CLOCKS)) {
    if (t.isNumberConstant(other) || (written !== null && !/\d:\d\d/.test(written)))
      no("a time of the day is compared with a text such as '09:30:00' alone");
    return written !== null || 'ParamRef' in other ? t.ours('time', other) : other;
  }
  return written !== null && /\d[ T]\d+:\d/.test(written) && isCallOf(moment, DAYS) ? t.ours('datetime', other) : other;
}
