import { missingIds, readReference } from '../../core/references.ts';
import { holdWhipcountForm, saveTargetGroups, saveWhipcountPage } from '../../core/whipcounts/save-page.ts';
import { targetGroupsSql, whipcountFormSql } from '../../core/whipcounts/shown.ts';
import { InputError } from '../../domain/errors.ts';
import { addressProblem } from '../../domain/web-address.ts';
import { WhipcountForm } from '../../entities/whipcounts/page.ts';
import { actionOf, pageOf } from '../pages/pages.ts';
import { type Change, type FieldOverride, resource } from '../resource/declare.ts';
import { checkReferences } from '../resource/input.ts';
import { readInside } from '../resource/inside.ts';
import { SINCE, TIMES } from '../resource/operators.ts';

const atMost = (most: number) => (value: number) => (value < 0 || value > most ? `must be between 0 and ${most}` : undefined);

export const whipcountform = resource({
  name: 'whipcountform',
  about: 'the texts and rules of a whip count, made with its page',
  area: 'Whip counts',
  entity: WhipcountForm,
  fields: {
    page: { readonly: true, to: 'whipcountpage' },
    minimum_calls: { check: atMost(1_000_000), help: 'So many callers must have reported before a stance counts as known.' },
    minimum_response_agreement: {
      kind: 'string',
      sql: 't.minimum_response_agreement::text',
      check: (value: string) =>
        /^(0(\.\d{1,2})?|1(\.0{1,2})?)$/.test(value) ? undefined : 'must be a decimal between 0 and 1 like "0.50"',
      help: 'Share of callers who must have reported the same, as a decimal string.',
    },
    client_url: { trim: true, check: addressProblem },
    templateset: {
      trim: true,
      check: (uri: string) => (/^(https?:\/\/[^/\s]|\/|$)/i.test(uri) ? addressProblem(uri) : 'must be a URI like /rest/v1/templateset/5/'),
      help: 'URI of what it is shown with, kept for the pages of a client.',
    },
  },
  filtering: { id: SINCE, page: 'joins', created_at: TIMES, updated_at: TIMES },
  ordering: ['created_at', 'updated_at'],
  methods: ['list', 'get', 'update'],
});

const DICT: FieldOverride = { kind: 'dict', readonly: false };

/** Writes the form that stands inside the page, with the fields and checks of its own resource. */
async function saveForm(change: Change): Promise<void> {
  const { em, sql, id, extra, context } = change;
  const given = extra['whipcountform'];
  if (given === undefined) return;
  const input = prefixed('whipcountform', () => readInside(change, 'whipcountform', given));
  if (Object.keys(input.values).length === 0) return;
  await checkReferences(sql, context.registry, input);
  const entity = await em.findOneOrFail(WhipcountForm, await holdWhipcountForm(sql, id));
  em.assign(entity, input.values as never);
  await em.flush();
}

/** Errors of an object inside stand under the field it is sent in. */
function prefixed<Result>(field: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError({ [field]: Object.values(error.fields).flat() });
  }
}

async function saveGroups({ sql, id, extra, context }: Change): Promise<void> {
  const given = extra['target_groups'];
  if (given === undefined) return;
  const ids = prefixed('target_groups', () => [...new Set((given as unknown[]).map((each) => groupId(each)))]);
  const missing = await missingIds(sql, context.registry, 'targetgroup', ids);
  if (missing.length > 0) throw new InputError({ target_groups: `There is no target group ${missing.slice(0, 5).join(', ')}.` });
  await saveTargetGroups(sql, id, ids);

  /** A URI or an id, or the object as it is shown: clients send back whole pages. */
  function groupId(each: unknown): number {
    const shown = typeof each === 'object' && each !== null ? (each as { resource_uri?: unknown }).resource_uri : each;
    try {
      return readReference(context, 'targetgroup', shown);
    } catch (error) {
      throw new InputError({ target_groups: `target_groups: each ${(error as Error).message}.` });
    }
  }
}

async function save(change: Change): Promise<void> {
  const { sql, id, extra } = change;
  const host = extra['hosted_with'] as string | null | undefined;
  await saveWhipcountPage(sql, id, host === undefined ? null : (host ?? ''));
  await saveGroups(change);
  await saveForm(change);
}

const own = (column: string): FieldOverride => ({
  kind: 'string',
  readonly: false,
  nullable: true,
  sql: `(select w.${column} from core_whipcountpage w where w.page_ptr_id = t.id)`,
});

export const whipcountpage = pageOf('whipcount', 'a page on which people call targets and report what they said', {
  fields: {
    hosted_with: own('hosted_with'),
    whipcountform: { ...DICT, nullable: true, sql: whipcountFormSql('t.id') },
    target_groups: {
      kind: 'list',
      readonly: false,
      default: [],
      help: 'Written as URIs, shown as objects.',
      sql: targetGroupsSql('t.id'),
    },
  },
  hooks: { afterCreate: save, afterUpdate: save },
});

export const whipcountaction = actionOf('whipcount');
