import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { DkimAlgorithm } from '../../domain/words.ts';

const generate = promisify(generateKeyPair);

/** Shorter ones are refused by receivers, longer ones do not fit into a record every DNS server takes. */
const RSA_BITS = 2048;

/** A private key for signing, as PEM (PKCS #8). */
export async function makeDkimKey(algorithm: DkimAlgorithm): Promise<string> {
  const { privateKey } = algorithm === 'rsa' ? await generate('rsa', { modulusLength: RSA_BITS }) : await generate('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The public half as the record shows it: base64 of the whole for RSA, of the bare key for Ed25519 (RFC 8463, 4.2). */
export function publicHalf(algorithm: DkimAlgorithm, privateKey: KeyObject | string): string {
  const der = createPublicKey(privateKey as KeyObject).export({ type: 'spki', format: 'der' });
  return (algorithm === 'rsa' ? der : der.subarray(-32)).toString('base64');
}

/** The DNS record receivers look the key up by. */
export interface DkimRecord {
  name: string;
  /** Of type TXT, in one piece. */
  value: string;
}

export const dkimRecord = (key: { domain: string; selector: string; algorithm: DkimAlgorithm; publicKey: string }): DkimRecord => ({
  name: `${key.selector}._domainkey.${key.domain}`,
  value: `v=DKIM1; k=${key.algorithm}; p=${key.publicKey}`,
});

/** The record as a line of a zone file: one string holds 255 characters at most. */
export const zoneLine = ({ name, value }: DkimRecord): string =>
  `${name}. IN TXT ${value
    .match(/.{1,255}/g)!
    .map((piece) => `"${piece}"`)
    .join(' ')}`;
