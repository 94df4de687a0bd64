import { InputError, PermissionError } from '../../domain/errors.ts';
import { bindPlaceholders, placeholderNames } from '../../domain/reports/placeholders.ts';
import { checkStatement, StatementError } from '../../domain/reports/statement.ts';
import { QueryReport } from '../../entities/mailings/parts.ts';
import { type Change, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { can } from '../route-options.ts';

/** Statements are run by whoever names the report in a targeting, so writing one asks for the same grant as ad-hoc SQL. */
async function checkReport({ request, values }: Change): Promise<void> {
  const statement = values['sql'];
  if (typeof statement !== 'string') return;
  if (!can(request, 'report:sql')) throw new PermissionError('report:sql');
  try {
    const samples = Object.fromEntries(placeholderNames(statement).map((name) => [name, '']));
    await checkStatement(bindPlaceholders(statement, samples).text);
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    throw new InputError({ sql: error.message });
  }
}

export const queryreport = resource({
  name: 'queryreport',
  about: 'a saved report',
  area: 'Reports',
  entity: QueryReport,
  fields: {
    short_name: {
      trim: true,
      check: (name: string) => {
        if (name === 'sql') return 'must not be sql: report/run/sql/ runs the SQL it is sent';
        return /^[\w.~-]+$/.test(name) ? undefined : 'must hold only letters, digits and . _ ~ -';
      },
    },
  },
  filtering: { id: SINCE, name: 'all', short_name: 'all', hidden: EXACT },
  ordering: ['name', 'short_name', 'created_at', 'updated_at'],
  hooks: { beforeCreate: checkReport, beforeUpdate: checkReport },
});
