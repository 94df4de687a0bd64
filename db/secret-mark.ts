import { createHmac } from 'node:crypto';
import type { Client, Pool } from './driver.ts';
import { inOneTransaction } from './transaction.ts';

const markOf = (secretKey: string): string => createHmac('sha256', secretKey).update('secret-mark').digest('base64url');

/**
 * Notes that the platform goes on with this SECRET_KEY.
 * @returns whether it had another one before
 */
export const keepSecretMark = (pool: Pool, secretKey: string): Promise<boolean> =>
  inOneTransaction(pool, async (sql) => {
    const before = await sql<{ mark: string }>('delete from secret_mark returning mark');
    await sql('insert into secret_mark (mark) values ($1)', [markOf(secretKey)]);
    return before.some(({ mark }) => mark !== markOf(secretKey));
  });

/**
 * Why a process with this SECRET_KEY is not of one platform with the others; null where it is, or where nobody has noted any key. Each process is well by itself with a key of its own: what
 * one has put into mails the others do not know.
 */
export async function whyOtherSecret(client: Pick<Client, 'query'>, secretKey: string): Promise<string | null> {
  const { rows: tables } = await client.query<{ made: boolean }>(`select to_regclass('public.secret_mark') is not null as made`);
  if (!tables[0]!.made) return null;
  const { rows } = await client.query<{ mark: string }>('select mark from secret_mark');
  if (rows.length === 0 || rows.some(({ mark }) => mark === markOf(secretKey))) return null;
  return 'SECRET_KEY is another than the one of the last migration: links in mails of the one lead nowhere with the other, those to unsubscribe by among them';
}
