import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { type Env, SettingError } from './env.ts';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

const ENCODING = 'binary/encrypted';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts what Temporal keeps of workflows: inputs, results, failures, what queries answer. The first key of PAYLOAD_KEYS encrypts; each decrypts what it has
 * encrypted, so that a new one is put in front and an old one stays for as long as there are histories under it. What is not encrypted is taken as it is: it is of the time before.
 */
export class EncryptingCodec implements PayloadCodec {
  readonly #keys: Map<string, Buffer>;
  readonly #first: string;

  /** @param keys by id; not empty */
  constructor(keys: Map<string, Buffer>) {
    this.#keys = keys;
    this.#first = keys.keys().next().value as string;
  }

  encode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads.map((payload) => this.#encrypt(payload)));
  }

  /** @throws SettingError when there is no such key; Error when a payload was changed */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => (textOf(payload, 'encoding') === ENCODING ? this.#decrypt(payload) : payload));
  }

  #encrypt(payload: Payload): Payload {
    const id = this.#first;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keys.get(id)!, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(id));
    const data = Buffer.concat([nonce, cipher.update(PayloadMessage.encode(payload).finish()), cipher.final(), cipher.getAuthTag()]);
    return { metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(id) }, data };
  }

  #decrypt(payload: Payload): Payload {
    const id = textOf(payload, 'encryption-key-id');
    const key = this.#keys.get(id);
    if (!key) throw new SettingError(`PAYLOAD_KEYS has no key ${id}, with which something was encrypted`);
    const data = Buffer.from(payload.data ?? []);
    const decipher = createDecipheriv(CIPHER, key, data.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(id))
      .setAuthTag(data.subarray(-TAG_BYTES));
    return PayloadMessage.decode(Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]));
  }
}

const textOf = ({ metadata }: Payload, name: string): string => Buffer.from(metadata?.[name] ?? []).toString();

/** What is encrypted with, from the settings; null without PAYLOAD_KEYS. @throws SettingError */
export function payloadCodec({ PAYLOAD_KEYS: setting }: Pick<Env, 'PAYLOAD_KEYS'>): EncryptingCodec | null {
  if (!setting) return null;
  const keys = new Map<string, Buffer>();
  for (const given of setting.trim().split(/\s+/)) {
    const [id = '', text = ''] = given.split(':');
    const key = Buffer.from(text, 'base64');
    if (key.length !== KEY_BYTES)
      throw new SettingError(`PAYLOAD_KEYS: the key ${id} has to be ${KEY_BYTES} bytes in base64 (openssl rand -base64 ${KEY_BYTES})`);
    if (keys.has(id)) throw new SettingError(`PAYLOAD_KEYS names ${id} twice`);
    keys.set(id, key);
  }
  return new EncryptingCodec(keys);
}

/** Whether a payload is kept as it would be written now: under the first key, or readable where there is none. */
export const isKeptAsNow = (payload: Payload, { PAYLOAD_KEYS: setting }: Pick<Env, 'PAYLOAD_KEYS'>): boolean =>
  textOf(payload, 'encryption-key-id') === (setting?.trim().split(':')[0] ?? '');

/** To be spread into what clients and workers are made with. @throws SettingError */
export function converting(env: Pick<Env, 'PAYLOAD_KEYS'>) {
  const codec = payloadCodec(env);
  return codec ? { dataConverter: { payloadCodecs: [codec], failureConverterPath: FAILURES } } : {};
}

/** Failures are encrypted, too: their words and where they came from. Workflows make theirs in a script of their own, which has to hold this. */
export const FAILURES = new URL('failure-converter.ts', import.meta.url).pathname;
