import { DIALECTS } from '../../domain/words.ts';
import { type Html, html } from '../html.ts';
import { boxesOf, idOf, nameOf, type ShownSide } from './control.ts';
import { writeParameters } from './members.ts';
import { membersIn } from './sent-audience.ts';

/** Lines that a field shows at once. */
const MOST_LINES = 20;
const DIALECT_WORDS = { postgresql: 'PostgreSQL', mysql: 'MySQL' } as const;

/** People whom statements find, and one more field for another. The script puts a further one behind the last once something is in it. */
export function sqlPart(shown: ShownSide): Html {
  const [id, name] = [idOf(shown, 'raw_sql'), nameOf(shown, 'raw_sql')];
  const rows = [...membersIn(shown.filled.raw_sql), ''].map((raw) =>
    typeof raw === 'string' ? { sql: raw } : (raw as { sql: string; dialect?: string }),
  );
  const dialects = (of: string) =>
    DIALECTS.map((each) => html`<option value="${each}"${each === of ? html` selected` : ''}>${DIALECT_WORDS[each]}</option>`);
  return boxesOf(
    shown,
    'raw_sql',
    'Is found by SQL that gives ids of people',
    html`${rows.map(
      ({ sql, dialect = DIALECTS[0] }, n) => html`<div class="row-of" data-row>
<textarea name="${name}" id="${id}-${n}" aria-label="SQL" rows="${sql ? 4 : 2}" class="code" spellcheck="false">
${sql}</textarea>
<select name="${name}.dialect" aria-label="Dialect of the SQL">${dialects(dialect)}</select></div>`,
    )}`,
  );
}

/** People whom saved reports find, with values for their parameters. */
export function reportsPart(shown: ShownSide): Html {
  const name = nameOf(shown, 'query_reports');
  const rows = [...(membersIn(shown.filled.query_reports) as { short_name: string; params?: unknown }[]), { short_name: '' }];
  return boxesOf(
    shown,
    'query_reports',
    'Is found by a saved report',
    html`${rows.map(({ short_name, params }) => {
      const written = writeParameters(params);
      return html`<div class="row-of" data-row>
<input name="${name}" value="${short_name}" aria-label="Short name of the report" placeholder="Short name" data-offers="query_reports">
<textarea name="${name}.params" rows="${linesOf(written)}" aria-label="Its parameters, name = value a line" placeholder="name = value" spellcheck="false">
${written}</textarea></div>`;
    })}`,
  );
}

/** Of a text that could not be read, too; a field of thousands of lines would be no field. */
const linesOf = (text: string): number => text.split('\n', MOST_LINES).length;
