import { domainToASCII, domainToUnicode } from 'node:url';
import { InputError } from '../domain/errors.ts';
import { lowerCase } from '../domain/people/lower-case.ts';
import { readText, SHORT } from '../domain/values.ts';
import { RenderError } from './contracts.ts';
import type { Mailbox } from './headers.ts';

// Addresses that may stand in a header or in an SMTP command. Quoted local parts, comments and address literals are refused: nobody is reached
// by them, and they are how commands get smuggled in.

const USUAL = /^[\w!#$%&'*+/=?^`{|}~.-]{1,64}@(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
/** A domain beyond ASCII, before it is turned into punycode: that drops line ends, and decodes %41, without a word. */
const DOMAIN = /^(?:[a-z0-9.-]|[^\p{ASCII}\p{C}\p{Z}])+$/iu;
/** A local part beyond ASCII: no controls, spaces, specials or lone surrogates. */
const INTERNATIONAL = /^(?:[\w!#$%&'*+/=?^`{|}~.-]|[^\p{ASCII}\p{C}\p{Z}])+$/u;

/**
 * The address as it can be sent to, with a domain beyond ASCII in its punycode form; null when it is no usable address.
 * The result is ASCII, unless the part before the @ is not (then the relay must offer SMTPUTF8).
 */
export function usableAddress(text: string): string | null {
  if (USUAL.test(text)) return text;
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > 320) return null;
  if (!DOMAIN.test(text.slice(at + 1))) return null;
  const [local, domain] = [text.slice(0, at), domainToASCII(text.slice(at + 1))];
  if (!USUAL.test(`x@${domain}`) || Buffer.byteLength(local) > 64 || !INTERNATIONAL.test(local)) return null;
  return `${local}@${domain}`;
}

export const isUsableAddress = (text: string): boolean => usableAddress(text) !== null;

/** A domain with a part in punycode, as some browsers send what was typed as bücher.example. */
const PUNYCODE = /(^|\.)xn--/i;

/**
 * The address as it is kept of a person. A domain can be written in any number of ways that lead to one mailbox (punycode, full-width letters, other dots, signs that
 * count for nothing): one that is not written as it reads is kept as it reads, or that mailbox would be as many people.
 * @returns null when it is no usable address
 */
export function keptAddress(text: string): string | null {
  if (usableAddress(text) === null) return null;
  const begin = text.lastIndexOf('@') + 1;
  const domain = text.slice(begin);
  if (/^\p{ASCII}*$/u.test(domain) && !PUNYCODE.test(domain)) return text;
  const read = domainToUnicode(domainToASCII(domain));
  return read === '' || read === lowerCase(domain) ? text : text.slice(0, begin) + read;
}

/** The address of somebody as a client sends it. @throws Error */
export function readAddress(value: unknown): string {
  const address = keptAddress(readText(value).trim());
  if (address === null || address.length > SHORT) throw new Error('is not an email address');
  return address;
}

/** Characters of an address, and more: a longer text is nobody's, and each of its signs is looked at. */
const LONGEST = 1000;

/** By what somebody is looked up whose address was named, in lower(email). */
export const addressKey = (text: string): string => lowerCase(keptAddress(text.trim()) ?? text.trim().slice(0, LONGEST));

/** Which mailbox an address leads to, however its domain is written; null when it is no usable address. */
export const mailboxKey = (text: string): string | null => {
  const usable = usableAddress(text);
  return usable && lowerCase(usable);
};

/** @throws RenderError */
export function recipientAddress(text: string): string {
  const address = usableAddress(text);
  if (address === null) throw new RenderError('the email address cannot be used');
  return address;
}

/**
 * Reads `"Name" <address>`, `Name <address>` or a bare address.
 * @throws InputError naming the field
 */
export function readMailbox(text: string, field: string): Mailbox {
  // Each part ends where the next can begin, so that no text is tried in many ways.
  const found = /^(?:"((?:[^"\\]|\\.)*)"\s*|([^<>"]*))<([^<>\s]+)>$/s.exec(text.trim());
  const address = usableAddress(found ? found[3]! : text.trim());
  if (address === null || !/^[ -~]+$/.test(address)) throw new InputError({ [field]: `“${text}” is not of the form "Name" <address>` });
  return { name: (found?.[1]?.replace(/\\(.)/g, '$1') ?? found?.[2] ?? '').trim(), address };
}

/** An address as it stands in a header: its UTF-8 bytes, one character each. Nearly always the address itself. */
export const asBytes = (address: string): string => (/^[ -~]*$/.test(address) ? address : Buffer.from(address).toString('latin1'));

/**
 * The domain of a from line, in lower case.
 * @throws InputError when it is none
 */
export function domainOf(fromLine: string): string {
  const { address } = readMailbox(fromLine, 'fromline');
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
