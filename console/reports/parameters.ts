import type { Parameters } from '../../domain/reports/placeholders.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import { LONGEST, parametersOf } from '../../domain/reports/written.ts';
import type { Problems, Sent } from '../fields.ts';
import { area, textOf } from '../fields.ts';
import type { Html } from '../html.ts';

/** The fields of parameters have names of their own, so that none is taken for one of the form's. */
const fieldOf = (name: string): string => `p.${name}`;

/** More than so many have no fields: nobody fills in thousands. */
const MOST_FIELDS = 200;

/** The parameters of a statement; of one that cannot be read, or has too many, none: running it tells why. */
export function namesIn(statement: WrittenStatement): string[] {
  if (statement.sql.length > LONGEST) return [];
  try {
    const names = parametersOf(statement);
    return names.length > MOST_FIELDS ? [] : names;
  } catch (error) {
    if (error instanceof StatementError) return [];
    throw error;
  }
}

/** The values a form has for them; several lines are a list. Those it does not have at all are left out. */
export function valuesIn(sent: Sent, names: string[]): Parameters {
  return Object.fromEntries(
    names
      .filter((name) => typeof sent[fieldOf(name)] === 'string')
      .map((name) => {
        const lines = textOf(sent, fieldOf(name)).replaceAll('\0', '').split('\n');
        const filled = lines.filter((line) => line.trim() !== '');
        return [name, filled.length > 1 ? filled : (filled[0] ?? '')];
      }),
  );
}

/** A field for each parameter, with what was typed. */
export const parameterFields = (names: string[], sent: Sent, problems: Problems): Html[] =>
  names.map((name) =>
    area(
      { name: fieldOf(name), field: name, label: name, value: textOf(sent, fieldOf(name)), rows: 1, hint: 'Several lines are a list.' },
      problems,
    ),
  );
