import { type GuardOptions, defaultDeadlineMs } from '../options.js';
import { connector } from './connection.js';
import { Pool } from './pool.js';

/** More than one, so that one that breaks or becomes old never leaves the guard without any. */
const connectionCount = 2;

/**
 * Opens the connections, and asks over streams on each. A question has a call of its own only where it has to: its
 * request id is out already on every stream in question, it is uncommonly long, or the service is an older one without
 * streams.
 *
 * A question is asked twice at the most, within its deadline, and only where another answer may be had: when the
 * service says UNAVAILABLE and there is time for a second try as long as the first, and when a connection breaks. In
 * both cases it may have been judged already: then the key is charged, and a failure recorded, once too often. No other
 * code is an invitation to ask again. When the service ends a stream in order it has not judged what it has not
 * answered: that is asked elsewhere, and does not count.
 */
export function openPool(options: GuardOptions): Pick<Pool, 'ask' | 'close'> {
  const connect = connector(options);
  const connections = Array.from({ length: connectionCount }, connect);
  return new Pool(connections, options.deadlineMs ?? defaultDeadlineMs);
}
