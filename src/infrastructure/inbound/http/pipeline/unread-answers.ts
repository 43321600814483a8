import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';

/** Requests of one connection without a read answer. Browsers and proxies wait for each answer before they ask again. */
const MAX_UNREAD = 32;

const unread = new WeakMap<Socket, number>();

/**
 * Node takes every request that has arrived, and keeps each answer until it is read: one client that asks on and reads
 * nothing would cost a gigabyte. Its connection is closed.
 */
export function refuseUnread({ socket }: Request, response: Response, next: NextFunction): void {
  // What had arrived together with the one too many.
  if (socket.destroyed) return;
  const count = (unread.get(socket) ?? 0) + 1;
  unread.set(socket, count);
  response.once('close', () => unread.set(socket, unread.get(socket)! - 1));
  if (count > MAX_UNREAD) socket.destroy();
  else next();
}
