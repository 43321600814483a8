import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { SomebodyElse } from '../api/fresh-sign-in';
import { newIdempotencyKey } from '../api/idempotency';
import { hasCode } from '../api/problem';
import { withRetries } from '../api/retry';
import type { CreatedKey, CreateKeyRequest } from '../api/types';
import { refreshKeys } from '../keys/useApiKeys';
import { usePanel } from '../panel/context';
import { OWNER } from '../panel/useOwner';
import type { Series } from './kept-draft';
import { useFreshSignIn } from './useFreshSignIn';

/** An earlier attempt created the key, but the answer with its secret was lost. */
export interface Lost {
  readonly phase: 'lost';
  readonly apiKeyId: string;
  readonly name: string;
  /** Why it could not be revoked. */
  readonly error?: unknown;
  readonly isReplacing?: boolean;
}

export type Creation =
  | { readonly phase: 'idle' | 'sending' | 'retrying' | 'confirming' }
  | { readonly phase: 'refused'; readonly error: unknown }
  | Lost;

/**
 * Not a mutation of TanStack Query, whose cache would keep the secret and the password.
 *
 * All attempts share an Idempotency-Key until one has certainly succeeded. So at most one key is created, however often
 * the network fails and whatever the person corrects between two attempts.
 *
 * @param onSomebodyElse what was typed is not for the person who is signed in now
 * @param begun the attempts of a creation that the person left to sign in for
 */
export function useCreateKey(onCreated: (created: CreatedKey) => void, onSomebodyElse: () => void, begun?: Series) {
  const { client, trip } = usePanel();
  const queryClient = useQueryClient();
  const [creation, setCreation] = useState<Creation>({ phase: 'idle' });
  const series = useRef(begun);
  // React's state changes only with the next render: two clicks in one frame would both find it idle.
  const underWay = useRef(false);
  const { confirmed, giveUp } = useFreshSignIn((isWaiting) =>
    setCreation({ phase: isWaiting ? 'confirming' : 'sending' }),
  );

  const once = async (work: () => Promise<Creation>) => {
    if (underWay.current) return;
    underWay.current = true;
    const outcome = await work().finally(() => (underWay.current = false));
    setCreation(outcome);
    // The list may have changed in any case. But a person who refused to sign in again is not asked a second time.
    if (outcome.phase !== 'refused' || !hasCode(outcome.error, 'unauthenticated')) void refreshKeys(queryClient);
  };

  const send = async (request: CreateKeyRequest, onRetry?: () => void): Promise<Creation> => {
    const { key, name } = (series.current ??= { key: newIdempotencyKey(), name: request.name });
    try {
      const created = await confirmed((token) => withRetries(() => client.createKey(request, key, token), onRetry));
      series.current = undefined;
      trip?.forget();
      onCreated(created);
      return { phase: 'idle' };
    } catch (error) {
      if (error instanceof SomebodyElse) return drop();
      // What confirms has changed: the account has got a password here, or passwords are no longer taken.
      if (hasCode(error, 'invalid_fields')) void queryClient.invalidateQueries({ queryKey: OWNER });
      const lostId = hasCode(error, 'idempotency_key_reused') ? error.apiKeyId : undefined;
      return lostId === undefined ? { phase: 'refused', error } : { phase: 'lost', apiKeyId: lostId, name };
    }
  };

  const drop = (): Creation => {
    series.current = undefined;
    onSomebodyElse();
    void queryClient.resetQueries();
    return { phase: 'idle' };
  };

  const create = (request: CreateKeyRequest) =>
    once(() => {
      setCreation({ phase: 'sending' });
      return send(request, () => setCreation({ phase: 'retrying' }));
    });

  const createAgain = (request: CreateKeyRequest, lost: Lost) =>
    once(async () => {
      setCreation({ ...lost, isReplacing: true });
      try {
        await withRetries(() => client.revokeKey(lost.apiKeyId));
      } catch (error) {
        // The key has ended in the meantime, which is as good as revoked.
        if (!hasCode(error, 'api_key_not_active', 'not_found'))
          return { phase: 'lost', apiKeyId: lost.apiKeyId, name: lost.name, error };
      }
      series.current = undefined;
      return send(request);
    });

  /** The dialog was closed. A key whose secret was lost stays as it is; the next creation makes another key. */
  const reset = () => {
    if (creation.phase === 'lost') series.current = undefined;
    trip?.forget();
    setCreation({ phase: 'idle' });
  };

  const isBusy =
    creation.phase === 'lost'
      ? creation.isReplacing === true
      : ['sending', 'retrying', 'confirming'].includes(creation.phase);
  return { creation, isBusy, create, createAgain, giveUp, reset, series };
}
