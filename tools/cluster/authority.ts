import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyAndCertificate, makeAuthority, makeCertificate } from '../../embedded/certificate.ts';

/** Longer than a rehearsal. */
const GOOD_FOR_S = 3600;

/** Whom certificates are for: the addresses of nodes are not all in them. */
export const NAME = 'localhost';

/** Key and certificate, and the files they are in. */
export interface Identity extends KeyAndCertificate {
  keyFile: string;
  certFile: string;
  /** What it is signed with. */
  authorityFile: string;
}

/** Signs the certificates of everything in a rehearsal: whoever trusts it knows them all. */
export class Authority {
  readonly file: string;
  readonly #folder: string;
  readonly #own = makeAuthority();

  /** @param folder which other users may pass through */
  constructor(folder: string) {
    this.#folder = folder;
    this.file = join(folder, 'authority.crt');
    writeFileSync(this.file, this.#own.cert);
  }

  /** Writes key and certificate, in the place of those of that name that were there before. @param seconds how long it is good */
  identify(name: string, seconds = GOOD_FOR_S): Identity {
    const [keyFile, certFile] = [join(this.#folder, `${name}.key`), join(this.#folder, `${name}.crt`)];
    const { key, cert } = makeCertificate({ authority: this.#own, seconds });
    writeFileSync(keyFile, key, { mode: 0o600 });
    writeFileSync(certFile, cert);
    return { key, cert, keyFile, certFile, authorityFile: this.file };
  }
}
