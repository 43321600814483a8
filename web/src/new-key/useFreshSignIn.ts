import { useRef } from 'react';
import { NotSignedInAgain, SomebodyElse, type FreshSignIn } from '../api/fresh-sign-in';
import { ApiProblem } from '../api/problem';
import { withRetries } from '../api/retry';
import { usePanel } from '../panel/context';
import { useOwner } from '../panel/useOwner';

/**
 * Where the service asks for a fresh sign-in, the host asks the person, and what was refused is tried once more.
 * @param onWaiting called when the waiting for the person begins, and when it ends
 */
export function useFreshSignIn(onWaiting: (isWaiting: boolean) => void) {
  const { client } = usePanel();
  const { data: owner } = useOwner();
  const giveUp = useRef<() => void>(undefined);

  const askHost = async (freshSignIn: FreshSignIn): Promise<string | undefined> => {
    onWaiting(true);
    // A host may never settle, as when it does not notice that its window was closed.
    const givenUp = new Promise<never>((_, reject) => (giveUp.current = () => reject(new NotSignedInAgain())));
    try {
      return await Promise.race([client.freshToken(freshSignIn), givenUp]);
    } catch (cause) {
      throw new NotSignedInAgain('The person did not sign in again', { cause });
    } finally {
      giveUp.current = undefined;
      onWaiting(false);
    }
  };

  const confirmed = async <T>(attempt: (token?: string) => Promise<T>): Promise<T> => {
    try {
      return await attempt();
    } catch (error) {
      const freshSignIn = error instanceof ApiProblem ? error.freshSignIn : undefined;
      const token = freshSignIn && (await askHost(freshSignIn));
      if (token === undefined) throw error;
      const now = await withRetries(() => client.getOwner(token));
      if (now.ownerId !== owner?.ownerId) throw new SomebodyElse();
      return attempt(token);
    }
  };

  return { confirmed, giveUp: () => giveUp.current?.() };
}
