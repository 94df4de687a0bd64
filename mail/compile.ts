import { akid, akidDigest } from '../domain/akid.ts';
import { sameText } from '../domain/same-text.ts';
import { renderText } from '../template/template.ts';
import { asBytes, recipientAddress } from './address.ts';
import { ByteSink } from './byte-sink.ts';
import type { CompiledMailing, Mail, MailingContent, Recipient } from './contracts.ts';
import { mailDate, oneLine, textHeader } from './headers.ts';
import { compileParts } from './parts.ts';
import { type Moment, Needs } from './variables.ts';

export { checkSnippet, checkTemplates, type Templates } from './parts.ts';

/** What a mailing's mails are made of beyond its content. */
export interface MailSettings {
  /** Public address of the service, without a trailing slash: unsubscribe links lead there. */
  baseUrl: string;
  /** Domain of Message-ID and bounce addresses. */
  mailDomain: string;
  secretKey: string;
}

/**
 * Compiles a mailing: everything that is the same in all its mails is made ready here, once.
 * @throws InputError with what is wrong, by the field's name in the API, with the line
 */
export function compileMailing(content: MailingContent, settings: MailSettings): CompiledMailing {
  const { mailingId, pretendDate } = content;
  const needs = new Needs();
  const linkBase = `${oneLine(settings.baseUrl)}/unsubscribe/?akid=`;
  const viewBase = `${oneLine(settings.baseUrl)}/view/`;
  const token = (userId: number) => akid(settings.secretKey, null, userId);
  const { subjects, from, replyTo, html, text } = compileParts(content, linkBase, token, needs);
  const domain = oneLine(settings.mailDomain);
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
  const beforeAddress = bytes(`>,\r\n <mailto:unsubscribe+`);
  const beforeText = bytes(`@${domain}?subject=unsubscribe>\r\n\r\n${bodyPart('text/plain')}`);
  const beforeHtml = bytes(`\r\n${bodyPart('text/html')}`);
  const end = bytes(`\r\n--${boundary}--\r\n`);
  const clock = new Clock(pretendDate);
  const sink = new ByteSink();

  /**
   * @param tag what names mailing and person in the addresses that mail comes back to
   * @param at what the templates see as now
   */
  const compose = (recipient: Recipient, to: string, akid: string, idHash: string, tag: string, at?: Date): Mail => {
    clock.look();
    const variant = recipient.position % subjects.length;
    const moment: Moment = {
      recipient,
      akid,
      unsubscribeLink: linkBase + akid,
      viewLink: viewBase + akid,
      subject: '',
      variant,
      now: at ?? clock.now,
      hasFooter: false,
      hasLink: false,
    };
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
    sink.bytes(beforeAddress);
    sink.ascii(tag);
    sink.bytes(beforeText);
    moment.hasLink = false;
    text.renderInto(sink, moment);
    sink.bytes(beforeHtml);
    moment.hasLink = false;
    html.renderInto(sink, moment);
    sink.bytes(end);
    return { envelopeFrom: `bounce+${tag}@${domain}`, envelopeTo: to, message: sink.toString() };
  };

  return {
    userColumns: [...needs.columns].filter((column) => column !== 'email'),
    needsFields: needs.fields === true || (needs.fields.size > 0 && [...needs.fields]),
    needsLocation: needs.location,
    mergefile: needs.row ? (content.mergefile?.id ?? null) : null,
    targetsOfPage: needs.targets ? (content.landingPage ?? null) : null,
    reports: [...needs.reports.values()],
    render(recipient, at) {
      const to = recipientAddress(recipient.email);
      const pair = `${mailingId}.${recipient.user_id}`;
      // One hash for all three: six characters are the akid's, others show that the bounce address and the Message-ID are ours.
      const digest = akidDigest(settings.secretKey, pair);
      return compose(recipient, to, `${pair}.${digest.slice(0, 6)}`, digest.slice(6, 22), `${pair}.${bounceHash(digest)}`, at);
    },
    renderProof(recipient, to, name) {
      // Its links name nobody: a click in a proof must not unsubscribe the person it was made for. Nor may its id be that of the real mail.
      const digest = akidDigest(settings.secretKey, `proof.${mailingId}.${recipient.user_id}.${name}.${to}`);
      const pair = `${mailingId}.${recipient.user_id}`;
      return compose(recipient, recipientAddress(to), `${pair}.proof`, digest.slice(6, 22), `proof.${mailingId}`);
    },
  };
}

const bytes = (text: string) => Buffer.from(text, 'latin1');

/** The check in a bounce or unsubscribe address, in lower case, since some servers send addresses back so. */
const bounceHash = (digest: string) => digest.slice(22, 32).toLowerCase();

const RETURN_ADDRESS = /^(bounce|unsubscribe)\+(\d{1,10})\.(\d{1,10})\.([a-z0-9_-]{10})$/;

/**
 * What an address of ours that mail comes back to was made for; null when it is not one of ours.
 * @param localPart what stands before the @
 */
export function readReturnAddress(
  secretKey: string,
  localPart: string,
): { kind: 'bounce' | 'unsubscribe'; mailingId: number; userId: number } | null {
  const [, kind, mailing, user, given] = RETURN_ADDRESS.exec(localPart.toLowerCase()) ?? [];
  if (given === undefined || !sameText(given, bounceHash(akidDigest(secretKey, `${mailing}.${user}`)))) return null;
  return { kind: kind as 'bounce' | 'unsubscribe', mailingId: Number(mailing), userId: Number(user) };
}

/** The mailing and user a bounce address was made for; null when it is not one of ours. */
export function readBounceAddress(secretKey: string, localPart: string): { mailingId: number; userId: number } | null {
  const found = readReturnAddress(secretKey, localPart);
  return found?.kind === 'bounce' ? { mailingId: found.mailingId, userId: found.userId } : null;
}

/**
 * The mailing and user a Message-ID was made for; null when it is not one of ours.
 * @param left what stands before the @
 */
export function readMessageId(secretKey: string, left: string): { mailingId: number; userId: number } | null {
  const [, mailing, user, given] = /^(\d{1,10})\.(\d{1,10})\.([\w-]{16})$/.exec(left) ?? [];
  if (given === undefined || !sameText(given, akidDigest(secretKey, `${mailing}.${user}`).slice(6, 22))) return null;
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
