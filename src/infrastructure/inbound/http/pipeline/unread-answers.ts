import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';

/** The most unread answers of one connection. Browsers and proxies wait for each answer. */
const MAX_UNREAD = 32;

const unread = new WeakMap<Socket, number>();

/**
 * Node accepts every request that has arrived, and keeps each answer until it is read. One client that keeps sending
 * and reads nothing would cost a gigabyte, so its connection is closed.
 */
export function refuseUnread({ socket }: Request, response: Response, next: NextFunction): void {
  // Requests that arrived together with the last allowed one.
  if (socket.destroyed) return;
  const count = (unread.get(socket) ?? 0) + 1;
  unread.set(socket, count);
  response.once('close', () => unread.set(socket, unread.get(socket)! - 1));
  if (count > MAX_UNREAD) socket.destroy();
  else next();
}
