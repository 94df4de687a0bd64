import type { MailingContent } from './contracts.ts';

// What a link may hold that is the same in all mails of a mailing, and another in each mailing: `utm_campaign={{ mailing.id }}`.

const PLACE = /\{\{\s*mailing(?:\.id|(?:_fields|\.fields|\.custom_fields)\.(\w+))\s*\}\}/g;
/** What stands in an address as it is, in HTML and in a text. */
const PLAIN = /^[^\s<>"'`&(){}[\]]*$/;
/** A tag (`with`, `for`, `include`) in which the name stands for something else, or may. */
const RENAMED = /\{%[^%]*?\bmailing(?:_fields)?\s*(?:=(?!=)|,|in\b|%)/;

/** @returns puts the mailing's own values into an address; what is to be made of them, and what has no plain one, stays for the template */
export function ownPlaces({ mailingId, fields, html, text, wrapper, snippets = {} }: MailingContent): (address: string) => string {
  const included = Object.values(snippets).flatMap((snippet) => [snippet.html, snippet.text]);
  const templates = [html, text, wrapper?.template ?? '', wrapper?.textTemplate ?? '', ...included];
  if (templates.some((template) => RENAMED.test(template))) return (address) => address;
  return (address) =>
    address.replace(PLACE, (place, name?: string) => {
      if (name === undefined) return String(mailingId);
      const value = Object.hasOwn(fields, name) ? fields[name]! : undefined;
      return value !== undefined && PLAIN.test(value) ? value : place;
    });
}
