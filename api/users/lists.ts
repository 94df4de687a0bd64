import { Language } from '../../entities/people/language.ts';
import { List } from '../../entities/people/list.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE } from '../resource/operators.ts';

export const list = resource({
  name: 'list',
  about: 'a list people subscribe to',
  area: 'Users',
  entity: List,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', hidden: EXACT, is_default: EXACT, is_reengagement: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['name', 'created_at', 'updated_at'],
});

export const language = resource({
  name: 'language',
  about: 'a language people are written to in',
  area: 'Users',
  entity: Language,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all', iso_code: 'all', hidden: EXACT, ordering: SINCE },
  ordering: ['name', 'iso_code', 'ordering'],
});
