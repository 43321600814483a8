import type pg from 'pg';

/** A connection that can be ended without waiting for the server to say goodbye. */
interface Droppable {
  readonly isDropped: boolean;
  drop(): void;
}

/**
 * From now on no answer counts that comes on a dropped connection: one whose bytes are here already would still be passed
 * on. And a statement whose answer is late takes its connection with it: pg gives up waiting and no more, so the statement would be
 * carried out in the end, with its transaction still open, under the next call's.
 */
export function dropWhenLate(client: pg.Client & Droppable): void {
  const ask = client.query.bind(client) as (...question: unknown[]) => unknown;
  const refuseIfDropped = (answer: unknown) => {
    if (client.isDropped) throw new Error('the connection was ended');
    return answer;
  };
  const noticeIfLate = (error: unknown) => {
    if (isLate(error)) client.drop();
    throw error;
  };
  client.query = ((...question: unknown[]) => {
    const answer = ask(...question);
    return answer instanceof Promise ? answer.then(refuseIfDropped, noticeIfLate) : answer;
  }) as typeof client.query;
}

/** What pg says when its `query_timeout` has passed. */
function isLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
