/** A mail as its reader would see it. */
export interface ReadMail {
  header(name: string): string;
  text: string;
  html: string;
}

/** Reads a mail of two parts, text and HTML, as RFC 2045 to 2047 have it; made apart from the code that writes them. */
export function readMail(content: Buffer): ReadMail {
  const source = content.toString('latin1').replaceAll('\r\n..', '\r\n.');
  const [head, body] = cut(source);
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1];
  const parts = boundary ? body.split(`--${boundary}`) : [];
  const part = (type: string): string => {
    const [partHead, partBody] = cut((parts.find((each) => each.includes(`Content-Type: ${type}`)) ?? '').trimStart());
    return partHead ? quotedPrintable(partBody).trim() : '';
  };
  const unfolded = head.replaceAll(/\r\n[ \t]/g, ' ');
  return {
    header: (name) => words(new RegExp(`^${name}: *(.*)$`, 'im').exec(unfolded)?.[1]?.trim() ?? ''),
    text: part('text/plain').replaceAll('\r\n', '\n'),
    html: part('text/html'),
  };
}

function cut(source: string): [head: string, body: string] {
  const end = source.indexOf('\r\n\r\n');
  return end < 0 ? [source, ''] : [source.slice(0, end), source.slice(end + 4)];
}

const bytes = (latin1: string) => Buffer.from(latin1, 'latin1').toString('utf8');
const hex = (source: string) => source.replaceAll(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
const quotedPrintable = (source: string) => bytes(hex(source.replaceAll(/=[ \t]*\r\n/g, '')));

/** Encoded words; blanks between two of them are none (RFC 2047, 6.2). */
const words = (line: string): string =>
  line
    .replaceAll(/(=\?utf-8\?[bq]\?[^?]*\?=)\s+(?==\?utf-8\?)/gi, '$1')
    .replaceAll(/(?:=\?utf-8\?[bq]\?[^?]*\?=)+/gi, (run) =>
      Buffer.concat(
        [...run.matchAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi)].map(([, kind, coded]) =>
          kind!.toLowerCase() === 'b' ? Buffer.from(coded!, 'base64') : Buffer.from(hex(coded!.replaceAll('_', ' ')), 'latin1'),
        ),
      ).toString('utf8'),
    );

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

/** HTML without its tags, its entities read. */
export const htmlText = (html: string): string =>
  html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/&(\w+|#\w+);/g, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole);

/** Where the links and images of HTML lead. */
export const htmlLinks = (html: string): string[] =>
  [...html.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&'));
