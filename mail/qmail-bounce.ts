/** Who did not get a mail, and why, as qmail says it. */
export interface QmailBounce {
  address: string;
  /** On one line. */
  words: string;
  /** Enhanced status code; empty where it tells none. */
  status: string;
  /** What the server it went to answered, from its code on; empty where none did. */
  answer: string;
}

/**
 * Reads a bounce of qmail, which is text in a fixed form (QSBMF, cr.yp.to/proto/qsbmf.txt): paragraphs, the first of them a greeting, then one for each recipient, then
 * one that begins with a dash. It is only written of those it has given up.
 * @param report the mail as it came, or its begin
 */
export function readQmailBounce(report: string): QmailBounce[] {
  const text = report.replace(/\r\n/g, '\n');
  const body = text.slice(text.indexOf('\n\n') + 2);
  if (!body.startsWith('Hi. This is the ')) return [];
  const paragraphs = body.split(/\n\n+/);
  const end = paragraphs.findIndex((each) => each.startsWith('-'));
  return paragraphs.slice(1, Math.max(0, end)).flatMap((paragraph): QmailBounce[] => {
    const [, address, said] = /^<([^\n]*)>:\n(.+)/s.exec(paragraph) ?? [];
    if (address === undefined || said === undefined) return [];
    const words = said.replace(/\s+/g, ' ').trim();
    return [
      {
        address,
        words,
        status: /\(#([245]\.\d{1,3}\.\d{1,3})\)/.exec(words)?.[1] ?? '',
        answer: /Remote host said: (.*)/.exec(words)?.[1] ?? '',
      },
    ];
  });
}
