import { akidOf, type Expected, linksOf, subjectsOf } from './expected.ts';
import type { Person } from './people.ts';
import { htmlLinks, htmlText, readMail } from './read-mail.ts';
import type { Taken } from './relay-record.ts';

/** Where the platform is reached, and what its akids are made with. */
export interface Place {
  baseUrl: string;
  secretKey: string;
}

/**
 * Compares a mail with what its recipient had to get.
 * @returns what is wrong with it, and which of the subjects it has
 */
export function checkMail(place: Place, { mailingId, token }: Expected, person: Person, { from, content }: Taken) {
  const wrongs: string[] = [];
  const mail = readMail(content);
  const akid = akidOf(place.secretKey, mailingId, person.id);
  const links = linksOf(place.baseUrl, akid);
  const same = (what: string, found: unknown, wanted: unknown) => {
    if (String(found) !== String(wanted)) wrongs.push(`${what} is ${found}, not ${wanted}`);
  };
  same('To', mail.header('To').toLowerCase(), person.email);
  if (!from.startsWith(`bounce+${mailingId}.${person.id}.`)) wrongs.push(`it would bounce to ${from}`);
  if (!mail.header('List-Unsubscribe').includes(`<${links.leave}>`)) wrongs.push('List-Unsubscribe leads elsewhere');
  same('links of the HTML', htmlLinks(mail.html), links.html);
  same('links of the text', mail.text.match(/https?:\/\/\S+/g), links.text);
  const subject = mail.header('Subject');
  const greeted = person.names.find((name) => mail.text.startsWith(`Dear ${name || 'friend'},\n`));
  if (greeted === undefined) wrongs.push(`the text greets somebody else: ${mail.text.split('\n')[0]}`);
  if (!htmlText(mail.html).includes(`Dear ${greeted || 'friend'},`)) wrongs.push('the HTML greets somebody else');
  const variant = subjectsOf(greeted ?? '').indexOf(subject);
  if (variant < 0) wrongs.push(`the subject is ${subject}`);
  if (!mail.header('From').includes(token)) wrongs.push('it is of another mailing');
  return { wrongs, variant, messageId: mail.header('Message-ID'), akid };
}
