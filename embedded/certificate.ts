import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

// Certificates for servers of tests and rehearsals, and for who comes to them. X.509 is a few nested lists: this writes them.

const der = (tag: number, ...contents: Buffer[]): Buffer => {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const list = (...items: Buffer[]) => der(0x30, ...items);
const setOf = (...items: Buffer[]) => der(0x31, ...items);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const octets = (content: Buffer) => der(0x04, content);
const yes = der(0x01, Buffer.from([0xff]));
const critical = yes;
const nameOf = (name: string) => list(setOf(list(COMMON_NAME, der(0x0c, Buffer.from(name)))));
const time = (date: Date) => der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

const ECDSA_SHA256 = list(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const ALTERNATIVE_NAMES = oid(0x55, 0x1d, 0x11);
const BASIC_CONSTRAINTS = oid(0x55, 0x1d, 0x13);
const HOUR_S = 3600;

/** As PEM. */
export interface KeyAndCertificate {
  key: string;
  cert: string;
}

/** What certificates are signed with; itself signed by itself. */
export const makeAuthority = (): KeyAndCertificate => write('authority', HOUR_S, [list(BASIC_CONSTRAINTS, critical, octets(list(yes)))]);

/** Key and certificate for 127.0.0.1 and localhost. @param authority whose signature it has; its own without. @param seconds how long it is good */
export function makeCertificate({
  authority,
  seconds = HOUR_S,
}: {
  authority?: KeyAndCertificate;
  seconds?: number;
} = {}): KeyAndCertificate {
  const names = list(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  return write('localhost', seconds, [list(ALTERNATIVE_NAMES, octets(names))], authority && { name: 'authority', key: authority.key });
}

function write(name: string, seconds: number, extensions: Buffer[], by?: { name: string; key: string }): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const body = list(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    nameOf(by?.name ?? name),
    list(time(new Date(Date.now() - 60_000)), time(new Date(Date.now() + seconds * 1000))),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, list(...extensions)),
  );
  const signature = sign('sha256', body, by?.key ?? privateKey);
  const certificate = list(body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  const base64 = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}
