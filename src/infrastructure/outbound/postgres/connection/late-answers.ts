import type pg from 'pg';

/**
 * From now on a statement whose answer is late takes its connection with it: pg gives up waiting and no more, so the
 * statement would be carried out in the end, with its transaction still open, under the next call's.
 */
export function dropWhenLate(client: pg.Client & { drop(): void }): void {
  const ask = client.query.bind(client) as (...question: unknown[]) => unknown;
  client.query = ((...question: unknown[]) => {
    const answer = ask(...question);
    if (answer instanceof Promise) answer.catch((error: unknown) => isLate(error) && client.drop());
    return answer;
  }) as typeof client.query;
}

/** What pg says when its `query_timeout` has passed. */
function isLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
