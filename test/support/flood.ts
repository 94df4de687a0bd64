import type { Socket } from 'node:net';

/** Sends a piece again and again, as fast as the other side reads it. */
export function flood(socket: Socket, piece: string): void {
  const pieces = piece.repeat(Math.ceil(65_536 / piece.length));
  const go = () => {
    while (!socket.destroyed && socket.write(pieces));
  };
  socket.on('drain', go);
  go();
}
