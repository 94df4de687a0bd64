import type { Client } from './driver.ts';

export interface OtherLetters {
  words: string;
  /** Everyday addresses are concerned: of people who are there twice, or mailed though they never shall be. */
  everyday: boolean;
}

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** By most locales each letter becomes one of its own; one that knows ASCII alone leaves É, and by ICU the last letter of a word is another. */
const MORE = 'ÉΟΔΟΣ';

/**
 * In what a database differs from what statements take for granted of its letters, null where in nothing: that they are UTF8, and that lower() makes of each what lowerCase
 * (domain/people/lower-case.ts) does. By these two it is known whose an address is. It is of the database since it was created, and cannot be changed.
 */
export async function otherLetters(client: Pick<Client, 'query'>): Promise<OtherLetters | null> {
  const encoding = (await client.query<{ encoding: string }>('select getdatabaseencoding() as encoding')).rows[0]!.encoding;
  if (encoding !== 'UTF8') return { words: `the database is in ${encoding}, and has to be in UTF8`, everyday: true };
  const { rows } = await client.query<{ plain: string; more: string }>('select lower($1::text) as plain, lower($2::text) as more', [
    PLAIN,
    MORE,
  ]);
  const { plain, more } = rows[0]!;
  if (plain !== 'abcdefghijklmnopqrstuvwxyz')
    return {
      words: `the database has letters of its own for capitals (lower('${PLAIN}') is ${plain}): INFO@example.org and info@example.org are two people, and who is never to be mailed is mailed`,
      everyday: true,
    };
  if (more === 'éοδοσ') return null;
  return {
    words: `the database does not know capitals beyond ASCII as the platform does (lower('${MORE}') is ${more}): an address that has such is another one in small letters`,
    everyday: false,
  };
}
