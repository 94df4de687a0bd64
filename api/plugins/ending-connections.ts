import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** So long a caller may go on sending a request once no new ones are let in: less than whoever tells a process to end waits before they kill it. */
const SENDING_MS = 20_000;
/** To begin with one. */
const SILENT_MS = 1_000;

/**
 * Has an API that is told to end do so whoever holds a connection to it. Node ends those whose answer was given, and then looks no more at how long a request
 * takes to arrive: one connection over which nothing comes (browsers open some in advance) or a body that goes no further would hold the process until
 * it is killed. Answers under way are waited for.
 */
export function installEndingConnections(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  const answers = new Map<Socket, ServerResponse>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.server.on('request', ({ socket }, answer) => {
    answers.set(socket, answer);
    // Of several asked for at once the last is known.
    answer.once('close', () => answers.get(socket) === answer && answers.delete(socket));
  });
  const isSilent = (socket: Socket) => socket.bytesRead === 0;
  const isAnswered = (socket: Socket) => answers.get(socket)?.req.complete === true;
  const end = (which: (socket: Socket) => boolean) => {
    for (const socket of sockets) if (which(socket)) socket.destroy();
  };
  const timers: NodeJS.Timeout[] = [];
  app.addHook('preClose', (done) => {
    timers.push(setTimeout(() => end(isSilent), SILENT_MS));
    timers.push(setTimeout(() => end((socket) => !isAnswered(socket)), SENDING_MS));
    done();
  });
  app.addHook('onClose', (_app, done) => {
    for (const timer of timers) clearTimeout(timer);
    done();
  });
}
