import { EmailWrapper, FromLine, QueryReport } from '../../entities/mailings/parts.ts';
import { Tag } from '../../entities/mailings/tag.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';

export const tag = resource({
  name: 'tag',
  about: 'a tag on pages and mailings',
  area: 'Mailer',
  entity: Tag,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', created_at: SINCE, updated_at: SINCE },
  ordering: ['name', 'created_at', 'updated_at'],
});

const ONE_LINE = (text: string) => (/[\r\n]/.test(text) ? 'must be one line' : undefined);

export const fromline = resource({
  name: 'fromline',
  about: 'a sender: `"Name" <address>`',
  area: 'Mailer',
  entity: FromLine,
  fields: { from_line: { trim: true, check: ONE_LINE } },
  filtering: { id: SINCE, from_line: 'all', is_default: EXACT, hidden: EXACT },
  ordering: ['from_line', 'created_at', 'updated_at'],
});

export const emailwrapper = resource({
  name: 'emailwrapper',
  about: 'what stands around the content of every mail',
  area: 'Mailer',
  entity: EmailWrapper,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', lang: 'joins', is_default: EXACT, hidden: EXACT },
  ordering: ['name', 'created_at', 'updated_at'],
});

export const queryreport = resource({
  name: 'queryreport',
  about: 'a saved report',
  area: 'Reports',
  entity: QueryReport,
  filtering: { id: SINCE, name: 'all', short_name: 'all', hidden: EXACT },
  ordering: ['name', 'short_name', 'created_at', 'updated_at'],
});
