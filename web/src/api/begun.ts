/** A request that takes longer has failed. The slowest operation of the service is a password check, in less than 1 s. */
export const TIMEOUT_MS = 15_000;

/** How long the first render waits for the answers: a skeleton that is replaced so soon only delays the list. */
const WORTH_WAITING_MS = 100;

interface Begun {
  readonly answer: Promise<Response>;
  /** Settles when `body` is set, or when there will be none. */
  readonly reading: Promise<void>;
  body?: unknown;
}

/** Requests that a page has sent before the script with the client was loaded. Each answer is used once. */
const begun = new Map<string, Begun>();

/** @param path of a GET at the page's own origin */
export function begin(path: string): void {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = fetch(path, { headers: { Accept: 'application/json' }, cache: 'no-store', signal });
  const read = async () => {
    const response = await answer;
    if (response.ok) sent.body = await response.clone().json();
  };
  // The client handles a failure.
  const sent: Begun = { answer, reading: read().catch(() => undefined) };
  begun.set(path, sent);
}

/** Settles when all answers are there, or when it is time to show a skeleton. */
export async function begunAnswers(): Promise<void> {
  const all = Promise.all([...begun.values()].map(({ reading }) => reading));
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, WORTH_WAITING_MS))]);
}

export function takeBegun(path: string): Promise<Response> | undefined {
  const sent = begun.get(path);
  begun.delete(path);
  return sent?.answer;
}

/** The body of an answer that is there already and is not a failure. */
export function takeBegunBody<T>(path: string): T | undefined {
  const body = begun.get(path)?.body;
  if (body !== undefined) begun.delete(path);
  return body as T | undefined;
}

/** The answers are for nobody, or for another person. */
export function forgetBegun(): void {
  begun.clear();
}
