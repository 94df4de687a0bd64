import type { ClientRequest } from 'node:http';

/**
 * Ends a request whose answer takes more than so many bytes, whatever they are: interim answers, blank lines and extensions of chunks may come without end, and none of them is
 * a part of a body. Read as fast as they come they take a processor.
 * @param tooMuch what the request fails with then
 */
export function readAtMost(request: ClientRequest, bytes: number, tooMuch: () => Error): void {
  request.on('socket', (socket) => {
    let left = bytes;
    const count = (part: Buffer) => {
      left -= part.byteLength;
      if (left < 0) request.destroy(tooMuch());
    };
    socket.on('data', count);
    // The next request may go over the same connection.
    request.once('close', () => socket.off('data', count));
  });
}
