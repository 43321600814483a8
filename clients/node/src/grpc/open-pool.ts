import { type GuardOptions, defaultDeadlineMs } from '../options.js';
import { connector } from './connection.js';
import { Pool } from './pool.js';

/** More than one, so that a connection remains when one breaks or gets too old. */
const connectionCount = 2;

/**
 * Opens the connections and sends questions over streams on each. A question is sent as a unary call only when it must
 * be: every stream already carries its request id, it is very long, or the service is an older one without streams.
 *
 * A question is sent at most twice, within its deadline. There are only two reasons for a second try: the service
 * answers UNAVAILABLE and there is time for a second try as long as the first, or the connection breaks. In both cases
 * the service may have validated the question already; then the key is charged, and a failure recorded, twice.
 * After any other status the question is not sent again.
 *
 * When the service ends a stream in order, it has not validated the questions that it has not answered. They are sent on
 * another stream, and this does not count as a second try.
 */
export function openPool(options: GuardOptions): Pick<Pool, 'validate' | 'report' | 'close'> {
  const connect = connector(options);
  const connections = Array.from({ length: connectionCount }, connect);
  return new Pool(connections, options.deadlineMs ?? defaultDeadlineMs);
}
