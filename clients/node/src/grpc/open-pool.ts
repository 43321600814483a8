import { type GuardOptions, defaultDeadlineMs } from '../options.js';
import { connector } from './connection.js';
import { Pool } from './pool.js';

/** More than one, so that the guard still has a connection when one breaks or becomes old. */
const connectionCount = 2;

/**
 * Opens the connections and asks over streams on each. A question is sent as a unary call only where it has to be:
 * every stream already carries its request id, it is very long, or the service is an older one without streams.
 *
 * A question is asked twice at most, within its deadline, and only in two cases: the service answers UNAVAILABLE and
 * there is time for a second try as long as the first, or the connection breaks. In both cases the question may have
 * been judged already; then the key is charged, and a failure recorded, once too often. After any other status the
 * question is not asked again. When the service ends a stream in order, it has not judged what it has not answered:
 * such a question is asked on another stream, and this does not count as a second try.
 */
export function openPool(options: GuardOptions): Pick<Pool, 'ask' | 'close'> {
  const connect = connector(options);
  const connections = Array.from({ length: connectionCount }, connect);
  return new Pool(connections, options.deadlineMs ?? defaultDeadlineMs);
}
