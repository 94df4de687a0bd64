import { hash } from 'node:crypto';
import type { BounceKind } from '../domain/words.ts';
import { mailboxKey } from './address.ts';
import { readBounceAddress, readMessageId, readReturnAddress } from './compile.ts';
import { type QmailBounce, readQmailBounce } from './qmail-bounce.ts';
import { partsForMachines } from './report-parts.ts';

/** What a report about one of our mails says. */
export interface BounceReport {
  userId: number;
  /** Null when the mail belonged to no mailing. */
  mailingId: number | null;
  kind: BounceKind;
  /** Enhanced status code (RFC 3463), such as 5.1.1; empty where there is none. */
  code: string;
  diagnostic: string;
  /** Which addresses it says did not get the mail: the one it was sent to, the one it was last forwarded to. In ASCII and lower case; none in a complaint. */
  addresses: readonly string[];
  /** Of the report itself, so that one delivered twice, by whatever way, counts once. */
  reportId: string;
}

const LONGEST_DIAGNOSTIC = 500;
/** So far into a report the words for people are looked at: they stand first. */
const MOST_WORDS = 64 * 1024;
/** So far its own header is, where its Message-ID stands. */
const LONGEST_HEAD = 32 * 1024;
/** So far its fields for programs are: a mail of ours has one recipient, and strangers send thousands of groups. */
const MOST_FIELDS = 32 * 1024;
/** So many addresses and ids that look like ours are checked: what each takes is little, and a stranger's mail has room for tens of thousands. */
const MOST_CHECKED = 500;
/** Of the sender, a full or busy box, the system, the way there, the content, rules: these say nothing of whether the address is good. */
const PASSING = /^5\.(1\.[78]|2\.([23]|12)|[3467]\.)/;
/** What the server was answered that had the mail last, `X-James;` before it where that has several lines: the code of three digits, and the enhanced one where there is one. */
const REPLY = /^(?:(?:smtp|x-james);\s*)?([245]\d\d)(?:[ -]([245]\.\d{1,3}\.\d{1,3})(?!\d))?/i;
/** Of no kind (RFC 3463): Exim, OpenSMTPD and Exchange Online give it for whatever they were answered, and Haraka gives none. Then the answer says what it was. */
const VAGUE = /^(5\.0\.|$)/;
/** Without an enhanced code: "exceeded storage allocation". */
const FULL = '552';
const IN_WORDS = /^[ \t]*([^\s:]+): (.+)$/gm;

/**
 * Reads a delivery status notification (RFC 3464), a bounce of qmail, an abuse report (RFC 5965) or a complaint of Outlook.com about a mail of ours.
 * @param raw the report as it came, RFC 5322
 * @param recipient the address it was sent to, where that is known: a bounce address of ours says whom it is about, whatever the report itself repeats
 * @returns null for what is neither, is about no mail of ours, or says that all is well
 */
export async function readBounceReport(raw: Buffer, secretKey: string, recipient = ''): Promise<BounceReport | null> {
  const about = aboutOf(readBounceAddress(secretKey, recipient.split('@')[0]!)) ?? findMail(raw.toString('latin1'), secretKey);
  if (!about) return null;
  const parts = await partsForMachines(raw);
  const feedback = parts.get('message/feedback-report');
  const status = parts.get('message/delivery-status') ?? parts.get('message/global-delivery-status');
  const begin = raw.toString('latin1', 0, MOST_WORDS);
  const found =
    feedback !== undefined
      ? readFeedback(feedback)
      : status !== undefined
        ? readStatus(status, begin)
        : OF_MICROSOFT.test(begin)
          ? complaint('abuse')
          : worst(readQmailBounce(begin).map(ofQmail));
  return found && { ...about, ...found, reportId: idOf(raw, about.mailingId, found.kind) };
}

/** By its Message-ID, with what it is about for servers that give several of theirs the same: whatever takes it on the way writes lines of its own above it, others where it comes another way. */
function idOf(raw: Buffer, mailingId: number | null, kind: BounceKind): string {
  const begin = raw.toString('latin1', 0, LONGEST_HEAD);
  const head = begin.slice(0, Math.max(0, begin.search(/\r?\n\r?\n/)));
  const [, id] = /^message-id:\s*(<[^<>\s]+>)/im.exec(head) ?? [];
  return hash('sha256', id ? JSON.stringify([id, mailingId, kind]) : raw, 'base64url');
}

type About = Pick<BounceReport, 'userId' | 'mailingId'>;

/** Mailing 0 is none: a mail of our own to one person. */
const aboutOf = (found: { userId: number; mailingId: number } | null): About | null =>
  found && { userId: found.userId, mailingId: found.mailingId || null };

/**
 * The bounce or unsubscribe address or Message-ID of ours that stands somewhere in a report: none can be made up without the secret.
 * Of a confirmation, whose Message-ID names nobody, the header has the unsubscribe address alone.
 */
function findMail(text: string, secretKey: string): About | null {
  const whole = text.slice(0, 1_000_000).replace(/=\r?\n/g, '');
  for (const [, address] of whole.matchAll(/((?:bounce|unsubscribe)\+\d{1,10}\.\d{1,10}\.[\w-]{10})(?==?[@=])/gi).take(MOST_CHECKED)) {
    const found = aboutOf(readReturnAddress(secretKey, address!));
    if (found) return found;
  }
  for (const [, left] of whole.matchAll(/<(\d{1,10}\.\d{1,10}\.[\w-]{16})@/g).take(MOST_CHECKED)) {
    const found = aboutOf(readMessageId(secretKey, left!));
    if (found) return found;
  }
  return null;
}

type Finding = Pick<BounceReport, 'kind' | 'code' | 'diagnostic' | 'addresses'>;

/** Outlook.com sends back the mail alone, with this in its header, where it is not told to send abuse reports. */
const OF_MICROSOFT = /^X-HmXmrOriginalRecipient:/im;

const complaint = (type: string): Finding => ({
  kind: 'complaint',
  code: '',
  diagnostic: type.slice(0, LONGEST_DIAGNOSTIC),
  addresses: [],
});

function readFeedback(text: string): Finding | null {
  const [fields] = groupsOf(text);
  const type = fields?.get('feedback-type')?.toLowerCase() ?? '';
  return type === '' || type === 'not-spam' ? null : complaint(type);
}

/**
 * One group of fields about the message, then one for each recipient; ours have one. The worst thing said counts.
 * @param report all of it: OpenSMTPD tells the answer in the words for people only
 */
function readStatus(text: string, report: string): Finding | null {
  // Once for all groups: strangers send thousands.
  const inWords = answersInWords(report);
  const findings = groupsOf(text).flatMap((fields): Finding[] => {
    const action = fields.get('action')?.toLowerCase();
    if (action !== 'failed') return [];
    const addresses = addressesIn(fields);
    const told = addresses.map((address) => inWords.get(address)).find((answer) => answer !== undefined);
    const diagnostic = (fields.get('diagnostic-code') ?? told ?? '').slice(0, LONGEST_DIAGNOSTIC);
    const status = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? '';
    return [{ ...judge(status, diagnostic), diagnostic, addresses }];
  });
  return worst(findings);
}

const worst = (findings: Finding[]): Finding | null => findings.find(({ kind }) => kind === 'hard') ?? findings[0] ?? null;

const ofQmail = ({ address, words, status, answer }: QmailBounce): Finding => ({
  ...judge(status, answer),
  diagnostic: words.slice(0, LONGEST_DIAGNOSTIC),
  addresses: [mailboxKey(address) ?? []].flat(),
});

function judge(status: string, diagnostic: string): Pick<Finding, 'kind' | 'code'> {
  // Exchange Online: "550 5.0.350 Remote server returned an error -> 552 5.2.2 mailbox full".
  const [, reply = '', enhanced] = REPLY.exec(diagnostic.split(' -> ').at(-1)!) ?? [];
  const told = VAGUE.test(status) ? enhanced : status;
  // What has no status and nobody answered is no word about the address.
  const code = told ?? (status || (reply && '5.0.0'));
  // Haraka makes 5.2.0 of a 450 4.2.0 that it was given until it gave up.
  const hard = code.startsWith('5') && !PASSING.test(code) && !reply.startsWith('4') && (told !== undefined || reply !== FULL);
  return { kind: hard ? 'hard' : 'soft', code };
}

/** By address, of lines `somebody@example.org: 550 5.1.1 no such user`. */
function answersInWords(report: string): Map<string, string> {
  const answers = new Map<string, string>();
  for (const [, address, answer] of report.matchAll(IN_WORDS)) {
    const key = address!.toLowerCase();
    if (!answers.has(key) && REPLY.test(answer!)) answers.set(key, answer!.trimEnd());
  }
  return answers;
}

function addressesIn(fields: Map<string, string>): string[] {
  const given = ['original-recipient', 'final-recipient'].flatMap((name) => fields.get(name)?.split(';').slice(1).join(';').trim() ?? []);
  const bare = given.map((text) => text.replace(/^<(.*)>$/, '$1'));
  // The first may be written as it stands in an ORCPT (xtext, RFC 3461); not every server does.
  const plain = bare.map((text) => text.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))));
  return [...new Set([...bare, ...plain].flatMap((text) => mailboxKey(text) ?? []))];
}

/** Groups of header-like fields with empty lines between, names in lower case, folded lines joined. */
function groupsOf(text: string): Map<string, string>[] {
  const groups = text
    .slice(0, MOST_FIELDS)
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/);
  return groups.map((group) => {
    const lines = group.replace(/\n[ \t]+/g, ' ').split('\n');
    return new Map(
      lines.flatMap((line) => {
        const colon = line.indexOf(':');
        return colon > 0 ? [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const] : [];
      }),
    );
  });
}
