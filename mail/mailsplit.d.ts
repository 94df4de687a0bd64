declare module '@zone-eu/mailsplit' {
  import type { Duplex, Transform } from 'node:stream';

  /** Parts a mail into its nodes, each told before what stands in it. It has no types of its own; these are of what is used. */
  export class Splitter extends Transform {
    /**
     * @param options.ignoreEmbedded mails in a mail stay whole
     * @param options.maxHeadSize bytes of one node's header; a longer one is an error
     */
    constructor(options: { ignoreEmbedded: boolean; maxHeadSize: number });
    [Symbol.asyncIterator](): AsyncIterableIterator<Piece> & AsyncIterator<Piece, undefined>;
  }

  export interface MimeNode {
    contentType: string | false;
    /** Undoes its transfer encoding. */
    getDecoder(): Duplex;
  }

  export type Piece = { type: 'node' | 'data' } | { type: 'body'; node: MimeNode; value: Buffer };
}
