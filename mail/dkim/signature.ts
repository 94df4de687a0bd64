import { hash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { DkimAlgorithm } from '../../domain/words.ts';
import { type CanonicalField, relaxedBody, relaxedField, relaxedHeader } from './canonical.ts';

/** A key that signs, and where receivers find its public half: a TXT record at `<selector>._domainkey.<domain>`. */
export interface SigningKey {
  domain: string;
  selector: string;
  algorithm: DkimAlgorithm;
  privateKey: KeyObject;
}

/** Signed where they are there. */
const SIGNED = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
];

/** Signed once more than they are there, so that nobody adds a second one, which a reader might show instead. */
const SEALED = ['from', 'to', 'cc', 'subject', 'reply-to'];

const LINE = 70;

// The thread pool's: an RSA signature takes most of a millisecond, in which the process can render and talk to the relay.
const signOnThread = promisify(sign);

/**
 * The DKIM-Signature headers of a mail, one for each key, ready to stand before it.
 * @param message CRLF line ends, one character per byte
 * @param at milliseconds since the epoch
 */
export async function dkimSignatures(message: string, keys: readonly SigningKey[], at: number): Promise<string> {
  const gap = message.indexOf('\r\n\r\n');
  const fields = relaxedHeader(message.slice(0, gap + 2));
  const bodyHash = hash('sha256', Buffer.from(relaxedBody(message.slice(gap + 4)), 'latin1'), 'base64');
  const { names, text } = signedFields(fields);
  const signatures = keys.map(async (key) => {
    const unsigned = fieldOf(key, names, bodyHash, at);
    const digested = Buffer.from(`${text}${relaxedField(unsigned).text}`, 'latin1');
    // Ed25519 signs the hash (RFC 8463), RSA hashes by itself.
    const signature =
      key.algorithm === 'rsa'
        ? await signOnThread('sha256', digested, key.privateKey)
        : await signOnThread(null, hash('sha256', digested, 'buffer'), key.privateKey);
    return `${unsigned}${folded(signature.toString('base64'))}\r\n`;
  });
  return (await Promise.all(signatures)).join('');
}

/** The header fields that are signed: their names as the signature lists them, and what is hashed of them. Of several of one name the last counts first. */
function signedFields(fields: CanonicalField[]): { names: string[]; text: string } {
  const names: string[] = [];
  let text = '';
  for (const name of SIGNED) {
    const found = fields.filter((field) => field.name === name);
    for (const field of found.reverse()) {
      names.push(name);
      text += `${field.text}\r\n`;
    }
    if (SEALED.includes(name)) names.push(name);
  }
  return { names, text };
}

/** The signature's own field, up to and without its value `b=`. */
function fieldOf({ algorithm, domain, selector }: SigningKey, names: string[], bodyHash: string, at: number): string {
  let list = '';
  let column = 3;
  for (const name of names) {
    const joint = list === '' ? '' : column + name.length + 1 > LINE ? ':\r\n  ' : ':';
    column = joint.length > 1 ? 2 + name.length : column + joint.length + name.length;
    list += joint + name;
  }
  return (
    `DKIM-Signature: v=1; a=${algorithm}-sha256; c=relaxed/relaxed;\r\n d=${domain}; s=${selector};\r\n` +
    ` t=${Math.floor(at / 1000)}; bh=${bodyHash};\r\n h=${list};\r\n b=`
  );
}

const folded = (base64: string) => base64.match(/.{1,70}/g)!.join('\r\n  ');
