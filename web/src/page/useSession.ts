import { useCallback, useEffect, useState } from 'react';
import { forgetBegun, takeBegunBody } from '../api/begun';
import type { ApiClient } from '../api/client';
import { hasCode } from '../api/problem';
import { withRetries } from '../api/retry';
import type { Session } from '../api/types';
import { forgetSignOut, rememberSignOut } from './written';

type SessionState =
  | { readonly phase: 'loading' | 'signed-out' }
  /** `isNew` if the person has just signed in on this page. */
  | { readonly phase: 'signed-in'; readonly session: Session; readonly isNew: boolean }
  | { readonly phase: 'failed'; readonly error: unknown };

export function useSession(client: ApiClient) {
  const [state, setState] = useState<SessionState>(firstState);

  const load = useCallback(() => {
    withRetries(client.getSession).then(
      (session) => {
        forgetSignOut();
        setState((before) => ({ phase: 'signed-in', session, isNew: before.phase === 'signed-out' }));
      },
      (error: unknown) => {
        // What else the page has asked for by itself was refused for the same reason.
        forgetBegun();
        setState(hasCode(error, 'unauthenticated') ? { phase: 'signed-out' } : { phase: 'failed', error });
      },
    );
  }, [client]);
  const isLoading = state.phase === 'loading';
  useEffect(() => {
    if (isLoading) load();
  }, [isLoading, load]);

  // Another person may have signed in from another tab in the meantime.
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      client.getSession().then(
        (session) => setState((now) => (now.phase === 'loading' ? now : { phase: 'signed-in', session, isNew: false })),
        () => undefined,
      );
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [client]);

  const leave = useCallback(() => setState({ phase: 'signed-out' }), []);
  const signOut = useCallback(
    () =>
      client.signOut().then(
        (answer) => {
          rememberSignOut();
          leave();
          // The platform, too, signs the person out, and then sends them back.
          if (answer?.signOutUrl !== undefined) location.assign(answer.signOutUrl);
        },
        (error: unknown) => setState({ phase: 'failed', error }),
      ),
    [client, leave],
  );
  return { state, load, signOut, leave };
}

/** Of a person whose session the page has found before the first render. */
function firstState(): SessionState {
  const session = takeBegunBody<Session>('/v1/session');
  if (!session) return { phase: 'loading' };
  forgetSignOut();
  return { phase: 'signed-in', session, isNew: false };
}
