/** A request that takes longer has failed. The slowest operation of the service is a password check, in less than 1 s. */
export const TIMEOUT_MS = 15_000;

/** Requests that a page has sent before the script with the client was loaded. Each answer is used once. */
const begun = new Map<string, Promise<Response>>();

/** @param path of a GET at the page's own origin */
export function begin(path: string): void {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = fetch(path, { headers: { Accept: 'application/json' }, cache: 'no-store', signal });
  // The client handles the failure.
  answer.catch(() => undefined);
  begun.set(path, answer);
}

export function takeBegun(path: string): Promise<Response> | undefined {
  const answer = begun.get(path);
  begun.delete(path);
  return answer;
}

/** The answers are for nobody, or for another person. */
export function forgetBegun(): void {
  begun.clear();
}
