import { checkMayShow, keepParts, queryable } from '../../core/mailings/check-content.ts';
import { endOtherDefaults, holdBeforeDefault } from '../../core/mailings/one-default.ts';
import { refuseIncluded, refuseNeeded, refuseWrapped } from '../../core/mailings/still-needed.ts';
import { refuseConfirming } from '../../core/pages/refuse-confirming.ts';
import { readMentioned } from '../../core/sending/content.ts';
import { InputError } from '../../domain/errors.ts';
import { notOneLine } from '../../domain/values.ts';
import { EmailWrapper, FromLine, MailingTestGroup, Snippet } from '../../entities/mailings/parts.ts';
import { Tag } from '../../entities/mailings/tag.ts';
import { readMailbox } from '../../mail/address.ts';
import { checkSnippet, checkTemplates } from '../../mail/compile.ts';
import { BOUND } from '../../template/budget.ts';
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
    return notOneLine(text);
  } catch {
    return 'must be of the form "Name" <address>';
  }
}

const ONE_DEFAULT = 'Whether it is taken where none is named; the one that was so is it no more.';

/** Of several the first would count, and whoever made another the default would be told nothing. */
const oneDefault =
  (table: Parameters<typeof endOtherDefaults>[1]) =>
  async ({ sql, id, values }: Change): Promise<void> => {
    if (values['isDefault'] === true) await endOtherDefaults(sql, table, id);
  };
const beforeDefault =
  (table: Parameters<typeof endOtherDefaults>[1]) =>
  ({ sql, values }: Change): Promise<void> =>
    holdBeforeDefault(sql, table, values['isDefault'] === true);
const oneFromLine = oneDefault('core_fromline');
const oneWrapper = oneDefault('core_emailwrapper');

export const fromline = resource({
  name: 'fromline',
  about: 'a sender: `"Name" <address>`',
  area: 'Mailer',
  entity: FromLine,
  fields: { from_line: { trim: true, check: isMailbox }, is_default: { help: ONE_DEFAULT } },
  filtering: { id: SINCE, from_line: 'all', is_default: EXACT, hidden: EXACT },
  ordering: ['from_line', 'created_at', 'updated_at'],
  hooks: {
    beforeCreate: oneFromLine,
    beforeHold: beforeDefault('core_fromline'),
    beforeUpdate: oneFromLine,
    beforeDelete: async ({ sql, id }) => {
      await refuseNeeded(sql, 'fromline_id', id);
      await refuseConfirming(sql, 'email_from_line_id', id);
    },
  },
});

/** What is longer is compiled nowhere. */
const TEMPLATE = { maxLength: BOUND.source };

/** Parts of a wrapper, by the names of their fields. */
const WRAPPER_FIELDS = {
  template: 'template',
  textTemplate: 'text_template',
  unsubscribeText: 'unsubscribe_text',
  unsubscribeHtml: 'unsubscribe_html',
};
type WrapperPart = keyof typeof WRAPPER_FIELDS;
const WRAPPER_PARTS = Object.keys(WRAPPER_FIELDS) as WrapperPart[];

/** A wrapper that cannot be used is refused here, with the line, and not by the mailings that come to use it. */
async function checkWrapper({ em, id, values, sql, request }: Change): Promise<void> {
  if (id && !WRAPPER_PARTS.some((part) => part in values)) return;
  const stored = id ? await em.findOneOrFail(EmailWrapper, id) : null;
  const part = (name: WrapperPart) => (values[name] as string | undefined) ?? stored?.[name] ?? '';
  const wrapper = {
    template: part('template'),
    textTemplate: part('textTemplate'),
    unsubscribeText: part('unsubscribeText'),
    unsubscribeHtml: part('unsubscribeHtml'),
  };
  checkMayShow(Object.values(wrapper), (grant) => can(request, grant));
  await keepParts(sql);
  const mentioned = await readMentioned(queryable(sql), Object.values(wrapper));
  const problemsIn = (given: typeof wrapper) => Object.values(checkTemplates({ wrapper: given, ...mentioned })).flat();
  const problems = problemsIn(wrapper);
  if (problems.length > 0) throw new InputError(byPart(problems, (name) => problemsIn({ ...SOUND_WRAPPER, [name]: wrapper[name] })));
}

const SOUND_WRAPPER = { template: '{{ content }}', textTemplate: '', unsubscribeText: '', unsubscribeHtml: '' };

/** What is wrong, under each part that has it also by itself; what none has is of all of them together, and under the template. */
function byPart(problems: string[], alone: (name: WrapperPart) => string[]): Record<string, string[]> {
  const known = new Set(problems);
  const left = new Set(problems);
  const found: Record<string, string[]> = {};
  for (const name of WRAPPER_PARTS) {
    const own = alone(name).filter((problem) => known.has(problem));
    if (own.length > 0) found[WRAPPER_FIELDS[name]] = own;
    for (const problem of own) left.delete(problem);
  }
  if (left.size > 0) found['template'] = [...(found['template'] ?? []), ...left];
  return found;
}

/** A wrapper that is refused takes the default from none. */
async function writeWrapper(change: Change): Promise<void> {
  await checkWrapper(change);
  await oneWrapper(change);
}

export const emailwrapper = resource({
  name: 'emailwrapper',
  about: 'what stands around the content of every mail',
  area: 'Mailer',
  entity: EmailWrapper,
  fields: {
    name: { trim: true },
    template: TEMPLATE,
    text_template: TEMPLATE,
    unsubscribe_text: TEMPLATE,
    unsubscribe_html: TEMPLATE,
    is_default: { help: ONE_DEFAULT },
  },
  filtering: { id: SINCE, name: 'all', lang: 'joins', is_default: EXACT, hidden: EXACT },
  ordering: ['name', 'created_at', 'updated_at'],
  hooks: {
    beforeCreate: writeWrapper,
    beforeHold: beforeDefault('core_emailwrapper'),
    beforeUpdate: writeWrapper,
    beforeDelete: async ({ sql, id }) => {
      await refuseWrapped(sql, id);
      await refuseConfirming(sql, 'email_wrapper_id', id);
    },
  },
});

/** A snippet is held to its syntax and to what it mentions: what its names mean depends on what includes it. */
async function checkSnippetChange({ em, id, values, sql, request }: Change): Promise<void> {
  const stored = id ? await em.findOneOrFail(Snippet, id) : null;
  const part = (name: 'name' | 'html' | 'text') => (values[name] as string | undefined) ?? stored?.[name] ?? '';
  if (stored && part('name') !== stored.name) await refuseIncluded(sql, stored.name, 'name');
  const snippet = { html: part('html'), text: part('text') };
  checkMayShow(Object.values(snippet), (grant) => can(request, grant));
  await keepParts(sql);
  const problems = checkSnippet(part('name'), snippet, await readMentioned(queryable(sql), Object.values(snippet)));
  if (Object.keys(problems).length) throw new InputError(problems);
}

export const snippet = resource({
  name: 'snippet',
  about: 'a piece of template that mailings, wrappers and other snippets include by its name',
  area: 'Mailer',
  entity: Snippet,
  fields: {
    name: { trim: true, maxLength: 255, help: 'As in {% include "name" %}.' },
    html: { ...TEMPLATE, help: 'What is included in HTML.' },
    text: {
      ...TEMPLATE,
      help: 'What is included in text and subjects; made from the HTML where empty.',
    },
  },
  filtering: { id: SINCE, name: 'all', hidden: EXACT },
  ordering: ['name', 'created_at', 'updated_at'],
  hooks: {
    beforeCreate: checkSnippetChange,
    beforeUpdate: checkSnippetChange,
    beforeDelete: async ({ em, sql, id }) => refuseIncluded(sql, (await em.findOneOrFail(Snippet, id)).name, 'id'),
  },
});

export const mailingtestgroup = resource({
  name: 'mailingtestgroup',
  about: 'mailings that are held against each other; a mailing is put into it at the low-level mailing',
  area: 'Mailer',
  permission: 'mailer',
  entity: MailingTestGroup,
  fields: { name: { trim: true } },
  filtering: { id: SINCE, name: 'all' },
  ordering: ['name', 'created_at', 'updated_at'],
});
