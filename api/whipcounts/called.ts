import { targetJson } from '../../core/whipcounts/shown.ts';
import { WhipcountActionCalled, WhipcountOverride } from '../../entities/whipcounts/page.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';

export const whipcountactioncalled = resource({
  name: 'whipcountactioncalled',
  about: 'what a target told a caller',
  area: 'Whip counts',
  entity: WhipcountActionCalled,
  inside: ['page', 'user'],
  fields: {
    whipcountaction: { readonly: true, to: 'whipcountaction' },
    target: {
      readonly: true,
      sql: `(select ${targetJson('x')} from core_target x where x.id = t.target_id)`,
      show: ({ target }) => target,
      schema: { type: 'object', additionalProperties: true },
      help: 'The target, whole.',
    },
  },
  alike: { whipcountaction: ['page'] },
  filtering: { id: SINCE, whipcountaction: 'joins', target: 'joins', response: 'all', created_at: TIMES, updated_at: TIMES },
  ordering: ['created_at', 'updated_at'],
  methods: ['list', 'get', 'update', 'delete'],
});

export const whipcountoverride = resource({
  name: 'whipcountoverride',
  about: 'where a target stands in an administrator’s judgement, whatever callers reported',
  area: 'Whip counts',
  entity: WhipcountOverride,
  fields: { page: { to: 'whipcountpage' }, target: { to: 'target' } },
  filtering: { id: SINCE, page: 'joins', target: 'joins', stance: EXACT, created_at: TIMES, updated_at: TIMES },
  ordering: ['created_at', 'updated_at'],
  uniqueKeys: [
    {
      constraint: 'core_whipcountoverride_page_target_key',
      field: 'target',
      properties: ['page', 'target'],
    },
  ],
});
