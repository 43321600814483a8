import { useRef } from 'react';
import { type FreshSignIn, hasCode, readChallenge } from '../api/problem';
import { withRetries } from '../api/retry';
import { useOwner, usePanel } from '../base/context';

/**
 * If the service requires a fresh sign-in, the host lets the person sign in, and the refused call is repeated once.
 * @param onWaiting called when the wait for the person begins, and when it ends
 */
export function useFreshSignIn(onWaiting: (isWaiting: boolean) => void) {
  const { client } = usePanel();
  const { data: owner } = useOwner();
  const giveUp = useRef<() => void>(undefined);

  const requestToken = async (freshSignIn: FreshSignIn): Promise<string | undefined> => {
    onWaiting(true);
    // A host may never settle, for example if it does not notice that its window was closed.
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
      if (!hasCode(error, 'confirmation_required')) throw error;
      const token = await requestToken(readChallenge(error.challenge));
      if (token === undefined) throw error;
      const now = await withRetries(() => client.getOwner(token));
      if (now.ownerId !== owner?.ownerId) throw new SomebodyElse();
      return attempt(token);
    }
  };

  return { confirmed, giveUp: () => giveUp.current?.() };
}

/** The person closed the platform's sign-in, or it failed. */
export class NotSignedInAgain extends Error {
  override readonly name = 'NotSignedInAgain';
}

/** The person who signed in again is not the one whose keys are on the screen. */
export class SomebodyElse extends Error {
  override readonly name = 'SomebodyElse';
}
