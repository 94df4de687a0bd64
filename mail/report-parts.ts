import { buffer } from 'node:stream/consumers';
import { type MimeNode, Splitter } from '@zone-eu/mailsplit';

/** So far into a report its parts are looked for: what is meant for machines stands before the mail it is about. */
const MOST_READ = 256 * 1024;
/** Bytes of one part's header: reading them takes the square of their lines, in one go. */
const LONGEST_HEADER = 32 * 1024;
const FOR_MACHINES = new Set(['message/feedback-report', 'message/delivery-status', 'message/global-delivery-status']);

/**
 * The first part of each type that programs read. Nothing else is decoded: strangers write these mails, and what lays out texts for people (format=flowed
 * above all) takes minutes for two megabytes made for it.
 * @param raw the report as it came, RFC 5322
 */
export async function partsForMachines(raw: Buffer): Promise<Map<string, string>> {
  const splitter = new Splitter({ ignoreEmbedded: true, maxHeadSize: LONGEST_HEADER });
  splitter.end(raw.subarray(0, MOST_READ));
  const pieces = new Map<MimeNode, Buffer[]>();
  try {
    for await (const piece of splitter) {
      if (piece.type !== 'body' || !FOR_MACHINES.has(piece.node.contentType || '')) continue;
      const held = pieces.get(piece.node) ?? [];
      pieces.set(piece.node, held);
      held.push(piece.value);
    }
  } catch (error) {
    // Too long a header, or too many parts: what stood before them counts.
    if ((error as { code?: string }).code !== 'EMAXLEN') throw error;
  }
  const parts = new Map<string, string>();
  for (const [node, held] of pieces) {
    if (parts.has(node.contentType as string)) continue;
    const decoder = node.getDecoder();
    decoder.end(Buffer.concat(held));
    parts.set(node.contentType as string, (await buffer(decoder)).toString('latin1'));
  }
  return parts;
}
