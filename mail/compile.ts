import { akid, akidDigest } from '../domain/akid.ts';
import { InputError } from '../domain/errors.ts';
import { TemplateError } from '../domain/template/errors.ts';
import { plainText, type Sink } from '../domain/template/output.ts';
import { compileTemplate, renderText, type Template, type TemplateOptions } from '../domain/template/template.ts';
import { asBytes, readMailbox, recipientAddress } from './address.ts';
import { type Body, type CompilePart, hasPlace, htmlBody, textBody } from './bodies.ts';
import { ByteSink } from './byte-sink.ts';
import type { CompiledMailing, Mail, MailingContent, Recipient } from './contracts.ts';
import { mailboxHeader, mailDate, oneLine, textHeader } from './headers.ts';
import { type Moment, mailingNames, Needs } from './variables.ts';

/** What a mailing's mails are made of beyond its content. */
export interface MailSettings {
  /** Public address of the service, without a trailing slash: unsubscribe links lead there. */
  baseUrl: string;
  /** Domain of Message-ID and bounce addresses. */
  mailDomain: string;
  secretKey: string;
}

/** What the API calls the parts of a content. */
const FIELD = {
  html: 'html',
  text: 'text',
  subjects: 'subjects',
  previewTexts: 'preview_text',
  wrapper: 'emailwrapper',
  from: 'fromline',
  replyTo: 'reply_to',
} as const;

const unsubscribeBase = (settings: MailSettings) => `${oneLine(settings.baseUrl)}/unsubscribe/?akid=`;

/**
 * Compiles a mailing: everything that is the same in all its mails is made ready here, once.
 * @throws InputError with what is wrong, by the field's name in the API, with the line
 */
export function compileMailing(content: MailingContent, settings: MailSettings): CompiledMailing {
  const { mailingId, pretendDate } = content;
  const needs = new Needs();
  const { subjects, from, replyTo, html, text } = compileParts(content, settings, needs);
  const domain = oneLine(settings.mailDomain);
  const linkBase = unsubscribeBase(settings);
  const boundary = `=_${mailingId}`;
  const bodyPart = (type: string) =>
    `--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`;

  // The message, cut where something differs from mail to mail.
  const beforeTo = bytes(`${from}To: `);
  const beforeUser = `Message-ID: <${mailingId}.`;
  const beforeLink = bytes(
    `@${domain}>\r\n${replyTo}List-Id: <mailings.${domain}>\r\nPrecedence: bulk\r\n` +
      (/^[A-Za-z-]{2,35}$/.test(content.language) ? `Content-Language: ${content.language}\r\n` : '') +
      `MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary="${boundary}"\r\n` +
      `List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nList-Unsubscribe:\r\n <${linkBase}`,
  );
  const beforeText = bytes(`>\r\n\r\n${bodyPart('text/plain')}`);
  const beforeHtml = bytes(`\r\n${bodyPart('text/html')}`);
  const end = bytes(`\r\n--${boundary}--\r\n`);
  const clock = new Clock(pretendDate);
  const sink = new ByteSink();

  const compose = (recipient: Recipient, to: string, akid: string, idHash: string, envelopeFrom: string): Mail => {
    clock.look();
    const variant = recipient.position % subjects.length;
    const moment: Moment = { recipient, akid, unsubscribeLink: linkBase + akid, subject: '', variant, now: clock.now };
    const subject = subjects[variant]!;
    moment.subject = subject.header === null ? oneLine(renderText(subject.template, moment)) : subject.text;
    sink.clear();
    sink.bytes(beforeTo);
    sink.ascii(`${asBytes(to)}\r\n`);
    sink.ascii(subject.header ?? textHeader('Subject', moment.subject));
    sink.ascii(clock.dateLine);
    sink.ascii(`${beforeUser}${recipient.user_id}.${idHash}`);
    sink.bytes(beforeLink);
    sink.ascii(akid);
    sink.bytes(beforeText);
    text.renderInto(sink, moment);
    sink.bytes(beforeHtml);
    html.renderInto(sink, moment);
    sink.bytes(end);
    return { envelopeFrom: `${envelopeFrom}@${domain}`, envelopeTo: to, message: sink.toString() };
  };

  return {
    userColumns: [...needs.columns].filter((column) => column !== 'email'),
    needsFields: needs.fields,
    render(recipient) {
      const to = recipientAddress(recipient.email);
      const pair = `${mailingId}.${recipient.user_id}`;
      // One hash for all three: six characters are the akid's, others show that the bounce address and the Message-ID are ours.
      const digest = akidDigest(settings.secretKey, pair);
      return compose(recipient, to, `${pair}.${digest.slice(0, 6)}`, digest.slice(6, 22), `bounce+${pair}.${bounceHash(digest)}`);
    },
    renderProof(recipient, to, number) {
      // Its links name nobody: a click in a proof must not unsubscribe the person it was made for. Nor may its id be that of the real mail.
      const digest = akidDigest(settings.secretKey, `proof.${mailingId}.${recipient.user_id}.${number}.${to}`);
      const pair = `${mailingId}.${recipient.user_id}`;
      return compose(recipient, recipientAddress(to), `${pair}.proof`, digest.slice(6, 22), `bounce+proof.${mailingId}`);
    },
  };
}

const bytes = (text: string) => Buffer.from(text, 'latin1');

/** For templates that show the same to everybody. */
const NOBODY: Moment = {
  recipient: { user_id: 0, position: 0, email: '' },
  akid: '',
  unsubscribeLink: '',
  subject: '',
  variant: 0,
  now: new Date(0),
};

/** The check in a bounce address, in lower case, since some servers send addresses back so. */
const bounceHash = (digest: string) => digest.slice(22, 32).toLowerCase();

/**
 * The mailing and user a bounce address was made for; null when it is not one of ours.
 * @param localPart what stands before the @
 */
export function readBounceAddress(secretKey: string, localPart: string): { mailingId: number; userId: number } | null {
  const [, mailing, user, given] = /^bounce\+(\d{1,10})\.(\d{1,10})\.([a-z0-9_-]{10})$/.exec(localPart.toLowerCase()) ?? [];
  if (given === undefined || given !== bounceHash(akidDigest(secretKey, `${mailing}.${user}`))) return null;
  return { mailingId: Number(mailing), userId: Number(user) };
}

/** The time, looked at once per second at most: a date is written once for all the mails of its second. */
class Clock {
  readonly #pretended: Date | null;
  #second = 0;
  now = new Date(0);
  dateLine = '';

  constructor(pretendDate: string | null) {
    this.#pretended = pretendDate === null ? null : new Date(pretendDate);
  }

  look(): void {
    const second = Math.floor(Date.now() / 1000);
    if (second === this.#second) return;
    this.#second = second;
    const date = new Date(second * 1000);
    this.now = this.#pretended ?? date;
    this.dateLine = `Date: ${mailDate(date)}\r\n`;
  }
}

/** The part of a content that is checked when it is saved; what is absent is not looked at. */
export type Templates = Partial<Pick<MailingContent, 'html' | 'text' | 'subjects' | 'previewTexts' | 'wrapper' | 'from' | 'replyTo'>>;

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
    compileParts(content, { baseUrl: '', mailDomain: '', secretKey: '' }, new Needs());
    return {};
  } catch (error) {
    if (error instanceof InputError) return error.fields;
    throw error;
  }
}

interface Subject {
  template: Template<Moment>;
  /** Text and header line where they are the same in every mail. */
  text: string;
  header: string | null;
}

interface Parts {
  subjects: Subject[];
  text: Body;
  html: Body;
  /** Ready headers. */
  from: string;
  replyTo: string;
}

/** @throws InputError with everything that is wrong, not only the first */
function compileParts(content: MailingContent, settings: MailSettings, needs: Needs): Parts {
  const names = mailingNames(content, (userId) => akid(settings.secretKey, null, userId), needs);
  const problems: Record<string, string[]> = {};
  const note = (field: string, message: string) => {
    problems[field] ??= [];
    if (!problems[field].includes(message)) problems[field].push(message);
  };
  const compiled = <Into extends Sink>(
    field: string,
    source: string,
    options: Omit<TemplateOptions<Moment, Into>, 'names'>,
    where = '',
  ) => {
    try {
      return compileTemplate(source, { names, ...options });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      note(field, `${where}line ${error.line}: ${error.message}`);
      return compileTemplate('', { names, ...options });
    }
  };
  const compilePart: CompilePart = (part, source, output, inserts = {}) => {
    // What is wrong with the HTML is wrong with the text made from it, too: it is said once.
    if (part === 'generated') return compiled('html', problems.html ? '' : source, { output, inserts }, 'the text version made from it, ');
    return compiled(FIELD[part], source, { output, inserts });
  };
  const mailbox = (header: string, text: string, field: string) => {
    try {
      return mailboxHeader(header, readMailbox(text, field));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      for (const message of error.fields[field]!) note(field, message);
      return '';
    }
  };

  const { wrapper } = content;
  if (content.subjects.length === 0) note(FIELD.subjects, 'at least one subject is needed');
  if (wrapper && !hasPlace(wrapper.template)) note(FIELD.wrapper, 'the template has no {{ content }} place');
  if (wrapper?.textTemplate && !hasPlace(wrapper.textTemplate)) note(FIELD.wrapper, 'the text template has no {{ content }} place');
  const parts: Parts = {
    subjects: content.subjects.map((source, n) => {
      const template = compiled(FIELD.subjects, source, { output: plainText }, content.subjects.length > 1 ? `subject ${n + 1}, ` : '');
      const text = template.constant ? oneLine(renderText(template, NOBODY)) : '';
      return { template, text, header: template.constant ? textHeader('Subject', text) : null };
    }),
    html: htmlBody(content, unsubscribeBase(settings), compilePart),
    text: textBody(content, unsubscribeBase(settings), compilePart),
    from: mailbox('From', content.from, FIELD.from),
    replyTo: content.replyTo ? mailbox('Reply-To', content.replyTo, FIELD.replyTo) : '',
  };
  if (Object.keys(problems).length > 0) throw new InputError(problems);
  return parts;
}
