import { InputError, PermissionError } from '../../domain/errors.ts';
import { bindPlaceholders, placeholderNames } from '../../domain/reports/placeholders.ts';
import { checkStatement, StatementError } from '../../domain/reports/statement.ts';
import { EmailWrapper, FromLine, QueryReport } from '../../entities/mailings/parts.ts';
import { Tag } from '../../entities/mailings/tag.ts';
import { readMailbox } from '../../mail/address.ts';
import { checkTemplates } from '../../mail/compile.ts';
import { type Change, resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { can } from '../route-options.ts';

export const tag = resource({
  name: 'tag',
  about: 'a tag on pages and mailings',
  area: 'Mailer',
  entity: Tag,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', created_at: TIMES, updated_at: TIMES },
  ordering: ['name', 'created_at', 'updated_at'],
});

function isMailbox(text: string): string | undefined {
  try {
    readMailbox(text, 'from_line');
  } catch {
    return 'must be of the form "Name" <address>';
  }
}

export const fromline = resource({
  name: 'fromline',
  about: 'a sender: `"Name" <address>`',
  area: 'Mailer',
  entity: FromLine,
  fields: { from_line: { trim: true, check: isMailbox } },
  filtering: { id: SINCE, from_line: 'all', is_default: EXACT, hidden: EXACT },
  ordering: ['from_line', 'created_at', 'updated_at'],
});

const WRAPPER_PARTS = ['template', 'textTemplate', 'unsubscribeText', 'unsubscribeHtml'] as const;
type WrapperPart = (typeof WRAPPER_PARTS)[number];

/** A wrapper that cannot be used is refused here, with the line, and not by the mailings that come to use it. */
async function checkWrapper({ em, id, values }: Change): Promise<void> {
  if (id && !WRAPPER_PARTS.some((part) => part in values)) return;
  const stored = id ? await em.findOneOrFail(EmailWrapper, id) : null;
  const part = (name: WrapperPart) => (values[name] as string | undefined) ?? stored?.[name] ?? '';
  const wrapper = {
    template: part('template'),
    textTemplate: part('textTemplate'),
    unsubscribeText: part('unsubscribeText'),
    unsubscribeHtml: part('unsubscribeHtml'),
  };
  const problems = Object.values(checkTemplates({ wrapper })).flat();
  if (problems.length > 0) throw new InputError({ template: problems });
}

export const emailwrapper = resource({
  name: 'emailwrapper',
  about: 'what stands around the content of every mail',
  area: 'Mailer',
  entity: EmailWrapper,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', lang: 'joins', is_default: EXACT, hidden: EXACT },
  ordering: ['name', 'created_at', 'updated_at'],
  hooks: { beforeCreate: checkWrapper, beforeUpdate: checkWrapper },
});

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
