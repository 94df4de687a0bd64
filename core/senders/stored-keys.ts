import { createPrivateKey } from 'node:crypto';
import type { Pool, PoolClient } from '../../db/driver.ts';
import { InputError } from '../../domain/errors.ts';
import { seal, unseal } from '../../domain/sealed.ts';
import type { DkimAlgorithm } from '../../domain/words.ts';
import type { SigningKey } from '../../mail/dkim/signature.ts';

type Db = Pool | PoolClient;

/** What may be shown of a key. */
export interface ShownDkimKey {
  domain: string;
  selector: string;
  algorithm: DkimAlgorithm;
  active: boolean;
  publicKey: string;
  createdAt: Date;
}

const PURPOSE = 'dkim';
const SHOWN = 'domain, selector, algorithm, active, public_key as "publicKey", created_at as "createdAt"';

/**
 * Stores a key. It signs from now on, unless its domain has a key of this algorithm that signs already.
 * @param privateKey PEM
 * @throws InputError when the domain has a key of this selector
 */
export async function addDkimKey(
  db: Db,
  key: Omit<ShownDkimKey, 'active' | 'createdAt'> & { privateKey: string },
  secretKey: string,
): Promise<ShownDkimKey> {
  const { domain, selector, algorithm, publicKey, privateKey } = key;
  const { rows } = await db.query<ShownDkimKey>(
    `insert into dkim_key (domain, selector, algorithm, public_key, private_key, active)
      values ($1, $2, $3, $4, $5, not exists (select from dkim_key where domain = $1 and algorithm = $3 and active))
      on conflict (domain, selector) do nothing returning ${SHOWN}`,
    [domain, selector, algorithm, publicKey, seal(secretKey, PURPOSE, privateKey)],
  );
  if (!rows[0]) throw new InputError({ selector: `${domain} has a key with the selector ${selector} already; give another one.` });
  return rows[0];
}

/** All keys, those of one domain, or those with these ids. */
export async function listDkimKeys(db: Db, which: { domain?: string; ids?: readonly number[] } = {}): Promise<ShownDkimKey[]> {
  const { rows } = await db.query<ShownDkimKey>(
    `select ${SHOWN} from dkim_key where ($1::text is null or domain = $1) and ($2::int[] is null or id = any($2)) order by domain, algorithm, id`,
    [which.domain ?? null, which.ids ?? null],
  );
  return rows;
}

/**
 * Lets a key sign in place of the one of its domain and algorithm that does now. Mailings under way keep theirs.
 * @throws InputError when there is no such key
 */
export async function useDkimKey(db: Db, domain: string, selector: string): Promise<void> {
  // The unique index of those that sign is looked at row by row: counting the old ones makes sure that they are out first.
  const { rowCount } = await db.query(
    `with chosen as (select id, algorithm from dkim_key where domain = $1 and selector = $2),
        old as (update dkim_key k set active = false from chosen c where k.domain = $1 and k.algorithm = c.algorithm and k.id <> c.id and active
          returning k.id)
      update dkim_key k set active = true from chosen c where k.id = c.id and (select count(*) from old) >= 0`,
    [domain, selector],
  );
  if (!rowCount) throw noSuchKey(domain, selector);
}

/** @throws InputError when there is no such key, or mailings are being sent with it */
export async function removeDkimKey(db: Db, domain: string, selector: string): Promise<void> {
  const { rows } = await db.query<{ mailings: number[]; gone: number }>(
    `with busy as (
        select k.id as key, r.mailing_id from dkim_key k join send_run r on r.content->'dkim' @> to_jsonb(k.id)
          join core_mailing m on m.id = r.mailing_id and m.status = 'sending' where k.domain = $1 and k.selector = $2),
      gone as (
        delete from dkim_key k where domain = $1 and selector = $2 and not exists (select from busy where key = k.id) returning 1)
      select coalesce((select array_agg(mailing_id order by mailing_id) from busy), '{}') as mailings, (select count(*)::int from gone) as gone`,
    [domain, selector],
  );
  const { mailings, gone } = rows[0]!;
  if (mailings.length) throw new InputError({ selector: `Mailings are being sent with this key: ${mailings.join(', ')}.` });
  if (!gone) throw noSuchKey(domain, selector);
}

const noSuchKey = (domain: string, selector: string) => new InputError({ selector: `${domain} has no key with the selector ${selector}.` });

/**
 * Which keys sign the mails of a domain: its own, else those of the nearest domain above it that has any; one of each algorithm at most.
 * @returns their ids
 */
export async function signingKeyIds(db: Db, domain: string): Promise<number[]> {
  const { rows } = await db.query<{ ids: number[] }>(
    `select array_agg(id order by id) as ids from dkim_key
      where active and (domain = $1 or right($1, length(domain) + 1) = '.' || domain) group by domain order by length(domain) desc limit 1`,
    [domain.toLowerCase()],
  );
  return rows[0]?.ids ?? [];
}

/** A key that mail was to be signed with cannot be: it is gone, or SECRET_KEY is another one now. The message names the key, never more. */
export class DkimKeyError extends Error {}

/** @throws DkimKeyError */
export async function openDkimKeys(db: Db, ids: readonly number[], secretKey: string): Promise<SigningKey[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query(
    'select domain, selector, algorithm, private_key from dkim_key where id = any($1) order by algorithm desc',
    [ids],
  );
  if (rows.length < ids.length) throw new DkimKeyError('a DKIM key that was to sign its mails has been removed');
  return rows.map(({ domain, selector, algorithm, private_key: sealed }) => {
    const pem = unseal(secretKey, PURPOSE, sealed);
    if (pem === null) {
      throw new DkimKeyError(`the DKIM key ${selector} of ${domain} cannot be opened with this SECRET_KEY: remove it and make another one`);
    }
    return { domain, selector, algorithm, privateKey: createPrivateKey(pem) };
  });
}
