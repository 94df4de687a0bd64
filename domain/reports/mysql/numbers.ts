import type { Node } from 'libpg-query';
import type { Parameters } from '../placeholders.ts';
import * as t from './nodes.ts';

// Parameters that are numbers. A bound value has the type of what it stands beside: beside a text it would be one, and 9 more than 30.

/** What PostgreSQL calls the type of a number, by the place it is bound at: `$1` is 1. */
export type NumberTypes = Map<number, 'int4' | 'int8' | 'numeric'>;

/** Notes a place without quotes around it, whose value is one number. Lists stay as they are: they are ids, and long. @param at the place it was bound at */
export function noteNumber(types: NumberTypes, at: number, name: string, parameters: Parameters): void {
  const value = parameters[name];
  if (typeof value !== 'number') return;
  types.set(at, !Number.isSafeInteger(value) ? 'numeric' : Math.abs(value) < 2 ** 31 ? 'int4' : 'int8');
}

/** A side of a comparison, as the number it is where it is a parameter. */
export function asNumber(node: Node, types: NumberTypes): Node {
  const type = 'ParamRef' in node && types.get(node.ParamRef.number ?? 0);
  if (!type) return node;
  return { TypeCast: { arg: node, typeName: { names: ['pg_catalog', type].map((sval) => ({ String: { sval } })), typemod: -1 } } };
}

export const isNumber = (node: Node): boolean => t.isNumberConstant(node) || 'TypeCast' in node;
