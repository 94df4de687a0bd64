import { generateKeyPairSync, sign } from 'node:crypto';

// A certificate for 127.0.0.1 and localhost, signed by itself, for servers of tests and rehearsals. X.509 is a few nested lists: this writes them.

const der = (tag: number, ...contents: Buffer[]): Buffer => {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const list = (...items: Buffer[]) => der(0x30, ...items);
const setOf = (...items: Buffer[]) => der(0x31, ...items);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const time = (date: Date) => der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

const ECDSA_SHA256 = list(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const ALTERNATIVE_NAMES = oid(0x55, 0x1d, 0x11);

/** Key and certificate, as PEM, good for an hour. */
export function makeCertificate(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = list(setOf(list(COMMON_NAME, der(0x0c, Buffer.from('localhost')))));
  const names = list(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const body = list(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    list(time(new Date(Date.now() - 60_000)), time(new Date(Date.now() + 3_600_000))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, list(list(ALTERNATIVE_NAMES, der(0x04, names)))),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = list(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  const base64 = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}
