import { refuseReported } from '../../core/mailings/still-needed.ts';
import { checkWritten } from '../../core/reports/prepare.ts';
import { storedStatement } from '../../core/reports/stored-statement.ts';
import { InputError, PermissionError } from '../../domain/errors.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import { QueryReport } from '../../entities/mailings/parts.ts';
import { type Change, resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { can } from '../route-options.ts';

/**
 * Statements are run by whoever names the report in a targeting, so writing one asks for the same grant as ad-hoc SQL; and so does another name for one
 * that is there: with two names changed for each other, another statement says who is mailed and who is left out.
 */
async function checkReport({ request, values, sql: read, context, id }: Change): Promise<void> {
  if (id === 0) values['dialect'] ??= context.env.REPORT_DIALECT;
  const named = values['shortName'] !== undefined;
  const written = typeof values['sql'] === 'string' || values['dialect'] !== undefined;
  if (!named && !written) return;
  const stored = id === 0 ? undefined : await storedStatement(read, id);
  if (stored && named && values['shortName'] !== stored.short_name) {
    if (!can(request, 'report:sql')) throw new PermissionError('report:sql');
    await refuseReported(read, stored.short_name, 'short_name');
  }
  if (!written) return;
  const statement = { ...stored, ...definedOf(values) } as WrittenStatement;
  if (!can(request, 'report:sql')) throw new PermissionError('report:sql');
  try {
    await checkWritten(statement, request.account?.id);
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    throw new InputError({ sql: error.message });
  }
}

const definedOf = ({ sql, dialect }: Change['values']): object => ({
  ...(sql !== undefined && { sql }),
  ...(dialect !== undefined && { dialect }),
});

export const queryreport = resource({
  name: 'queryreport',
  about: 'a saved report',
  area: 'Reports',
  entity: QueryReport,
  fields: {
    dialect: { help: 'What the SQL is written in; REPORT_DIALECT unless given.' },
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
  hooks: {
    beforeCreate: checkReport,
    beforeUpdate: checkReport,
    beforeDelete: async ({ sql, id }) => refuseReported(sql, (await storedStatement(sql, id))!.short_name, 'id'),
  },
});
