import { InputError } from '../domain/errors.ts';
import { Budget, inReach } from '../template/budget.ts';
import type { Template, TemplateOptions } from '../template/contracts.ts';
import { Problem, TemplateError } from '../template/errors.ts';
import { htmlText, plainText, type Sink } from '../template/output.ts';
import { objectNames } from '../template/scope.ts';
import { compileTemplate, renderText } from '../template/template.ts';
import { readMailbox } from './address.ts';
import { type Body, type CompilePart, hasPlace, htmlBody, type Part, textBody } from './bodies.ts';
import type { MailingContent, Snippet } from './contracts.ts';
import { mailboxHeader, oneLine, textHeader } from './headers.ts';
import { Mentioned } from './mentioned.ts';
import { plainTextOf } from './plain-text.ts';
import { type Moment, mailingNames, Needs } from './variables.ts';

/** What the API calls the parts of a content. */
const FIELD = {
  html: 'html',
  generated: 'html',
  text: 'text',
  subjects: 'subjects',
  previewTexts: 'preview_text',
  wrapper: 'emailwrapper',
  from: 'fromline',
  replyTo: 'reply_to',
  landingPage: 'landing_page',
  mergefile: 'mergefile',
} as const;

/** The part of a content that is checked when it is saved; what is absent is not looked at. */
export type Templates = Partial<MailingContent>;

/** What is wrong with the templates and addresses of a mailing: messages by the field's name in the API; none when all is well. */
export function checkTemplates(templates: Templates): Record<string, string[]> {
  const content: MailingContent = {
    mailingId: 1,
    subjects: ['-'],
    previewTexts: [],
    html: '',
    text: '',
    from: 'from@example.org',
    replyTo: '',
    wrapper: null,
    fields: {},
    language: '',
    pretendDate: null,
    ...templates,
  };
  try {
    compileParts(content, '', String, new Needs());
    return {};
  } catch (error) {
    if (error instanceof InputError) return error.fields;
    throw error;
  }
}

/**
 * What is wrong with a snippet by itself: syntax, filters, what it includes and shows; messages by field. Its names are let pass, since what includes it
 * may give them.
 */
export function checkSnippet(
  name: string,
  snippet: Snippet,
  mentioned: Pick<MailingContent, 'snippets' | 'reports'>,
): Partial<Record<keyof Snippet, string[]>> {
  const budget = new Budget();
  const { options } = new Mentioned({ ...mentioned, snippets: { ...mentioned.snippets, [name]: snippet } }, new Needs(), budget);
  const problems: Partial<Record<keyof Snippet, string[]>> = {};
  for (const part of ['html', 'text'] as const) {
    try {
      const output = part === 'html' ? htmlText : plainText;
      compileTemplate(snippet[part], { names: objectNames, output, budget, ...options(part === 'html') });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      problems[part] = [`${error.place}: ${error.message}`];
    }
  }
  return problems;
}

export interface Subject {
  template: Template<Moment>;
  /** Text and header line where they are the same in every mail. */
  text: string;
  header: string | null;
}

/** A content compiled, part by part. */
export interface Parts {
  subjects: Subject[];
  text: Body;
  html: Body;
  /** Ready headers. */
  from: string;
  replyTo: string;
}

/**
 * Compiles the parts of a content.
 * @param linkBase address that unsubscribes whoever's akid is put behind it
 * @param token of a user
 * @param needs is told what the templates read
 * @throws InputError with everything that is wrong, not only the first
 */
export function compileParts(given: MailingContent, linkBase: string, token: (userId: number) => string, needs: Needs): Parts {
  const content = { ...given, html: inReach(given.html), text: inReach(given.text) };
  const { subjects, wrapper, from, replyTo } = content;
  const compiler = new PartCompiler(content, token, needs);
  if (subjects.length === 0) compiler.note('subjects', 'at least one subject is needed');
  if (wrapper && !hasPlace('html', wrapper.template)) compiler.note('wrapper', 'the template has no {{ content }} place');
  if (wrapper?.textTemplate && !hasPlace('text', wrapper.textTemplate))
    compiler.note('wrapper', 'the text template has no {{ content }} place');
  const parts: Parts = {
    subjects: subjects.map((source, n) => compiler.subject(source, subjects.length > 1 ? `subject ${n + 1}, ` : '')),
    html: htmlBody(content, linkBase, compiler.part),
    text: textBody(content, linkBase, compiler.part, compiler.toText),
    from: compiler.mailbox('From', from, 'from'),
    replyTo: replyTo ? compiler.mailbox('Reply-To', replyTo, 'replyTo') : '',
  };
  if (needs.targets && content.landingPage === null) compiler.note('landingPage', 'targets needs a landing_page, and there is none');
  if (needs.row && content.mergefile === null) compiler.note('mergefile', 'row needs a mergefile, and there is none');
  if (Object.keys(compiler.problems).length > 0) throw new InputError(compiler.problems);
  return parts;
}

/** For templates that show the same to everybody. */
const NOBODY: Moment = {
  recipient: { user_id: 0, position: 0, email: '' },
  akid: '',
  unsubscribeLink: '',
  subject: '',
  variant: 0,
  now: new Date(0),
  hasFooter: false,
  hasLink: false,
};

/** Compiles parts, noting what is wrong and going on. */
class PartCompiler {
  readonly problems: Record<string, string[]> = {};
  readonly #names: ReturnType<typeof mailingNames>;
  readonly #mentioned: Mentioned;
  readonly #budget = new Budget();

  constructor(content: MailingContent, token: (userId: number) => string, needs: Needs) {
    this.#names = mailingNames(content, token, needs);
    this.#mentioned = new Mentioned(content, needs, this.#budget);
  }

  note(part: keyof typeof FIELD, message: string): void {
    const messages = this.problems[FIELD[part]] ?? [];
    this.problems[FIELD[part]] = messages.includes(message) ? messages : [...messages, message];
  }

  readonly part: CompilePart = (part, source, output, inserts = {}) =>
    this.#compile(
      part,
      source,
      { output, inserts, ...this.#mentioned.options(part === 'html' || part === 'wrapper' ? output.html : false) },
      part === 'generated' ? 'the text version made from it, ' : '',
    );

  /** Text made of a part's HTML. Of HTML that is wrong none is made: the same would be said twice. */
  readonly toText = (html: string, part: Part): string => {
    if (this.problems[FIELD[part]]) return '';
    try {
      return plainTextOf(html, this.#budget);
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof Problem)) throw error;
      this.note(part, error.message);
      return '';
    }
  };

  subject(source: string, where: string): Subject {
    const template = this.#compile('subjects', source, { output: plainText, ...this.#mentioned.options(false) }, where);
    if (!template.constant) return { template, text: '', header: null };
    const text = oneLine(renderText(template, NOBODY));
    return { template, text, header: textHeader('Subject', text) };
  }

  /** A From or Reply-To header. */
  mailbox(header: string, text: string, part: 'from' | 'replyTo'): string {
    try {
      return mailboxHeader(header, readMailbox(text, FIELD[part]));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      for (const message of error.fields[FIELD[part]] ?? []) this.note(part, message);
      return '';
    }
  }

  #compile<Into extends Sink>(
    part: keyof typeof FIELD,
    source: string,
    options: Omit<TemplateOptions<Moment, Into>, 'names'>,
    where: string,
  ): Template<Moment, Into> {
    try {
      return compileTemplate(source, { names: this.#names, budget: this.#budget, ...options });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.note(part, `${where}${error.place}: ${error.message}`);
      return compileTemplate('', { names: this.#names, ...options });
    }
  }
}
